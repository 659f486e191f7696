import { mustBe } from '@postern/kit';
import * as z from 'zod';

/**
 * What a project knows of a subscriber beside name and address: JSON values by name, for templates and segments. They
 * are merged key by key, and null takes a key away (contract, 8.8).
 */

export type Attributes = Readonly<Record<string, unknown>>;

/** Bounds of one subscriber's attributes; given at once, and all together. */
export const ATTRIBUTE_LIMITS = {
  keys: 200,
  keyCharacters: 100,
  /** Characters of all names and texts. */
  characters: 32_000,
  /** Values, nested ones included. */
  values: 2_000,
  depth: 8,
} as const;

const CONTROLS = /[\p{Cc}\u2028\u2029]/u;
/** Texts may have lines; what reaches a header is made one line there. */
const CONTROLS_IN_TEXT = /(?![\t\n\r])\p{Cc}/u;

interface Fault {
  readonly path: readonly (string | number)[];
  readonly code: 'invalid_type' | 'invalid_format' | 'out_of_range' | 'too_many' | 'too_long' | 'too_short';
  readonly message: string;
  readonly input: unknown;
}

/** Attributes as they are given; null takes a key away. */
export const attributesSchema = z
  .unknown()
  .superRefine((value, context) => {
    if (isPlain(value)) return;
    for (const { code, path, message, input } of attributeFaults(value)) {
      context.addIssue({ code: 'custom', path: [...path], message, input, params: { code } });
    }
  })
  .meta({
    type: 'object',
    additionalProperties: true,
    description: 'Values by name for templates and segments; merged key by key, null takes a key away',
  }) as unknown as z.ZodType<Attributes>;

/** The same in an answer. */
export const attributesAnswerSchema = z
  .unknown()
  .meta({ type: 'object', additionalProperties: true }) as unknown as z.ZodType<Attributes>;

/** Most attributes are a few short texts and numbers; those of ten thousand people are looked at in one turn. */
const PLAIN = { keys: 50, characters: 500 } as const;

/** Whether it is certain, without a closer look, that there is no fault in it. */
function isPlain(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  let keys = 0;
  for (const key in value) {
    keys += 1;
    if (
      keys > PLAIN.keys ||
      key === '' ||
      key.length > ATTRIBUTE_LIMITS.keyCharacters ||
      CONTROLS.test(key)
    ) {
      return false;
    }
    const inner: unknown = (value as Attributes)[key];
    if (typeof inner === 'string') {
      if (inner.length > PLAIN.characters || CONTROLS_IN_TEXT.test(inner)) return false;
    } else if (typeof inner === 'number') {
      if (!Number.isFinite(inner)) return false;
    } else if (typeof inner === 'object' && inner !== null) return false;
  }
  return true;
}

function* attributeFaults(value: unknown): Generator<Fault> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    yield { path: [], code: 'invalid_type', message: mustBe('an object')({ input: value }), input: value };
    return;
  }
  const size = { characters: 0, values: 0 };
  const entries = Object.entries(value);
  if (entries.length > ATTRIBUTE_LIMITS.keys) {
    const message = `must have at most ${ATTRIBUTE_LIMITS.keys} attributes, found ${entries.length}`;
    yield { path: [], code: 'too_many', message, input: value };
    return;
  }
  for (const [key, inner] of entries) {
    const fault = keyFault(key);
    if (fault) yield { ...fault, path: [], input: value };
    size.characters += key.length;
    yield* valueFaults(inner, [key], size);
  }
  if (size.characters > ATTRIBUTE_LIMITS.characters) {
    const message = `must have at most ${ATTRIBUTE_LIMITS.characters} characters in all, found ${size.characters}`;
    yield { path: [], code: 'too_long', message, input: value };
  }
  if (size.values > ATTRIBUTE_LIMITS.values) {
    const message = `must have at most ${ATTRIBUTE_LIMITS.values} values in all, found ${size.values}`;
    yield { path: [], code: 'too_many', message, input: value };
  }
}

function* valueFaults(
  value: unknown,
  path: readonly (string | number)[],
  size: { characters: number; values: number },
): Generator<Fault> {
  size.values += 1;
  if (typeof value === 'string') {
    size.characters += value.length;
    if (CONTROLS_IN_TEXT.test(value)) {
      const message = 'must have no control characters but tabs and line breaks';
      yield { path, code: 'invalid_format', message, input: value };
    }
    return;
  }
  // What is too large for a number is read as infinite, and would be stored as null.
  if (typeof value === 'number' && !Number.isFinite(value)) {
    yield { path, code: 'out_of_range', message: 'must be a number below 1.8e308', input: value };
  }
  if (typeof value !== 'object' || value === null) return;
  if (path.length > ATTRIBUTE_LIMITS.depth) {
    const message = `must not nest deeper than ${ATTRIBUTE_LIMITS.depth} levels`;
    yield { path, code: 'invalid_format', message, input: value };
    return;
  }
  for (const [key, inner] of Object.entries(value)) {
    if (size.values > ATTRIBUTE_LIMITS.values) return;
    size.characters += key.length;
    yield* valueFaults(inner, [...path, Array.isArray(value) ? Number(key) : key], size);
  }
}

function keyFault(key: string): Pick<Fault, 'code' | 'message'> | null {
  if (key === '') return { code: 'too_short', message: 'has an attribute without a name' };
  if ([...key].length > ATTRIBUTE_LIMITS.keyCharacters) {
    const message = `has an attribute whose name is longer than ${ATTRIBUTE_LIMITS.keyCharacters} characters`;
    return { code: 'too_long', message };
  }
  if (!CONTROLS.test(key)) return null;
  return { code: 'invalid_format', message: 'has an attribute whose name has control characters in it' };
}

/**
 * Puts a change on top of what is there.
 *
 * @param json what is there, as this function wrote it.
 * @returns the JSON to store, in one form for equal values; null when it would be more than a subscriber may have.
 */
export function mergeAttributes(json: string, change: Attributes | undefined): string | null {
  if (change === undefined) return json;
  const plain = json === '{}' ? plainJson(change) : null;
  if (plain !== null) return plain;
  const before: Attributes = json === '{}' ? {} : JSON.parse(json);
  const entries = Object.entries({ ...before, ...change }).filter(([, value]) => value !== null);
  if (entries.length > ATTRIBUTE_LIMITS.keys) return null;
  const merged = JSON.stringify(inOrder(Object.fromEntries(entries)));
  // Names and texts are bounded when they are given; this bounds what many changes add up to.
  return merged.length > 4 * ATTRIBUTE_LIMITS.characters ? null : merged;
}

/** The same for the attributes that nearly everybody has, at a quarter of the time; null for any others. */
function plainJson(change: Attributes): string | null {
  const names = Object.keys(change).sort();
  if (names.length > PLAIN.keys) return null;
  let json = '{';
  for (const name of names) {
    const value = change[name];
    // Objects put names that are numbers first, and in the order of numbers.
    if (typeof value === 'object' ? value !== null : STARTS_WITH_DIGIT.test(name)) return null;
    if (value === null) continue;
    json += `${json === '{' ? '' : ','}${JSON.stringify(name)}:${JSON.stringify(value)}`;
  }
  return json.length < 4 * ATTRIBUTE_LIMITS.characters ? `${json}}` : null;
}

const STARTS_WITH_DIGIT = /^[0-9]/;

/** Keys sorted, so that equal attributes are equal texts. */
function inOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(inOrder);
  const entries = Object.entries(value).map(([key, inner]) => [key, inOrder(inner)] as const);
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
}
