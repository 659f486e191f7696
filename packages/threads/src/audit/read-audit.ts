import type { AuditFilter, AuditLine, AuditPage } from './audit.ts';
import { linesBackwards, openAuditFile } from './file.ts';
import { parseLine } from './line.ts';

/** So much of the file is read for one page; the next one goes on from there. */
const MOST_BYTES = 16_777_216;
const MOST_LINES = 500;

/**
 * A page of an audit file, newest first, read from its end without holding more than a part of it. What is no line
 * is passed over; a file that does not exist has none.
 */
export async function readAudit(file: string, filter: AuditFilter): Promise<AuditPage> {
  const handle = await openAuditFile(file, 'read');
  if (handle === null) return { lines: [], next: null };
  try {
    const { size } = await handle.stat();
    const end = Math.min(size, offsetOf(filter.before) ?? size);
    const limit = Math.max(1, Math.min(filter.limit, MOST_LINES));
    const matches = matcher(filter);
    const lines: AuditLine[] = [];
    for await (const { offset, bytes, isComplete } of linesBackwards(handle, end)) {
      // It is being written just now, or a crash has left it.
      if (!isComplete) continue;
      const text = bytes.toString('utf8');
      const line = parseLine(text);
      if (line !== null && matches(line, text)) lines.push(line);
      if (offset > 0 && (lines.length >= limit || end - offset >= MOST_BYTES)) {
        return { lines, next: String(offset) };
      }
    }
    return { lines, next: null };
  } finally {
    await handle.close();
  }
}

function offsetOf(before: string | undefined): number | null {
  return before !== undefined && /^\d{1,15}$/.test(before) ? Number(before) : null;
}

function matcher({ action, sessionId, person, text }: AuditFilter) {
  const wanted = text?.toLowerCase();
  const who = person?.toLowerCase();
  return (line: AuditLine, whole: string): boolean =>
    (action === undefined || line.action === action) &&
    (sessionId === undefined || line.session === sessionId) &&
    (who === undefined || line.actor.toLowerCase() === who || line.actor_name?.toLowerCase() === who) &&
    (wanted === undefined || whole.toLowerCase().includes(wanted));
}
