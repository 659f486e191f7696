import { AssertionError, LiquidError } from 'liquidjs';
import type { Place, TemplateField } from './compiled.ts';

/** What is wrong with a template, and where it was written. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
  readonly field: TemplateField;
  readonly reason: string;
  /** Null where it has no place of its own. */
  readonly at: Place | null;

  constructor(field: TemplateField, reason: string, at: Place | null) {
    super(at === null ? reason : `${reason} (line ${at.line}, column ${at.column})`);
    this.field = field;
    this.reason = reason;
    this.at = at;
  }
}

/** LiquidJS ends its messages with the place, which is told apart here; it counts columns as we do. */
const PLACE = /,(?: file:[^,]*,)? line:\d+, col:\d+$/;

/**
 * An error of Liquid as ours.
 *
 * @param start where the text Liquid saw begins in what was written.
 */
export function templateError(error: unknown, field: TemplateField, start: Place = FIRST): TemplateError {
  if (error instanceof TemplateError) return error;
  // Limits that are reached outside of any one tag, or while taking the template in.
  if (error instanceof AssertionError || error instanceof RangeError) {
    return new TemplateError(field, reasonOf(error.message), start);
  }
  if (!LiquidError.is(error)) throw error;
  const [line = 1, column = 1] = error.token.getPosition();
  return new TemplateError(field, reasonOf(error.message.replace(PLACE, '')), shift({ line, column }, start));
}

export const FIRST: Place = { line: 1, column: 1 };

/** A place counted from `start`, counted from where `start` is counted from. */
export function shift({ line, column }: Place, start: Place): Place {
  return line === 1
    ? { line: start.line, column: start.column + column - 1 }
    : { line: start.line + line - 1, column };
}

/** The place of an offset in a text. */
export function placeOf(text: string, offset: number): Place {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: offset - lineStart + 1 };
}

function reasonOf(message: string): string {
  const missing = /^undefined variable: (.*)$/.exec(message);
  if (missing) return `${missing[1]} has no value`;
  if (message === 'template render limit exceeded') return 'takes too long to render';
  if (message === 'memory alloc limit exceeded') return 'makes too much to render';
  if (message === 'parse length limit exceeded') return 'is too long';
  if (message === 'Maximum call stack size exceeded') return 'nests too deep';
  return message;
}
