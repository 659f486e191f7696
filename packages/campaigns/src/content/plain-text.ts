import { type DomNode, type HtmlToTextOptions, htmlToText } from 'html-to-text';
import { readPlaces } from './html-places.ts';
import { writtenLiquid } from './liquid.ts';
import { liquidPieces, mask, replacePieces } from './mask.ts';
import { TemplateError } from './template-error.ts';

/** The plain text of a mail, made from its HTML once, with the Liquid in it left as it is. */

const OPTIONS: HtmlToTextOptions = {
  // How long a line becomes is only known with the values in it; readers wrap by themselves.
  wordwrap: false,
  selectors: [
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true, linkBrackets: ['<', '>'] } },
    { selector: 'img', format: 'alternative' },
    ...['display:none', 'display: none'].map((style) => ({
      selector: `[style*="${style}"]`,
      format: 'hidden',
    })),
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
  ],
  formatters: {
    // What a picture shows, without its address.
    alternative(element, _walk, builder) {
      const { alt = '' } = element.attribs;
      if (alt !== '') builder.addInline(alt);
    },
    // What nobody sees in the HTML, such as MJML's preview, is no text either; a tag in it may reach beyond it.
    hidden(element, walk, builder) {
      if (hasTag(element)) walk(element.children, builder);
    },
  },
  limits: { maxInputLength: 20_000_000, maxDepth: 200 },
};

/** From the private use area, so that no letter's case and no space is changed around it. */
const STAND_IN = /\uE0F1\uE0F3?(\d+)\uE0F2/g;

/** In the stand-ins of tags alone. */
const TAG = '\uE0F3';

/** Without recursion: HTML may be of any depth. */
function hasTag(element: DomNode): boolean {
  const open = [element];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.data?.includes(TAG)) return true;
    for (const child of node.children ?? []) open.push(child);
  }
  return false;
}

/**
 * @param html Liquid that parses.
 * @throws TemplateError when what is left of its Liquid makes no sense any more: its tags cross its elements.
 */
export function textOfHtml(html: string): string {
  const pieces = liquidPieces(html);
  const readable = replacePieces(
    html,
    pieces,
    ({ tag }, index) => `\uE0F1${tag === null ? '' : TAG}${index}\uE0F2`,
  );
  const text = htmlToText(readable, OPTIONS).replace(
    STAND_IN,
    (_all, index: string) => pieces[Number(index)]?.text ?? '',
  );
  // Only the body is text; variables given above it are still needed.
  const bodyBegin = readPlaces(mask(html, pieces)).bodyBegin ?? 0;
  const given = pieces.filter(({ tag, begin }) => tag === 'assign' && begin < bodyBegin);
  const complete = given.map((piece) => piece.text).join('') + text;
  try {
    writtenLiquid.parse(complete);
  } catch {
    const message =
      "can't be made from the HTML, where Liquid tags begin in one element and end in another; write it";
    throw new TemplateError('text', message, null);
  }
  return complete;
}
