import type { Clock, NewId } from '@postern/kit';
import { type Store, serialise, type Transaction } from '@postern/store';
import type { Audit } from '../audit/audit.ts';
import type { MemoryTable, ThreadsTables } from '../tables.ts';
import {
  type Author,
  MEMORY_CHANNEL,
  type MemoryEntry,
  type MemoryPlace,
  type MemorySource,
  MOST_ENTRIES,
} from './entry.ts';
import { factOf, fingerprintOf } from './fact.ts';
import { dropNews, noteNews } from './news.ts';
import { entriesOf, entryOf, rowAgain, rowOf, rowsOf } from './rows.ts';
import { countSave, savesLeft } from './saves.ts';

/** Facts kept for a channel, whichever process writes them. Every change is in the audit log with who made it. */
export interface ChannelMemory {
  /** All of a channel, oldest first. */
  list(place: MemoryPlace): Promise<MemoryEntry[]>;
  write(place: MemoryPlace, fact: NewFact): Promise<WriteOutcome>;
  /** The thread has been told of an agent's save; until then the next process would tell it. */
  told(saved: Saved): Promise<void>;
  /** Undoes a save that could not be told: what it displaced is back. What a person has edited since stays. */
  takeBack(saved: Saved, by: Author): Promise<void>;
  /** Forgets one entry; null when it is gone already. */
  forget(id: string, by: Author): Promise<MemoryEntry | null>;
  /** Forgets everything, if there are as many entries as whoever asks has seen. How many there are. */
  forgetAll(place: MemoryPlace, seen: number, by: Author): Promise<{ done: boolean; count: number }>;
  /** Puts other words in an entry, which is then its editor's own. */
  edit(id: string, text: string, by: Author): Promise<EditOutcome>;
}

export interface NewFact {
  readonly text: string;
  readonly source: MemorySource;
  readonly author: Author;
  readonly sessionId: string | null;
  /** Entry that it takes the place of; only one that no person has written. */
  readonly replaces?: string | null;
}

/** A fact that cannot be kept as it is. */
export type BadFact = { readonly kind: 'empty' } | { readonly kind: 'too_long'; readonly length: number };

export type WriteOutcome =
  | BadFact
  | {
      readonly kind: 'saved';
      readonly entry: MemoryEntry;
      /** What had to go for it, as it was. */
      readonly displaced: readonly MemoryEntry[];
      /** Saves the session has left; null for a person's. */
      readonly savesLeft: number | null;
    }
  /** It is there already. */
  | { readonly kind: 'known'; readonly entry: MemoryEntry }
  | { readonly kind: 'no_saves_left' }
  /** The channel is full of what people wrote. */
  | { readonly kind: 'full' };

export type Saved = Extract<WriteOutcome, { kind: 'saved' }>;

export type EditOutcome =
  | BadFact
  | { readonly kind: 'edited'; readonly entry: MemoryEntry }
  | { readonly kind: 'known'; readonly entry: MemoryEntry }
  | { readonly kind: 'gone' };

export interface MemoryPorts {
  readonly store: Store<ThreadsTables>;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly audit: Audit;
}

type Act = 'saved' | 'taken_back' | 'displaced' | 'forgotten' | 'cleared' | 'edited';

