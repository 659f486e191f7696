import { applyEdits, type Edit, type LinkPlace, readPlaces } from './html-places.ts';
import { writtenLiquid } from './liquid.ts';
import { escapeHtml } from './markup.ts';
import { isMasked, liquidPieces, mask } from './mask.ts';
import { CLICK_TAG, CLICK_TO_TAG, isTrackable, PIXEL_TAG, urlOfAttribute } from './tracking-tags.ts';

/** What is put into somebody's HTML on its way: preheader, tracked links, open pixel. */
export interface Instruments {
  /** May hold Liquid. */
  readonly preheader: string | null;
  readonly clicks: boolean;
  readonly opens: boolean;
}

export interface Instrumented {
  /** With this module's tags where tracked things stand. */
  readonly html: string;
  /** Targets of the links that are the same for everybody, each once. */
  readonly links: readonly string[];
}

/** Hidden from view in all that matter, and kept from screen readers, which read the mail itself. */
const HIDDEN =
  'display:none;font-size:1px;line-height:1px;max-height:0;max-width:0;opacity:0;overflow:hidden;mso-hide:all';

/** Links that must work whatever becomes of tracking, and that tracking need not know. */
const OWN_LINK = /^\{\{-?\s*(?:unsubscribe_url|preferences_url|view_url)\b/;

/** @param html Liquid that parses. */
export function instrument(html: string, { preheader, clicks, opens }: Instruments): Instrumented {
  const masked = mask(html, liquidPieces(html));
  const places = readPlaces(masked);
  // By address, in their order.
  const links = new Map<string, number>();
  const edits: Edit[] = [];
  if (preheader !== null && preheader !== '') {
    const at = places.bodyBegin ?? 0;
    edits.push({
      begin: at,
      end: at,
      text: `<div style="${HIDDEN}" aria-hidden="true">${escapeFixed(preheader)}</div>`,
    });
  }
  if (clicks) {
    for (const place of places.links) {
      const text = trackedLink(html, masked, place, links);
      if (text !== null) {
        edits.push({ begin: place.begin, end: place.end, text: place.isQuoted ? text : `"${text}"` });
      }
    }
  }
  if (opens) {
    const at = places.bodyEnd ?? places.htmlEnd ?? html.length;
    const text = `<img src="{% ${PIXEL_TAG} %}" width="1" height="1" alt="" style="border:0;height:1px;width:1px">`;
    edits.push({ begin: at, end: at, text });
  }
  return { html: applyEdits(html, edits), links: [...links.keys()] };
}

/** What stands in place of a link's address, or null where it stays. */
function trackedLink(
  html: string,
  masked: string,
  { begin, end }: LinkPlace,
  links: Map<string, number>,
): string | null {
  const source = html.slice(begin, end);
  if (!isMasked(masked.slice(begin, end))) {
    const url = urlOfAttribute(source);
    if (!isTrackable(url)) return null;
    if (!links.has(url)) links.set(url, links.size);
    return `{% ${CLICK_TAG} ${links.get(url)} %}`;
  }
  const visible = source.trim();
  if (
    OWN_LINK.test(visible) ||
    (!isMasked(masked.charAt(begin + source.indexOf(visible))) && !isWeb(visible))
  ) {
    return null;
  }
  // A value that opens what ends elsewhere can't be wrapped.
  if (!parses(source)) return null;
  return `{% ${CLICK_TO_TAG} %}${source}{% end${CLICK_TO_TAG} %}`;
}

function isWeb(source: string): boolean {
  return /^https?:/i.test(source);
}

function parses(source: string): boolean {
  try {
    writtenLiquid.parse(source);
    return true;
  } catch {
    return false;
  }
}

/** Text with Liquid in it, its fixed parts escaped; what Liquid writes is escaped when it does. */
function escapeFixed(source: string): string {
  const pieces = liquidPieces(source);
  let at = 0;
  let text = '';
  for (const piece of pieces) {
    text += escapeHtml(source.slice(at, piece.begin)) + piece.text;
    at = piece.end;
  }
  return text + escapeHtml(source.slice(at));
}
