import type { Fence, Line } from './fences.ts';
import { DEEPEST_INDENT } from './fences.ts';
import { measurePoint, measureText, type TextUnit } from './measure.ts';

/** Where a part may end, and which of these places is the best. */

/** How a code block is closed and opened again. */
interface Frame {
  readonly close: string;
  readonly reopen: string;
}

/** A line with the frame of its code block; a line without one is cut like any text. */
export type FramedLine = Line & { readonly frame: Frame | null };

/**
 * The first frame of a block that fits: its own opening line, else the bare marker. The indent stays, since the
 * block's own closing line counts only behind an opening line that is indented like it.
 */
export function frameOf({ opening, indent, marker }: Fence, fits: (added: string) => boolean): Frame | null {
  const close = indent + marker;
  const reopen = [`${opening}\n`, `${close}\n`].find((line) => fits(`${line}\n${close}`));
  return reopen === undefined ? null : { reopen, close };
}

/** The places where a part that starts at `start` could end, if nothing had to be added behind it. */
export interface Window {
  readonly text: string;
  readonly start: number;
  readonly budget: number;
  /** Code point boundaries behind `start`, ascending, with the size up to each. */
  readonly places: readonly number[];
  readonly sizes: readonly number[];
  readonly reachesEnd: boolean;
}

export function openWindow(text: string, start: number, budget: number, unit: TextUnit): Window {
  const places: number[] = [];
  const sizes: number[] = [];
  let index = start;
  let size = 0;
  while (index < text.length) {
    const point = text.codePointAt(index) ?? 0;
    size += measurePoint(point, unit);
    if (size > budget) break;
    index += point > 0xffff ? 2 : 1;
    places.push(index);
    sizes.push(size);
  }
  return { text, start, budget, places, sizes, reachesEnd: index >= text.length };
}

export interface Cut {
  readonly at: number;
  /** The index of the line the cut is in or before. */
  readonly line: number;
  /** What ends this part and what starts the next; empty outside of code. */
  readonly close: string;
  readonly reopen: string;
}

/** How good a place is; less is better. The first four count only in the upper half of a part. */
const PARAGRAPH = 0;
const LINE = 1;
const CODE_PARAGRAPH = 2;
const CODE_LINE = 3;
const WORD = 4;
const GRAPHEME = 5;
/** Would leave an empty code block behind or before it. */
const EMPTY_BLOCK = 6;
const INFO_STRING = 7;
/** Would make or break a fence, on a line that leaves no other place. */
const FORCED = 8;
const CODE_POINT = 9;

/** The best place in a window that does not reach the text's end. */
export function bestCut(
  window: Window,
  lines: readonly FramedLine[],
  firstLine: number,
  unit: TextUnit,
): Cut {
  const { text, start, budget, places, sizes } = window;
  const best: Cut[] = [];
  const look = lookAround(window);
  let index = lastLineBefore(lines, firstLine, places.at(-1) ?? start);
  for (let place = places.length - 1; place >= 0; place -= 1) {
    const at = places[place] ?? start;
    const size = sizes[place] ?? 0;
    if (size < budget / 2 && best.findIndex(Boolean) <= WORD && best.length > 0) break;
    while ((lines[index]?.start ?? 0) > at) index -= 1;
    const line = lines[index];
    if (line === undefined) break;
    look.moveTo(at);
    const inside = isInside(line, at);
    const close = inside && line.frame ? `${at === line.start ? '' : '\n'}${line.frame.close}` : '';
    if (size + measureText(close, unit) > budget) continue;
    const upper = size >= budget / 2;
    const rank = rankOf({ text, at, line, previous: lines[index - 1], inside, upper, look });
    best[rank] ??= { at, line: index, close, reopen: inside && line.frame ? line.frame.reopen : '' };
    if (rank === PARAGRAPH) break;
  }
  const cut = best.find(Boolean);
  // Added fence lines take at most half of a part, so its first code point always fits.
  if (cut === undefined) throw new Error(`no place to cut at ${start} within ${budget}`);
  return cut;
}

