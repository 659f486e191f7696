import { type Platform, PlatformError } from '../platforms/platform.ts';
import type { ThreadsPorts } from '../ports.ts';
import { type Db, sessionById } from '../sessions/records.ts';
import type { MemoryTable } from '../tables.ts';
import { typedWith } from '../typed.ts';
import { entryOf } from './rows.ts';
import { tellSave } from './tell-save.ts';

/**
 * Every save of an agent's is told in its thread. What is to be told is on record with the save itself, so that a
 * process that goes between the two leaves it to the next one.
 */

const TRIES = 100;
const TRY_AGAIN_MS = 30_000;

export async function noteNews(db: Db, memoryId: string): Promise<void> {
  await db.insertInto('threads_memory_news').values({ memory_id: memoryId }).execute();
}

/** It is told, or there is nothing to tell any more. */
export async function dropNews(db: Db, memoryId: string): Promise<void> {
  await db.deleteFrom('threads_memory_news').where('memory_id', '=', memoryId).execute();
}

export interface NewsOptions {
  readonly ports: Pick<ThreadsPorts, 'store' | 'log' | 'clock'>;
  readonly platform: Platform;
  readonly signal: AbortSignal;
}

/** Tells of the saves that an earlier process did not come to tell of. */
export async function tellLeftNews(options: NewsOptions): Promise<void> {
  const { db } = options.ports.store;
  await db
    .deleteFrom('threads_memory_news')
    .where('memory_id', 'not in', (select) => select.selectFrom('threads_memories').select('memory_id'))
    .execute();
  const left = await db
    .selectFrom('threads_memory_news')
    .innerJoin('threads_memories', 'threads_memories.memory_id', 'threads_memory_news.memory_id')
    .selectAll('threads_memories')
    .where('platform_id', '=', options.platform.id)
    .orderBy('position')
    .execute();
  for (const row of left) {
    // What a person has edited since is no agent's any more.
    if (row.source !== 'agent' || (await isTold(options, row))) await dropNews(db, row.memory_id);
  }
}

/** False when the platform does not take posts for so long that it is left to the next start. */
async function isTold({ ports, platform, signal }: NewsOptions, row: MemoryTable): Promise<boolean> {
  const { store, clock, log } = ports;
  const session = row.session_id === null ? null : await sessionById(store.db, row.session_id);
  const threadId = session?.kind === 'thread' ? session.thread_id : null;
  for (let left = TRIES; left > 0 && !signal.aborted; left -= 1) {
    try {
      const entry = entryOf(row, await indexOf(store.db, row));
      const isHeard = session !== null && session.state !== 'ended';
      const typed = typedWith(isHeard ? null : (await platform.self()).name);
      await tellSave(platform, { channelId: row.channel_id, threadId }, entry, typed);
      return true;
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      log.warn({ err: error, memory: row.memory_id }, 'a thread could not be told of a save of memory');
      if (error.code !== 'unavailable') return true;
      await clock.sleep(TRY_AGAIN_MS, signal);
    }
  }
  return false;
}

/** Its number in the channel now. */
async function indexOf(db: Db, { platform_id, channel_id, position }: MemoryTable): Promise<number> {
  const { before } = await db
    .selectFrom('threads_memories')
    .select((select) => select.fn.countAll<number>().as('before'))
    .where('platform_id', '=', platform_id)
    .where('channel_id', '=', channel_id)
    .where('position', '<', position)
    .executeTakeFirstOrThrow();
  return Number(before) + 1;
}
