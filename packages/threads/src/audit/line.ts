import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { AuditLine } from './audit.ts';

/** What the first line of a file is chained to. */
export const GENESIS = '0'.repeat(64);

const hash = z.string().regex(/^[0-9a-f]{64}$/);

const line = z.object({
  seq: z.int().min(1),
  time: z.string(),
  platform: z.string(),
  action: z.string(),
  session: z.string().nullable(),
  channel: z.string().nullable(),
  thread: z.string().nullable(),
  actor: z.string(),
  actor_name: z.string().nullable(),
  tool: z.string().nullable(),
  details: z.record(z.string(), z.unknown()),
  prev: hash,
  hash,
});

/** Where a chain stands: what the next line is chained to. */
export interface ChainEnd {
  readonly seq: number;
  readonly hash: string;
}

/** A line as it is written, without its line break, and where the chain stands after it. */
export function formatLine(
  end: ChainEnd,
  content: Omit<AuditLine, 'seq' | 'prev' | 'hash'>,
): { readonly text: string; readonly end: ChainEnd } {
  const seq = end.seq + 1;
  const open = JSON.stringify({ seq, ...content, prev: end.hash });
  const own = sha256(open);
  return { text: `${open.slice(0, -1)},"hash":"${own}"}`, end: { seq, hash: own } };
}

/** Null for what is no line of an audit log. Whether it is unchanged, {@link isIntact} tells. */
export function parseLine(text: string): AuditLine | null {
  try {
    const parsed = line.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

/** Whether a line has the hash it says. */
export function isIntact(text: string, { hash: said }: AuditLine): boolean {
  const ending = `,"hash":"${said}"}`;
  return text.endsWith(ending) && sha256(`${text.slice(0, -ending.length)}}`) === said;
}

export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
