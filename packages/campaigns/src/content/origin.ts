import type { Place } from './compiled.ts';
import { FIRST } from './template-error.ts';

/**
 * Finds pieces of Liquid in what somebody wrote. By the time they are rendered, MJML has become HTML around them and
 * links are tracked, but the pieces themselves are as they were, and nearly always in their order.
 */
export interface Origin {
  /** Gives a function that is asked for pieces in their order. */
  reader(): (piece: string) => Place;
}

export function originOf(written: string): Origin {
  const lines = lineStarts(written);
  return {
    reader() {
      const seen = new Map<string, number>();
      return (piece) => {
        const from = seen.get(piece);
        const found = written.indexOf(piece, from === undefined ? 0 : from + 1);
        const at = found === -1 ? (from ?? -1) : found;
        seen.set(piece, at);
        return at === -1 ? FIRST : placeIn(lines, at);
      };
    },
  };
}

/** Where each line of a text begins. */
function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** The place of an offset: the last line that begins at or before it. */
function placeIn(starts: readonly number[], offset: number): Place {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
}
