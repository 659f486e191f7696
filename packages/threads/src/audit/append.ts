import type { FileHandle } from 'node:fs/promises';
import type { AuditLine } from './audit.ts';
import { AuditFileError, type FileLine, linesBackwards, openAuditFile } from './file.ts';
import { type ChainEnd, formatLine, GENESIS, parseLine, sha256 } from './line.ts';

/** So far back it is looked for the last line, past what crashes have left. */
const FARTHEST_BYTES = 67_108_864;

export type LineContent = Omit<AuditLine, 'seq' | 'prev' | 'hash'>;

/** What is remembered of a file after an append, so that the next one need not read it. */
export interface Remembered {
  readonly inode: number;
  readonly size: number;
  readonly end: ChainEnd;
}

/**
 * Appends lines to a file, chained to the last one there. What a crash left of a line stays where it is, with a
 * line break after it and a line of its own that tells of it. Call it under the lock of the folder.
 *
 * @param note Makes the line that tells of such bytes.
 * @throws AuditFileError, or an error of the file system; what was written may then be incomplete.
 */
export async function appendLines(
  file: string,
  contents: readonly LineContent[],
  options: {
    readonly remembered: Remembered | null;
    readonly sync: boolean;
    note(torn: { readonly bytes: number; readonly sha256: string }): LineContent;
  },
): Promise<Remembered> {
  const handle = await openAuditFile(file, 'append');
  try {
    const { size, ino } = await handle.stat();
    const known = options.remembered;
    const tail =
      known !== null && known.inode === ino && known.size === size
        ? { end: known.end, torn: null, needsBreak: false }
        : await tailOf(handle, size);
    const all = tail.torn === null ? contents : [options.note(tail.torn), ...contents];
    let { end } = tail;
    const texts: string[] = [];
    for (const content of all) {
      const line = formatLine(end, content);
      texts.push(`${line.text}\n`);
      end = line.end;
    }
    const bytes = Buffer.from((tail.needsBreak ? '\n' : '') + texts.join(''));
    await writeFully(handle, bytes);
    if (options.sync) await handle.datasync();
    return { inode: ino, size: size + bytes.length, end };
  } finally {
    await handle.close();
  }
}

interface Tail {
  readonly end: ChainEnd;
  /** Bytes behind the last line that are none. */
  readonly torn: { readonly bytes: number; readonly sha256: string } | null;
  /** Whether the file does not end with a line break. */
  readonly needsBreak: boolean;
}

async function tailOf(handle: FileHandle, size: number): Promise<Tail> {
  const behind: FileLine[] = [];
  let needsBreak = false;
  for await (const line of linesBackwards(handle, size)) {
    if (size - line.offset > FARTHEST_BYTES) throw new AuditFileError('the last line cannot be found');
    const found = parseLine(line.bytes.toString('utf8'));
    if (found !== null) {
      // Whole but for its line break: a crash can come that close.
      if (!line.isComplete) needsBreak = true;
      return { end: { seq: found.seq, hash: found.hash }, torn: tornOf(behind), needsBreak };
    }
    if (line.bytes.length === 0 && !line.isComplete) continue;
    if (!line.isComplete) needsBreak = true;
    behind.unshift(line);
  }
  const isEmpty = behind.every(({ bytes }) => bytes.length === 0);
  return { end: { seq: 0, hash: GENESIS }, torn: isEmpty ? null : tornOf(behind), needsBreak };
}

function tornOf(lines: readonly FileLine[]): Tail['torn'] {
  if (lines.length === 0) return null;
  const bytes = joinLines(lines.map((line) => line.bytes));
  return { bytes: bytes.length, sha256: sha256(bytes) };
}

/** Lines with the breaks between them, as they stand in the file. */
export function joinLines(lines: readonly Uint8Array[]): Buffer {
  return Buffer.concat(lines.flatMap((line, index) => (index === 0 ? [line] : [Buffer.from('\n'), line])));
}

async function writeFully(handle: FileHandle, bytes: Buffer): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const { bytesWritten } = await handle.write(bytes, written, bytes.length - written);
    written += bytesWritten;
  }
}
