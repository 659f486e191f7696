import { parseDocument } from 'htmlparser2';
import type { Context, Liquid, TagToken, Template } from 'liquidjs';
import type { Form, Tracking } from './compiled.ts';
import { escapeHtml } from './markup.ts';

/**
 * Tags that compiling puts into HTML where tracked things stand. Nobody can write them: templates are checked by an
 * engine that does not know them.
 */

export const CLICK_TAG = 'postern_click';
export const CLICK_TO_TAG = 'postern_click_to';
export const PIXEL_TAG = 'postern_pixel';

/** What the tags need of the rendering they stand in. */
export interface TrackingState {
  readonly links: readonly string[];
  readonly tracking: Tracking | null;
}

const REGISTER = 'postern_tracking';

export function setTracking(context: Context, state: TrackingState): void {
  context.setRegister(REGISTER, state);
}

/** The address that stands for a link of `links`. */
export function clickAddress({ links, tracking }: TrackingState, link: number): string {
  return tracking === null ? (links[link] ?? '') : tracking.click(link);
}

export function addTrackingTags(liquid: Liquid, form: Form): void {
  const write = (url: string) => (form === 'html' ? escapeHtml(url) : url);
  const stateOf = (context: Context): TrackingState =>
    context.getRegister<TrackingState>(REGISTER, { links: [], tracking: null });

  liquid.registerTag(CLICK_TAG, {
    parse(token) {
      this.link = linkOf(token);
    },
    render(context: Context) {
      return write(clickAddress(stateOf(context), this.link));
    },
  });

  liquid.registerTag(PIXEL_TAG, {
    render: (context: Context) => write(stateOf(context).tracking?.pixel ?? ''),
  });

  liquid.registerTag(CLICK_TO_TAG, {
    parse(_token, remaining) {
      const body: Template[] = [];
      this.body = body;
      const stream = this.liquid.parser
        .parseStream(remaining)
        .on('template', (template: Template) => void body.push(template))
        .on(`tag:end${CLICK_TO_TAG}`, () => stream.stop())
        .on('end', () => {
          throw new Error('a link is not closed');
        });
      stream.start();
    },
    *render(context: Context): Generator<unknown, string, string> {
      const attribute = yield this.liquid.renderer.renderTemplates(this.body as Template[], context);
      const url = form === 'html' ? urlOfAttribute(attribute) : attribute;
      const { tracking } = stateOf(context);
      return tracking !== null && isTrackable(url) ? write(tracking.clickTo(url)) : attribute;
    },
  });
}

/** The link a click tag is about. */
export function linkOf(token: TagToken): number {
  return Number(token.args);
}

/** Only the web can be come back to by a redirect. */
export function isTrackable(url: string): boolean {
  return /^https?:\/\/./i.test(url);
}

/**
 * The address that the source of an `href` means: character references read, and without the white space a browser
 * leaves out.
 */
export function urlOfAttribute(source: string): string {
  const quote = source.includes('"') ? "'" : '"';
  const [element] = parseDocument(`<a href=${quote}${source}${quote}></a>`).children;
  const href = element !== undefined && 'attribs' in element ? (element.attribs.href ?? '') : '';
  return href.replace(/[\t\r\n]/g, '').replace(/^[\p{Cc} ]+|[\p{Cc} ]+$/gu, '');
}
