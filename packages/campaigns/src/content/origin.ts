import type { Place } from './compiled.ts';
import { FIRST, placeOf } from './template-error.ts';

/**
 * Finds pieces of Liquid in what somebody wrote. By the time they are rendered, MJML has become HTML around them and
 * links are tracked, but the pieces themselves are as they were, and nearly always in their order.
 */
export interface Origin {
  /** Gives a function that is asked for pieces in their order. */
  reader(): (piece: string) => Place;
}

export function originOf(written: string): Origin {
  return {
    reader() {
      const seen = new Map<string, number>();
      return (piece) => {
        const from = seen.get(piece);
        const found = written.indexOf(piece, from === undefined ? 0 : from + 1);
        const at = found === -1 ? (from ?? -1) : found;
        seen.set(piece, at);
        return at === -1 ? FIRST : placeOf(written, at);
      };
    },
  };
}
