/** Reading JSON that somebody else wrote. */

/**
 * How deep arrays and objects may nest. The parser itself takes any depth; what comes after it (schemas,
 * serialisers, database drivers) recurses.
 */
export const MAX_JSON_DEPTH = 64;

/** A body that is not JSON; the message is fit for the caller. */
export class JsonError extends Error {
  override readonly name = 'JsonError';
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses a JSON text in UTF-8; a byte order mark is let pass (RFC 8259, 8.1).
 *
 * @throws JsonError on bad UTF-8, bad JSON, or nesting beyond {@link MAX_JSON_DEPTH}.
 */
export function parseJson(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch (cause) {
    throw new JsonError('The body is not valid UTF-8.', { cause });
  }
  if (nestsDeeper(bytes, MAX_JSON_DEPTH)) {
    throw new JsonError(`The body nests deeper than ${MAX_JSON_DEPTH} levels.`);
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new JsonError('The body is not valid JSON.', { cause });
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Counts brackets outside strings, which is exact for valid JSON and harmless for the rest. */
function nestsDeeper(bytes: Uint8Array, limit: number): boolean {
  let depth = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = endOfString(bytes, at);
    } else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      depth += 1;
      if (depth > limit) return true;
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
      depth -= 1;
    }
  }
  return false;
}

/** Index of the quote that closes the string opened at `start`; the length when none does. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let quote = bytes.indexOf(QUOTE, start + 1); quote !== -1; quote = bytes.indexOf(QUOTE, quote + 1)) {
    let backslashes = 0;
    while (bytes[quote - 1 - backslashes] === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return quote;
  }
  return bytes.length;
}

/** Whether a value is what JSON calls an object. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
