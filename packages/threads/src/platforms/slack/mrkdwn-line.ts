/** Marks that Slack takes for formatting: bold, italic, struck through. */
export type Mark = '*' | '_' | '~';

interface Span {
  readonly mark: Mark;
}

const BREAKER = '\u200b';
const ENDS_IN_WORD = /[\p{L}\p{N}_]$/u;
const BEGINS_WITH_WORD = /^[\p{L}\p{N}_]/u;

/**
 * Writes formatted text as Slack reads it. A mark counts there only at the edge of a word and within one line, and
 * not next to a space on its inside. So marks open at the first visible character and close after the last one, are
 * closed and opened again around a line's end, and a zero-width space makes an edge inside of a word.
 */
export interface MarkedWriter {
  /** Plain text, escaped already. */
  text(escaped: string): void;
  /** Something that stands as it is, on one line: a link, a code span. */
  atom(raw: string, isMarked: boolean): void;
  /** Within it, everything written carries the mark; a mark within itself changes nothing. */
  within(mark: Mark, write: () => void): void;
  finish(): string;
}

export function markedWriter(): MarkedWriter {
  let out = '';
  let space = '';
  // Objects, since one span of italics next to another is not the same span.
  let opened: Span[] = [];
  let wanted: Span[] = [];
  let hasJustClosed = false;

  function close(keep: number): void {
    for (const { mark } of opened.slice(keep).reverse()) {
      out += mark;
      hasJustClosed = true;
    }
    opened = opened.slice(0, keep);
  }

  function put(raw: string, isMarked: boolean): void {
    const kept = opened.findIndex((span, index) => wanted[index] !== span);
    close(kept === -1 ? opened.length : kept);
    if (space !== '') hasJustClosed = false;
    out += space;
    space = '';
    const toOpen = wanted.slice(opened.length);
    if ((toOpen.length > 0 || isMarked) && ENDS_IN_WORD.test(out)) out += BREAKER;
    else if (hasJustClosed && toOpen.length === 0 && BEGINS_WITH_WORD.test(raw)) out += BREAKER;
    else if (hasJustClosed && toOpen.length > 0) out += BREAKER;
    out += toOpen.map(({ mark }) => mark).join('') + raw;
    opened = [...wanted];
    hasJustClosed = isMarked;
  }

  function endLine(): void {
    close(0);
    out += '\n';
    space = '';
    hasJustClosed = false;
  }

  return {
    text(escaped) {
      for (const part of escaped.split(/(\n|[^\S\n]+)/)) {
        if (part === '') continue;
        if (part === '\n') endLine();
        else if (part.trim() === '') space += part;
        else put(part, false);
      }
    },
    atom: put,
    within(mark, write) {
      const before = wanted;
      if (!wanted.some((span) => span.mark === mark)) wanted = [...wanted, { mark }];
      write();
      wanted = before;
    },
    finish() {
      close(0);
      return out;
    },
  };
}
