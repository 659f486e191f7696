import { type ArchivedObject, type ArchivedValue, readArchive } from './archive.ts';
import { StreamFault } from './bytes.ts';

/** A stretch of a message's text with what Messages notes of it; offsets count UTF-16 units. */
export interface TextRun {
  readonly start: number;
  readonly length: number;
  /** Texts, numbers and addresses by name, such as `__kIMMessagePartAttributeName`. */
  readonly attributes: Readonly<Record<string, string | number>>;
}

export type AttributedText =
  | { readonly ok: true; readonly text: string; readonly runs: readonly TextRun[] }
  | {
      readonly ok: false;
      /** A phrase for a log; nothing of the content is in it. */
      readonly reason: string;
      /** The text where it had been read before the archive broke. */
      readonly text: string | null;
    };

/** Far above any message; bodies are read whole into memory. */
export const LARGEST_BODY = 8 * 1_048_576;
/** Runs and attributes beyond these are left out; what is left out is never text. */
const MOST_RUNS = 4_096;
const MOST_ATTRIBUTES = 64;

/**
 * The text of a message's `attributedBody`: an NSAttributedString archived as a typedstream. Never throws,
 * whatever the bytes; the work is bounded by their length.
 */
export function decodeAttributedText(bytes: Uint8Array): AttributedText {
  if (bytes.length > LARGEST_BODY) return { ok: false, reason: 'it is too large', text: null };
  const objects: ArchivedObject[] = [];
  let root: ArchivedObject | undefined;
  try {
    readArchive(bytes, (object) => {
      root ??= object;
      if (objects.length < 2) objects.push(object);
    });
  } catch (error) {
    if (!(error instanceof StreamFault)) throw error;
    return { ok: false, reason: error.message, text: firstText(objects) };
  }
  if (!root?.classNames.includes('NSAttributedString')) {
    return { ok: false, reason: 'it holds no attributed text', text: firstText(objects) };
  }
  const text = textOf(root.values[0]);
  if (text === null) return { ok: false, reason: 'it holds no text', text: null };
  return { ok: true, text, runs: runsOf(root.values, text.length) };
}

/** The text of the root, or of its first value. */
function firstText(objects: readonly ArchivedObject[]): string | null {
  for (const object of objects) {
    const text = textOf(object);
    if (text !== null) return text;
  }
  return null;
}

function isObject(value: ArchivedValue | undefined): value is ArchivedObject {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'object';
}

function textOf(value: ArchivedValue | undefined): string | null {
  if (!isObject(value) || !value.classNames.includes('NSString')) return null;
  const [bytes] = value.values;
  return bytes instanceof Uint8Array ? Buffer.from(bytes).toString('utf8') : null;
}

/**
 * After the text come its runs: the number of a set of attributes, the length it goes for, and the set itself
 * where it is met for the first time.
 */
function runsOf(values: readonly ArchivedValue[], length: number): TextRun[] {
  const sets: Record<string, string | number>[] = [];
  const runs: TextRun[] = [];
  let start = 0;
  let at = 1;
  while (at + 1 < values.length && runs.length < MOST_RUNS) {
    const number = values[at];
    const run = values[at + 1];
    if (typeof number !== 'number' || typeof run !== 'number' || run < 0 || start + run > length) break;
    at += 2;
    if (number > sets.length || (number === 0 && sets.length === 0 && isObject(values[at]))) {
      sets.push(attributesOf(values[at]));
      at += 1;
    }
    runs.push({ start, length: run, attributes: sets[number - 1] ?? {} });
    start += run;
  }
  return runs;
}

/** What a dictionary says: a count, then names and values in turn. */
function attributesOf(value: ArchivedValue | undefined): Record<string, string | number> {
  const attributes: Record<string, string | number> = {};
  if (!isObject(value) || !value.classNames.includes('NSDictionary')) return attributes;
  const { values } = value;
  for (let at = 1; at + 1 < values.length && at < MOST_ATTRIBUTES * 2; at += 2) {
    const name = textOf(values[at]);
    const simple = simpleOf(values[at + 1]);
    if (name !== null && name !== '__proto__' && simple !== null) attributes[name] = simple;
  }
  return attributes;
}

function simpleOf(value: ArchivedValue | undefined): string | number | null {
  if (!isObject(value)) return null;
  const text = textOf(value);
  if (text !== null) return text;
  if (value.classNames.includes('NSNumber')) {
    const number = value.values[1];
    return typeof number === 'number' ? number : null;
  }
  // An address is whether it has a base, then the text.
  if (value.classNames.includes('NSURL')) return textOf(value.values.find((part) => textOf(part) !== null));
  return null;
}
