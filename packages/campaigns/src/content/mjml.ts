import { type LiquidPiece, liquidPieces, replacePieces } from './mask.ts';
import { FIRST, placeOf, TemplateError } from './template-error.ts';

/** MJML to HTML, with the Liquid in it left as it is. */

export interface Converted {
  readonly html: string;
  readonly warnings: readonly string[];
}

/** Lower-case letters and digits alone, which pass through attributes, addresses and CSS unchanged. */
const STAND_IN = /pstn(\d+)liq/g;
const standIn = (index: number) => `pstn${index}liq`;

/**
 * @param mjml Liquid that parses.
 * @throws TemplateError for what is no MJML, and for Liquid in a place that MJML drops.
 */
export async function convertMjml(mjml: string): Promise<Converted> {
  const pieces = liquidPieces(mjml);
  const include = /<mj-include\b/i.exec(mjml);
  if (include) {
    throw new TemplateError(
      'mjml',
      'mj-include is not available: there are no files',
      placeOf(mjml, include.index),
    );
  }
  const { html, errors } = await render(replacePieces(mjml, pieces, (_piece, index) => standIn(index)));
  const warnings: string[] = [];
  for (const { line, message, tagName } of errors) {
    // An attribute that holds Liquid can't be checked; and a wrong one costs no more than its effect.
    if (!/^Attribute/.test(message))
      throw new TemplateError('mjml', message, elementPlace(mjml, line, tagName));
    if (!/pstn\d+liq/.test(message)) warnings.push(`mjml line ${line}: ${message}`);
  }
  const found = new Set<number>();
  const restored = html.replace(STAND_IN, (_all, index: string) => {
    found.add(Number(index));
    return pieces[Number(index)]?.text ?? '';
  });
  const lost = pieces.find((_piece, index) => !found.has(index));
  if (lost && !isHarmless(lost)) {
    throw new TemplateError(
      'mjml',
      `${lost.text} stands where MJML keeps no text; put it into mj-raw or mj-text`,
      placeOf(mjml, lost.begin),
    );
  }
  return { html: restored, warnings };
}

interface Rendered {
  readonly html: string;
  readonly errors: readonly { readonly line: number; readonly message: string; readonly tagName: string }[];
}

async function render(mjml: string): Promise<Rendered> {
  // It takes its time to load, and only few need it.
  const { default: mjml2html } = await import('mjml');
  try {
    return await mjml2html(mjml, {
      validationLevel: 'soft',
      ignoreIncludes: true,
      // The default fonts would make every reader's client ask a third party for them.
      fonts: {},
      keepComments: false,
    });
  } catch (error) {
    throw parseError(error);
  }
}

/** What the parser says of text that is no MJML at all. */
function parseError(error: unknown): TemplateError {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof RangeError) return new TemplateError('mjml', 'nests too deep', FIRST);
  const line = /line (\d+)/i.exec(message);
  return new TemplateError('mjml', message, line ? { line: Number(line[1]), column: 1 } : FIRST);
}

function elementPlace(mjml: string, line: number, tagName: string) {
  const column = (mjml.split('\n')[line - 1] ?? '').indexOf(`<${tagName}`) + 1;
  return { line, column: Math.max(column, 1) };
}

function isHarmless({ tag, text }: LiquidPiece): boolean {
  return tag === 'comment' || tag === 'endcomment' || tag === '#' || /^\{%-?\s*#/.test(text);
}