function lastLineBefore(lines: readonly FramedLine[], from: number, at: number): number {
  let index = from;
  while (index + 1 < lines.length && (lines[index + 1]?.start ?? 0) <= at) index += 1;
  return index;
}

/** Whether a cut at the place falls into a code block, behind its opening marker and before its closing line. */
function isInside(line: FramedLine, at: number): boolean {
  if (line.frame === null) return false;
  if (line.kind === 'open') return at > line.start && at >= line.markerEnd;
  if (line.kind === 'close') return at === line.start;
  return line.kind === 'code';
}

interface Place {
  readonly text: string;
  readonly at: number;
  readonly line: FramedLine;
  readonly previous: FramedLine | undefined;
  readonly inside: boolean;
  readonly upper: boolean;
  readonly look: Look;
}

function rankOf(place: Place): number {
  return place.at === place.line.start ? rankBetweenLines(place) : rankWithinLine(place);
}

function rankBetweenLines({ line, previous, inside, upper, look }: Place): number {
  if (inside && (line.kind === 'close' || previous?.kind === 'open')) return EMPTY_BLOCK;
  if (look.blankBefore()) return GRAPHEME;
  if (!upper) return WORD;
  const paragraph = previous?.blank === true && !line.blank;
  if (inside) return paragraph ? CODE_PARAGRAPH : CODE_LINE;
  return paragraph ? PARAGRAPH : LINE;
}

function rankWithinLine({ text, at, line, inside, upper, look }: Place): number {
  if (!look.graphemeEnds()) return CODE_POINT;
  // The rest becomes the start of a line: it must not turn into a fence there.
  if (look.fenceBehind()) return FORCED;
  if (line.kind === 'open') return at >= line.markerEnd ? INFO_STRING : FORCED;
  const lineEnds = text[at] === '\n' && text[at - 1] !== '\r';
  if (line.kind === 'close') {
    if (at < line.markerEnd) return FORCED;
    if (!lineEnds) return GRAPHEME;
    return upper ? LINE : WORD;
  }
  // A line that starts with a marker and is no fence could become one by losing its end.
  if (line.markerEnd > line.start) return FORCED;
  if (look.blankBefore()) return GRAPHEME;
  if (lineEnds) return upper && !inside ? LINE : WORD;
  return isSpace(text[at - 1]) || isSpace(text[at]) ? WORD : GRAPHEME;
}

/** White space at which a line may be broken. */
function isSpace(unit: string | undefined): boolean {
  return (
    unit !== undefined && /[ \t\n\v\f\r\u1680\u2000-\u2006\u2008-\u200a\u2028\u2029\u205f\u3000]/.test(unit)
  );
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** A grapheme's end is known only by what follows it; this is enough of that for any rule of UAX #29. */
const LOOK_AHEAD = 16;

/** What stands around a place. It is moved from a window's end to its start. */
interface Look {
  moveTo(at: number): void;
  /** Whether the part up to here would be blank. */
  blankBefore(): boolean;
  /** Whether the rest of the line, were it a line of its own, starts with the marker of a fence. */
  fenceBehind(): boolean;
  graphemeEnds(): boolean;
}

function lookAround({ text, start, places }: Window): Look {
  const end = places.at(-1) ?? start;
  const segments = graphemes.segment(text.slice(start, end + LOOK_AHEAD));
  const firstInk = start + text.slice(start, end).search(/\S/);
  let current = end;
  let graphemeStart = Number.POSITIVE_INFINITY;
  let nextInk = end;
  while (isIndent(text[nextInk]) && nextInk < end + DEEPEST_INDENT) nextInk += 1;
  return {
    moveTo(at) {
      current = at;
      if (!isIndent(text[at])) nextInk = at;
    },
    blankBefore: () => firstInk < start || current <= firstInk,
    fenceBehind: () => text.startsWith('```', nextInk) || text.startsWith('~~~', nextInk),
    graphemeEnds() {
      // One look tells of a whole grapheme, and graphemes may be long.
      if (current < graphemeStart) graphemeStart = start + (segments.containing(current - start)?.index ?? 0);
      return current === graphemeStart;
    },
  };
}

function isIndent(unit: string | undefined): boolean {
  return unit === ' ' || unit === '\t';
}
