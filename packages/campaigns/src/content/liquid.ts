import { CaptureTag, type Context, Liquid, type LiquidOptions } from 'liquidjs';
import type { Form } from './compiled.ts';
import { escapeHtml, Markup, stringify } from './markup.ts';
import { addTrackingTags } from './tracking-tags.ts';

/**
 * Liquid, one engine for each form. Templates come from whoever may write campaigns, so they reach nothing beyond
 * their variables: no files, no other templates, no prototypes, and no more time or memory than a mail may take.
 */

const OPTIONS: LiquidOptions = {
  ownPropertyOnly: true,
  strictFilters: true,
  // A condition and `default` are how a template says what to do without a value.
  lenientIf: true,
  // Dates read the same wherever the hub runs.
  timezoneOffset: 0,
  locale: 'en-US',
  templates: {},
  /** Characters of one template; MJML becomes several times as long. */
  parseLimit: 20_000_000,
  /** Milliseconds of one part of one mail. */
  renderLimit: 200,
  /** By LiquidJS's own count, about the characters and array items that are made. */
  memoryLimit: 2_000_000,
};

/** Tags that would read other templates. */
const OTHER_TEMPLATES = ['include', 'render', 'layout', 'block'];

/** What is captured in HTML was escaped where it was written, and isn't again. */
class CaptureMarkup extends CaptureTag {
  override *render(context: Context): Generator<unknown, void, string> {
    const html: string = yield this.liquid.renderer.renderTemplates(this.templates, context);
    Object.assign(context.bottom(), { [this.variable]: new Markup(html) });
  }
}

function makeLiquid(form: Form, withTracking: boolean): Liquid {
  const liquid = new Liquid({
    ...OPTIONS,
    ...(form === 'html' ? { outputEscape: (value: unknown) => escapeHtml(value) } : {}),
  });
  for (const tag of OTHER_TEMPLATES) delete liquid.tags[tag];
  // HTML's filters do nothing where there is no HTML, so that a plain text can be made from the same template.
  const html = (filter: (text: string) => string) =>
    form === 'html' ? (value: unknown) => new Markup(filter(stringify(value))) : stringify;
  liquid.registerFilter('escape', html(escapeHtml));
  liquid.registerFilter('xml_escape', html(escapeHtml));
  liquid.registerFilter('escape_once', html(escapeOnce));
  liquid.registerFilter(
    'newline_to_br',
    html((text) => escapeHtml(text).replace(/\r?\n/g, '<br />\n')),
  );
  if (form === 'html') liquid.registerTag('capture', CaptureMarkup);
  if (withTracking) addTrackingTags(liquid, form);
  return liquid;
}

function escapeOnce(text: string): string {
  return escapeHtml(text).replace(/&amp;(amp|lt|gt|quot|#34|#39);/g, '&$1;');
}

/** For what somebody wrote: the tags that compiling adds are unknown to it. */
export const writtenLiquid = makeLiquid('text', false);

/** For taking compiled sources apart. */
export const compiledLiquid = makeLiquid('text', true);

const engines: Readonly<Record<Form, Liquid>> = {
  html: makeLiquid('html', true),
  text: compiledLiquid,
  line: compiledLiquid,
};

/** The engine that renders compiled sources of a form. */
export function liquidOf(form: Form): Liquid {
  return engines[form];
}
