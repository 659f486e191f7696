import type { CompiledContent, Form, TemplateField, Text } from './compiled.ts';
import { instrument } from './instrument.ts';
import { writtenLiquid } from './liquid.ts';
import { oneLine } from './markup.ts';
import { convertMjml } from './mjml.ts';
import { originOf } from './origin.ts';
import { textOfHtml } from './plain-text.ts';
import { Holes, split } from './split.ts';
import { placeOf, TemplateError, templateError } from './template-error.ts';
import { unsubscribeLinks } from './unsubscribe-link.ts';
import { unknownNames } from './variables.ts';

/** What somebody wrote; of html and mjml at most one is given. */
export interface ContentSource {
  readonly subject: string;
  readonly preheader: string | null;
  readonly html: string | null;
  readonly mjml: string | null;
  readonly text: string | null;
}

export interface CompileOptions {
  readonly clicks: boolean;
  readonly opens: boolean;
  readonly strict: boolean;
}

export interface Compilation {
  readonly content: CompiledContent;
  /** What works but is hardly meant. */
  readonly warnings: readonly string[];
  /** Whether each body that was written lets everybody unsubscribe; null where there is none. */
  readonly unsubscribe: { readonly html: boolean | null; readonly text: boolean | null };
}

/** All that is wrong with a content; at least one. */
export class ContentError extends Error {
  override readonly name = 'ContentError';
  readonly errors: readonly TemplateError[];

  constructor(errors: readonly TemplateError[]) {
    super(errors.map((error) => `${error.field}: ${error.message}`).join('; '));
    this.errors = errors;
  }
}

const FIELDS = ['subject', 'preheader', 'html', 'mjml', 'text'] as const;

/**
 * Compiles a content. MJML takes tens of milliseconds, so this runs on a worker thread.
 *
 * @throws ContentError with the first error of each field.
 */
export async function compileContent(source: ContentSource, options: CompileOptions): Promise<Compilation> {
  const found = FIELDS.flatMap((field) => syntaxError(field, source[field]) ?? []);
  if (found.length > 0) throw new ContentError(found);
  try {
    return await compileSound(source, options);
  } catch (error) {
    if (error instanceof TemplateError) throw new ContentError([error]);
    throw error;
  }
}

/** Outputs and tags of one field. Each costs a little, and a megabyte of them would keep a thread for minutes. */
const MOST_PIECES = 10_000;

function syntaxError(field: TemplateField, text: string | null): TemplateError | null {
  if (text === null) return null;
  const [tooMany] = text.matchAll(/\{[{%]/g).drop(MOST_PIECES);
  if (tooMany !== undefined) {
    const reason = `has more than ${MOST_PIECES.toLocaleString('en-US')} outputs and tags`;
    return new TemplateError(field, reason, placeOf(text, tooMany.index));
  }
  try {
    writtenLiquid.parse(text);
    return null;
  } catch (error) {
    return templateError(error, field);
  }
}

async function compileSound(source: ContentSource, options: CompileOptions): Promise<Compilation> {
  const { subject, mjml } = source;
  const markupField = mjml === null ? 'html' : 'mjml';
  const markup = source[markupField];
  const converted = mjml === null ? { html: source.html, warnings: [] } : await convertMjml(mjml);
  const text = source.text ?? (converted.html === null ? null : textOfHtml(converted.html));
  const instrumented =
    converted.html === null
      ? null
      : instrument(converted.html, {
          preheader: source.preheader,
          clicks: options.clicks,
          opens: options.opens,
        });

  const holes = new Holes();
  const part = (
    compiled: string,
    where: 'subject' | 'html' | 'text',
    form: Form,
    field: TemplateField,
  ): Text => split(compiled, { part: where, form, field, origin: originOf(source[field] ?? ''), holes });
  const content: CompiledContent = {
    version: 1,
    subject: part(oneLine(subject), 'subject', 'line', 'subject'),
    html: instrumented === null ? null : part(instrumented.html, 'html', 'html', markupField),
    text: text === null ? null : part(text, 'text', 'text', source.text === null ? markupField : 'text'),
    holes: holes.recipes,
    links: instrumented?.links ?? [],
    strict: options.strict,
  };
  return {
    content,
    warnings: [...converted.warnings, ...FIELDS.flatMap((field) => warningsOf(field, source[field]))],
    unsubscribe: unsubscribeLinks(content, { html: markup, text: source.text }),
  };
}

function warningsOf(field: TemplateField, source: string | null): string[] {
  return source === null
    ? []
    : unknownNames(source).map((name) => `${field}: nothing is known as {{ ${name} }}`);
}
