import { joinLines } from './append.ts';
import { linesForwards, openAuditFile } from './file.ts';
import { GENESIS, isIntact, parseLine, sha256 } from './line.ts';

export type AuditVerdict =
  | {
      readonly ok: true;
      readonly lines: number;
      /** Numbers of the lines that are none, each told of by the line after it. */
      readonly setApart: readonly number[];
      /** Whether the file ends in the middle of a line: it is being written, or a crash has left it. */
      readonly isUnfinished: boolean;
    }
  /** `line` counts from 1; the first that is wrong. */
  | { readonly ok: false; readonly line: number; readonly problem: string };

/**
 * Checks the chain of an audit file. It finds any line that was changed, moved, put in or taken out between two
 * others; that the newest lines were cut off, no chain can tell.
 *
 * @returns null when there is no such file.
 */
export async function verifyAudit(file: string): Promise<AuditVerdict | null> {
  const handle = await openAuditFile(file, 'read');
  if (handle === null) return null;
  try {
    let end = { seq: 0, hash: GENESIS };
    let number = 0;
    let lines = 0;
    const setApart: number[] = [];
    let behind: Buffer[] = [];
    for await (const { bytes, isComplete } of linesForwards(handle)) {
      number += 1;
      const text = bytes.toString('utf8');
      const line = parseLine(text);
      if (line === null) {
        if (!isComplete) return { ok: true, lines, setApart, isUnfinished: true };
        behind.push(Buffer.from(bytes));
        continue;
      }
      if (behind.length > 0) {
        const first = number - behind.length;
        const isTold = line.action === 'torn_line' && line.details.sha256 === sha256(joinLines(behind));
        if (!isTold) return { ok: false, line: first, problem: 'it is no line of an audit log' };
        setApart.push(...behind.map((_, index) => first + index));
        behind = [];
      } else if (line.action === 'torn_line') {
        return { ok: false, line: number, problem: 'it tells of bytes that are not there' };
      }
      if (!isIntact(text, line))
        return { ok: false, line: number, problem: 'its content does not match its hash' };
      if (line.prev !== end.hash) {
        return { ok: false, line: number, problem: 'it does not follow from the line before' };
      }
      if (line.seq !== end.seq + 1) return { ok: false, line: number, problem: 'its number is out of order' };
      end = { seq: line.seq, hash: line.hash };
      lines += 1;
    }
    if (behind.length > 0) {
      return { ok: false, line: number - behind.length + 1, problem: 'it is no line of an audit log' };
    }
    return { ok: true, lines, setApart, isUnfinished: false };
  } finally {
    await handle.close();
  }
}