export function channelMemory({ store, clock, newId, audit }: MemoryPorts): ChannelMemory {
  /** Does something while nobody else changes the channel's memory, in this process or another. */
  function exclusively<T>(
    { platformId, channelId }: MemoryPlace,
    change: (tx: Transaction<ThreadsTables>) => Promise<T>,
  ): Promise<T> {
    return store.transaction(async (tx) => {
      await serialise(tx, `threads-memory:${JSON.stringify([platformId, channelId])}`);
      return change(tx);
    });
  }

  async function recorded(act: Act, entry: MemoryEntry, by: Author, details: object = {}): Promise<void> {
    const { id, place, source, author, sessionId, text } = entry;
    store.notify(MEMORY_CHANNEL, id);
    await audit.record(place.platformId, {
      action: 'memory',
      sessionId,
      channelId: place.channelId,
      actor: by.id,
      actorName: by.name,
      details: { act, memory: id, source, author: author.id, text, ...details },
    });
  }

  function remove(tx: Transaction<ThreadsTables>, ids: readonly string[]): Promise<unknown> {
    return tx.deleteFrom('threads_memories').where('memory_id', 'in', ids).execute();
  }

  async function insertFact(
    tx: Transaction<ThreadsTables>,
    place: MemoryPlace,
    fact: NewFact,
    text: string,
  ): Promise<WriteOutcome> {
    const rows = await rowsOf(tx, place);
    const fingerprint = fingerprintOf(text);
    const same = rows.findIndex((row) => row.fingerprint === fingerprint);
    const known = rows[same];
    // What a person says anew in words of an agent becomes the person's.
    const isRaised = fact.source === 'user' && known !== undefined && known.source !== 'user';
    if (known !== undefined && !isRaised) return { kind: 'known', entry: entryOf(known, same + 1) };
    const isCounted = fact.source === 'agent' && fact.sessionId !== null;
    const left = isCounted ? await savesLeft(tx, fact.sessionId) : null;
    if (left === 0) return { kind: 'no_saves_left' };
    const displaced = displacedBy(rows, fact, isRaised ? known : undefined);
    if (displaced === null) return { kind: 'full' };
    if (displaced.length > 0) {
      await remove(
        tx,
        displaced.map(({ memory_id }) => memory_id),
      );
    }
    const row: MemoryTable = {
      memory_id: newId('mem'),
      platform_id: place.platformId,
      channel_id: place.channelId,
      position: (rows.at(-1)?.position ?? 0) + 1,
      source: fact.source,
      author_id: fact.author.id,
      author_name: fact.author.name,
      session_id: fact.sessionId,
      text,
      fingerprint,
      created_us: clock.nowMicroseconds(),
      edited_us: null,
    };
    await tx.insertInto('threads_memories').values(row).execute();
    if (isCounted) {
      await countSave(tx, fact.sessionId, 1);
      await noteNews(tx, row.memory_id);
    }
    const entries = entriesOf(rows);
    return {
      kind: 'saved',
      entry: entryOf(row, rows.length - displaced.length + 1),
      displaced: entries.filter(({ id }) => displaced.some(({ memory_id }) => memory_id === id)),
      savesLeft: left === null ? null : left - 1,
    };
  }

  return {
    list: async (place) => entriesOf(await rowsOf(store.db, place)),

    async write(place, fact) {
      const normal = factOf(fact.text);
      if (normal.kind !== 'fact') return normal;
      const outcome = await exclusively(place, (tx) => insertFact(tx, place, fact, normal.text));
      if (outcome.kind !== 'saved') return outcome;
      const by = fact.source === 'user' ? fact.author : { id: fact.source, name: fact.source };
      for (const entry of outcome.displaced) await recorded('displaced', entry, by, { by: outcome.entry.id });
      await recorded('saved', outcome.entry, by);
      return outcome;
    },

    told: ({ entry }) => dropNews(store.db, entry.id),

    async takeBack({ entry, displaced }, by) {
      const isGone = await exclusively(entry.place, async (tx) => {
        await dropNews(tx, entry.id);
        if (entry.source === 'agent' && entry.sessionId !== null) await countSave(tx, entry.sessionId, -1);
        const rows = await rowsOf(tx, entry.place);
        const own = rows.find(({ memory_id }) => memory_id === entry.id);
        // A person has made it theirs meanwhile.
        if (own !== undefined && own.source !== entry.source) return false;
        await remove(tx, [entry.id]);
        const room = MOST_ENTRIES - rows.length + (own === undefined ? 0 : 1);
        for (const gone of displaced.slice(0, Math.max(0, room))) {
          await tx
            .insertInto('threads_memories')
            .values(rowAgain(gone))
            .onConflict((conflict) => conflict.doNothing())
            .execute();
        }
        return own !== undefined;
      });
      if (isGone) await recorded('taken_back', entry, by);
    },

    async forget(id, by) {
      const found = await rowOf(store.db, id);
      if (found === null) return null;
      const place = { platformId: found.platform_id, channelId: found.channel_id };
      const entry = await exclusively(place, async (tx) => {
        const entries = entriesOf(await rowsOf(tx, place));
        await remove(tx, [id]);
        return entries.find((each) => each.id === id) ?? null;
      });
      if (entry !== null) await recorded('forgotten', entry, by);
      return entry;
    },

    async forgetAll(place, seen, by) {
      const { count, isDone } = await exclusively(place, async (tx) => {
        const rows = await rowsOf(tx, place);
        if (rows.length !== seen || seen === 0) return { count: rows.length, isDone: false };
        await tx
          .deleteFrom('threads_memories')
          .where('platform_id', '=', place.platformId)
          .where('channel_id', '=', place.channelId)
          .execute();
        return { count: rows.length, isDone: true };
      });
      if (isDone) {
        store.notify(MEMORY_CHANNEL);
        await audit.record(place.platformId, {
          action: 'memory',
          channelId: place.channelId,
          actor: by.id,
          actorName: by.name,
          details: { act: 'cleared' satisfies Act, entries: count },
        });
      }
      return { done: isDone, count };
    },

    async edit(id, text, by) {
      const normal = factOf(text);
      if (normal.kind !== 'fact') return normal;
      const found = await rowOf(store.db, id);
      if (found === null) return { kind: 'gone' };
      const place = { platformId: found.platform_id, channelId: found.channel_id };
      const outcome = await exclusively(place, async (tx) => {
        const rows = await rowsOf(tx, place);
        const at = rows.findIndex(({ memory_id }) => memory_id === id);
        const before = rows[at];
        if (before === undefined) return null;
        const fingerprint = fingerprintOf(normal.text);
        const same = rows.findIndex((row) => row.fingerprint === fingerprint && row.memory_id !== id);
        const other = rows[same];
        if (other !== undefined) return { known: entryOf(other, same + 1) };
        const changes = {
          text: normal.text,
          fingerprint,
          source: 'user' as const,
          author_id: by.id,
          author_name: by.name,
          edited_us: clock.nowMicroseconds(),
        };
        await tx.updateTable('threads_memories').set(changes).where('memory_id', '=', id).execute();
        return { before: entryOf(before, at + 1), after: entryOf({ ...before, ...changes }, at + 1) };
      });
      if (outcome === null) return { kind: 'gone' };
      if (outcome.known !== undefined) return { kind: 'known', entry: outcome.known };
      const { before, after } = outcome;
      await recorded('edited', after, by, {
        before: { source: before.source, author: before.author.id, text: before.text },
      });
      return { kind: 'edited', entry: after };
    },
  };
}

/**
 * What has to go for a fact: the one it takes the place of, and in a full channel the oldest that no person has
 * written, before the oldest of a person. Null when it may displace nothing and there is no room.
 */
function displacedBy(
  rows: readonly MemoryTable[],
  { source, replaces }: NewFact,
  raised: MemoryTable | undefined,
): MemoryTable[] | null {
  const replaced = raised ?? rows.find((row) => row.memory_id === replaces && row.source !== 'user');
  if (replaced !== undefined) return [replaced];
  if (rows.length < MOST_ENTRIES) return [];
  const victim = rows.find((row) => row.source !== 'user') ?? (source === 'user' ? rows[0] : undefined);
  return victim === undefined ? null : [victim];
}
