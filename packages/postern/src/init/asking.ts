import { UsageError } from '../cli/command.ts';
import { Refusal } from '../secrets/data-folder.ts';
import type { Prompter } from './prompter.ts';

/** An answer that will not do; the message says why, in a sentence. */
export class Unfit extends Error {
  override readonly name = 'Unfit';
}

/** Who is asked, and how things are said. */
export interface Asking {
  /** Null: nobody is there, and everything has to be given. */
  readonly prompter: Prompter | null;
  say(line: string): void;
}

export interface Question<Value> {
  /** The flag, or the variable of a secret, that answers it without being asked. */
  readonly source: string;
  /** What to give there, for the message that it is missing: `CHANNEL`. */
  readonly placeholder: string;
  readonly question: string;
  /** Taken for an empty answer, and where nobody is there to ask. */
  readonly fallback?: string;
  readonly isSecret?: boolean;
  /** What was given by flag or variable. */
  readonly given?: string | undefined;
  /** @throws Unfit */
  read(text: string): Value | Promise<Value>;
}

/**
 * The value given, else the answer to the question, asked again with the reason until it will do.
 *
 * @throws Refusal when nobody is there to ask and what is given will not do; UsageError when nothing is given.
 */
export async function answer<Value>(asking: Asking, question: Question<Value>): Promise<Value> {
  const { prompter } = asking;
  const { source, placeholder, fallback, isSecret = false, given, read } = question;
  const ready = given ?? (prompter === null ? fallback : undefined);
  if (ready !== undefined) {
    try {
      return await read(ready);
    } catch (error) {
      if (!(error instanceof Unfit)) throw error;
      if (prompter === null) throw new Refusal(`${source}: ${error.message}`);
      asking.say(`${source}: ${error.message}`);
    }
  }
  if (prompter === null) throw new UsageError(`postern init: ${source} ${placeholder} is missing`);
  const hint = fallback === undefined ? '' : ` [${fallback}]`;
  for (;;) {
    const line = `${question.question}${hint}:`;
    const text = isSecret ? await prompter.askSecret(line) : await prompter.ask(line);
    try {
      if (text === '' && fallback === undefined) throw new Unfit('An answer is needed.');
      return await read(text === '' && fallback !== undefined ? fallback : text);
    } catch (error) {
      if (!(error instanceof Unfit)) throw error;
      asking.say(`  ${error.message}`);
    }
  }
}

export interface Option<Key extends string> {
  readonly key: Key;
  readonly meaning: string;
}

/** One of several, by its word or its number. The first is the fallback unless another is named. */
export function choice<Key extends string>(
  options: readonly Option<Key>[],
  question: Omit<Question<Key>, 'read' | 'placeholder'>,
): Question<Key> {
  const list = options.map(({ key, meaning }, index) => `  ${index + 1}) ${key}: ${meaning}\n`).join('');
  return {
    ...question,
    placeholder: options.map(({ key }) => key).join('|'),
    question: `${list}${question.question}`,
    read(text) {
      const found = options.find(({ key }, index) => text === key || text === String(index + 1));
      if (found === undefined) throw new Unfit(`It is one of: ${options.map(({ key }) => key).join(', ')}.`);
      return found.key;
    },
  };
}

/** @returns Whether the answer is yes; without anybody to ask, `otherwise`. */
export async function confirm(
  asking: Asking,
  question: string,
  { fallback, otherwise }: { readonly fallback: boolean; readonly otherwise: boolean },
): Promise<boolean> {
  if (asking.prompter === null) return otherwise;
  return answer(asking, {
    source: '',
    placeholder: '',
    question: `${question} (yes or no)`,
    fallback: fallback ? 'yes' : 'no',
    read(text) {
      if (/^y(?:es)?$/i.test(text)) return true;
      if (/^no?$/i.test(text)) return false;
      throw new Unfit('Answer yes or no.');
    },
  });
}
