/**
 * Fenced code in Markdown (CommonMark 0.31, 4.5): which lines open, hold and close a block. One thing is wider
 * than there: an opening fence may be indented at will, since inside list items it is.
 */

/** Deeper than any list; what stands further in is no fence, so that nobody has to look further for one. */
export const DEEPEST_INDENT = 64;

export interface Fence {
  /** The run of backticks or tildes that opened the block. */
  readonly marker: string;
  readonly indent: string;
  /** The whole opening line, without its line end. */
  readonly opening: string;
}

export interface Line {
  readonly start: number;
  /** Behind the line feed, if there is one. */
  readonly end: number;
  /** `open` and `close` are the fence lines themselves; an unclosed block runs to the end of the text. */
  readonly kind: 'text' | 'open' | 'code' | 'close';
  /** The block the line belongs to. */
  readonly fence: Fence | null;
  /** Behind the marker on a line that starts with one, fence or not; else the line's start. */
  readonly markerEnd: number;
  readonly blank: boolean;
}

const MARKER = new RegExp(`^([ \\t]{0,${DEEPEST_INDENT}})(\`{3,}|~{3,})([^\\n]*)$`);

/** The lines of a text, in order, without gaps. */
export function scanLines(text: string): Line[] {
  const lines: Line[] = [];
  let fence: Fence | null = null;
  for (let start = 0; start < text.length; ) {
    const feed = text.indexOf('\n', start);
    const end = feed < 0 ? text.length : feed + 1;
    const content = text.slice(start, feed < 0 ? end : feed);
    const [, indent = '', marker = '', rest = ''] = MARKER.exec(content) ?? [];
    const place = {
      start,
      end,
      markerEnd: start + indent.length + marker.length,
      blank: content.trim() === '',
    };
    if (fence === null && marker !== '' && !(marker.startsWith('`') && rest.includes('`'))) {
      fence = { marker, indent, opening: content.trimEnd() };
      lines.push({ ...place, kind: 'open', fence });
    } else if (fence !== null && closes(fence, indent, marker, rest)) {
      lines.push({ ...place, kind: 'close', fence });
      fence = null;
    } else {
      lines.push({ ...place, kind: fence === null ? 'text' : 'code', fence });
    }
    start = end;
  }
  return lines;
}

function closes(fence: Fence, indent: string, marker: string, rest: string): boolean {
  return marker.startsWith(fence.marker) && rest.trim() === '' && indent.length <= fence.indent.length + 3;
}
