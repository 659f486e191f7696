import { sanitizeName } from '@postern/kit';
import type { Db } from '../sessions/records.ts';
import type { MemoryTable } from '../tables.ts';
import type { MemoryEntry, MemoryPlace } from './entry.ts';
import { fingerprintOf } from './fact.ts';

export function rowsOf(db: Db, { platformId, channelId }: MemoryPlace): Promise<MemoryTable[]> {
  return db
    .selectFrom('threads_memories')
    .selectAll()
    .where('platform_id', '=', platformId)
    .where('channel_id', '=', channelId)
    .orderBy('position')
    .execute();
}

export async function rowOf(db: Db, id: string): Promise<MemoryTable | null> {
  const row = await db
    .selectFrom('threads_memories')
    .selectAll()
    .where('memory_id', '=', id)
    .executeTakeFirst();
  return row ?? null;
}

/** @param rows All of a channel, in order. */
export function entriesOf(rows: readonly MemoryTable[]): MemoryEntry[] {
  return rows.map((row, index) => entryOf(row, index + 1));
}

export function entryOf(row: MemoryTable, index: number): MemoryEntry {
  return {
    id: row.memory_id,
    place: { platformId: row.platform_id, channelId: row.channel_id },
    index,
    position: row.position,
    source: row.source,
    author: { id: row.author_id, name: sanitizeName(row.author_name, row.author_id) },
    sessionId: row.session_id,
    text: row.text,
    createdMs: Math.floor(row.created_us / 1_000),
    editedMs: row.edited_us === null ? null : Math.floor(row.edited_us / 1_000),
  };
}

/** The row that an entry was. */
export function rowAgain(entry: MemoryEntry): MemoryTable {
  return {
    memory_id: entry.id,
    platform_id: entry.place.platformId,
    channel_id: entry.place.channelId,
    position: entry.position,
    source: entry.source,
    author_id: entry.author.id,
    author_name: entry.author.name,
    session_id: entry.sessionId,
    text: entry.text,
    fingerprint: fingerprintOf(entry.text),
    created_us: entry.createdMs * 1_000,
    edited_us: entry.editedMs === null ? null : entry.editedMs * 1_000,
  };
}
