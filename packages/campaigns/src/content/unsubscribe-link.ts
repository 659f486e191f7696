import { Tokenizer } from 'htmlparser2';
import type { CompiledContent } from './compiled.ts';
import { renderContent } from './personalise.ts';
import { sampleVariables } from './sample.ts';
import { TemplateError } from './template-error.ts';
import { namesIn } from './variables.ts';

/** Nobody writes this by hand, so where it stands the variable's value came out. */
const MARKER = 'https://unsubscribe.invalid/2f1c6d9a';

/** What somebody wrote of each body; null where there is none. */
export interface WrittenBodies {
  readonly html: string | null;
  readonly text: string | null;
}

/**
 * Whether each body gives a way to unsubscribe to somebody of whom nothing but the address is known, and to somebody
 * who has a name: the variable is named in it, and its value is there once the body is rendered, outside of comments.
 * So a link behind a condition that one of them does not meet counts as missing. Null where there is no body.
 */
export function unsubscribeLinks(
  content: CompiledContent,
  written: WrittenBodies,
): { readonly html: boolean | null; readonly text: boolean | null } {
  const named = (source: string | null) => (source === null ? null : namesIn(source).has('unsubscribe_url'));
  const inSource = { html: named(written.html), text: named(written.text) };
  if (inSource.html !== true && inSource.text !== true) return inSource;
  // In a strict content somebody without the variables gets no mail at all, so what is written has to do.
  const rendered = [null, 'Ana Example'].flatMap((name) => renderedFor(content, name) ?? []);
  return {
    html: inSource.html && rendered.every(({ html }) => withoutComments(html ?? '').includes(MARKER)),
    text: inSource.text && rendered.every(({ text }) => (text ?? '').includes(MARKER)),
  };
}

function renderedFor(content: CompiledContent, name: string | null): WrittenBodies | null {
  const { subscriber, ...sample } = sampleVariables('');
  const variables = { ...sample, subscriber: { ...subscriber, name }, unsubscribe_url: MARKER };
  try {
    return renderContent(content, { variables, tracking: null });
  } catch (error) {
    if (error instanceof TemplateError) return null;
    throw error;
  }
}

function withoutComments(html: string): string {
  let text = '';
  let at = 0;
  const ignore = () => {};
  const tokenizer = new Tokenizer(
    { xmlMode: false, decodeEntities: false },
    {
      oncomment(start, end, endOffset) {
        text += html.slice(at, start);
        at = end + endOffset;
      },
      onattribdata: ignore,
      onattribend: ignore,
      onattribentity: ignore,
      onattribname: ignore,
      oncdata: ignore,
      onclosetag: ignore,
      ondeclaration: ignore,
      onend: ignore,
      onopentagend: ignore,
      onopentagname: ignore,
      onprocessinginstruction: ignore,
      onselfclosingtag: ignore,
      ontext: ignore,
      ontextentity: ignore,
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  return text + html.slice(at);
}
