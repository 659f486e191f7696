/** Bytes `start` to `end`, both included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Reads a Range header of one byte range (RFC 9110, section 14.2).
 *
 * @returns the range, `whole` when there is none or one to be ignored (several ranges, another unit, bad
 *   syntax), `unsatisfiable` when it starts beyond the end.
 */
export function parseRange(header: string | undefined, size: number): ByteRange | 'whole' | 'unsatisfiable' {
  const match = header === undefined ? null : /^bytes=(\d*)-(\d*)$/i.exec(header.trim());
  if (!match) return 'whole';
  const [, first = '', last = ''] = match;
  if (first === '' && last === '') return 'whole';
  if (first === '') {
    const length = Math.min(Number(last), size);
    if (length > 0) return { start: size - length, end: size - 1 };
    // The end of nothing may be asked for, though no Content-Range could say where it lies.
    return Number(last) === 0 ? 'unsatisfiable' : 'whole';
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return 'whole';
  if (start >= size) return 'unsatisfiable';
  return { start, end: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
}
