import { bestCut, type FramedLine, frameOf, openWindow } from './cuts.ts';
import { type Fence, scanLines } from './fences.ts';
import { LARGEST_POINT, measureText, type TextUnit } from './measure.ts';

/**
 * Splits a text into messages that a platform takes.
 *
 * A part is `before + content + after`. The contents joined are the text, unit for unit; `before` and `after`
 * are only ever a fence line that was put in because a cut fell inside a code block.
 */

export interface SplitOptions {
  /** The most a part may measure, added fence lines included. */
  readonly limit: number;
  readonly unit: TextUnit;
}

export interface Piece {
  /** `''`, or a line that opens the code block again: the original opening line while that is short enough. */
  readonly before: string;
  readonly content: string;
  /** `''`, or the fence that closes the code block for now, on a line of its own. */
  readonly after: string;
}

/**
 * The text in parts that are each within the limit; at least one, and the text itself when it fits.
 *
 * Cuts fall, in this order of preference, between paragraphs, between lines, between lines of code, between words,
 * between graphemes; only a grapheme that is larger than a part is cut, and never within a surrogate pair. Code
 * blocks (``` and ~~~) are closed at the end of a part and opened again, with their info string, in the next. White
 * space at a cut is kept, so a part may be blank where the text is.
 *
 * @throws RangeError when the limit is below the largest code point: 1 code point, 2 UTF-16 units, 4 bytes.
 */
export function splitText(text: string, options: SplitOptions): string[] {
  return splitIntoPieces(text, options).map(({ before, content, after }) => before + content + after);
}

/** {@link splitText} with what was put in kept apart from what was there. */
export function splitIntoPieces(text: string, { limit, unit }: SplitOptions): Piece[] {
  if (!(limit >= LARGEST_POINT[unit])) {
    throw new RangeError(`a limit of ${limit} cannot hold every code point; ${LARGEST_POINT[unit]} can`);
  }
  if (measureText(text, unit) <= limit) return [{ before: '', content: text, after: '' }];
  const lines = linesWithFrames(text, limit, unit);
  const pieces: Piece[] = [];
  let start = 0;
  let before = '';
  let firstLine = 0;
  for (;;) {
    const window = openWindow(text, start, limit - measureText(before, unit), unit);
    if (window.reachesEnd) {
      pieces.push({ before, content: text.slice(start), after: '' });
      return pieces;
    }
    const cut = bestCut(window, lines, firstLine, unit);
    pieces.push({ before, content: text.slice(start, cut.at), after: cut.close });
    ({ at: start, reopen: before, line: firstLine } = cut);
  }
}

/** Added fence lines take at most half of a part. A block whose fences are larger than that gets none. */
function linesWithFrames(text: string, limit: number, unit: TextUnit): FramedLine[] {
  const frames = new Map<Fence, FramedLine['frame']>();
  return scanLines(text).map((line) => {
    if (line.fence === null) return { ...line, frame: null };
    let frame = frames.get(line.fence);
    if (frame === undefined) {
      frame = frameOf(line.fence, (added) => measureText(added, unit) <= limit / 2);
      frames.set(line.fence, frame);
    }
    return frame === null ? { ...line, kind: 'text', markerEnd: line.start, frame } : { ...line, frame };
  });
}
