import type { Log } from '@postern/http';
import type { Clock, NewId } from '@postern/kit';
import type { Store } from '@postern/store';
import * as z from 'zod';
import type { PlatformBehaviour } from '../config.ts';
import { type Platform, PlatformError, type PostRef } from '../platforms/platform.ts';
import type { SessionTable, ThreadsTables } from '../tables.ts';
import { shownName } from './people.ts';
import { liveSessionsOf, openQuestionsOf } from './records.ts';

/** A post of the bot's in its channel that says which sessions there are; edited as they change, pinned where it can be. */

/** However much happens, it is edited no more often than this. */
const INTERVAL_MS = 10_000;
const MOST_SHOWN = 20;
const LONGEST_TITLE = 60;

export interface StatusPostOptions {
  readonly ports: {
    readonly store: Store<ThreadsTables>;
    readonly clock: Clock;
    readonly newId: NewId;
    readonly log: Log;
  };
  readonly platform: Platform;
  readonly mode: PlatformBehaviour['stickyMessage'];
}

export interface StatusPost {
  /** Something may have changed. */
  touch(): void;
  /** Keeps it up to date until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

const stored = z.object({
  /** Under which it is posted, so that a crash in between makes no second one. */
  key: z.string(),
  channelId: z.string(),
  postId: z.string().nullable(),
});
type Stored = z.output<typeof stored>;

export function statusPost({ ports, platform, mode }: StatusPostOptions): StatusPost {
  const { store, clock, log } = ports;
  const setting = `threads.status_post.${platform.id}`;
  let isStale = true;
  let changed = Promise.withResolvers<void>();
  let shown: string | null = null;

  async function read(): Promise<Stored | null> {
    const row = await store.db
      .selectFrom('settings')
      .select('value')
      .where('key', '=', setting)
      .executeTakeFirst();
    return row === undefined ? null : stored.parse(JSON.parse(row.value));
  }

  async function write(value: Stored | null): Promise<void> {
    if (value === null) {
      await store.db.deleteFrom('settings').where('key', '=', setting).execute();
      return;
    }
    const text = JSON.stringify(value);
    await store.db
      .insertInto('settings')
      .values({ key: setting, value: text })
      .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: text }))
      .execute();
  }

  async function update(): Promise<void> {
    let known = await read();
    if (known !== null && (mode === 'hidden' || known.channelId !== platform.channelId)) {
      if (known.postId !== null) await platform.delete({ channelId: known.channelId, postId: known.postId });
      await write(null);
      known = null;
    }
    if (mode === 'hidden') return;
    const sessions = await liveSessionsOf(store.db, platform.id);
    const asked = await openQuestionsOf(
      store.db,
      sessions.map(({ session_id }) => session_id),
    );
    const text = statusText(platform, sessions, mode, asked);
    if (text === shown) return;
    if (known === null || known.postId === null) await postAnew(known, text);
    else if (!(await edited({ channelId: known.channelId, postId: known.postId }, text)))
      await postAnew(null, text);
    shown = text;
  }

  /** False when it is not there any more. */
  async function edited(ref: PostRef, text: string): Promise<boolean> {
    try {
      await platform.edit(ref, text);
      return true;
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      if (error.code === 'not_found') return false;
      if (error.code !== 'refused') throw error;
      // Some servers let posts be edited for a while only.
      await platform.delete(ref);
      return false;
    }
  }

  async function postAnew(begun: Stored | null, markdown: string): Promise<void> {
    const { channelId } = platform;
    const place = begun ?? { key: ports.newId('status'), channelId, postId: null };
    await write(place);
    const ref = await platform.post({ channelId, threadId: null, markdown, key: place.key });
    await write({ ...place, postId: ref.postId });
    try {
      await platform.pin?.(ref);
    } catch (error) {
      // It is as good unpinned, only further up.
      if (!(error instanceof PlatformError)) throw error;
      log.info({ err: error, platform: platform.id }, 'the status post could not be pinned');
    }
  }

  return {
    touch() {
      isStale = true;
      changed.resolve();
    },
    async run(signal) {
      signal.addEventListener('abort', () => changed.resolve(), { once: true });
      while (!signal.aborted) {
        if (isStale) {
          isStale = false;
          try {
            await update();
          } catch (error) {
            if (signal.aborted) return;
            isStale = true;
            log.warn(
              { err: error, platform: platform.id },
              'the status post could not be brought up to date',
            );
          }
          await clock.sleep(INTERVAL_MS, signal);
          continue;
        }
        changed = Promise.withResolvers();
        if (isStale || signal.aborted) continue;
        await changed.promise;
      }
    },
  };
}

const STATES: Readonly<Record<SessionTable['state'], string>> = {
  starting: '⏳ starting',
  active: '🟢 active',
  interrupted: '✋ interrupted',
  paused: '⏸️ paused',
  ended: '🏁 over',
};

/**
 * Fits one post. Direct conversations are nobody else's business, and are left out.
 *
 * @param asked Open questions of the sessions that have any.
 */
export function statusText(
  platform: Pick<Platform, 'channelId' | 'permalink' | 'split'>,
  all: readonly SessionTable[],
  mode: 'full' | 'minimal',
  asked: ReadonlyMap<string, number>,
): string {
  const sessions = all
    .filter(({ channel_id }) => channel_id === platform.channelId)
    .toSorted((one, other) => one.created_us - other.created_us);
  if (sessions.length === 0) return '📌 No agent session here at present.';
  if (mode === 'minimal')
    return `📌 Agent sessions here: ${countsOf(sessions)}${waitingOf(sessions, asked)}.`;
  for (let most = MOST_SHOWN; ; most -= 1) {
    const lines = sessions
      .slice(0, most)
      .map((session) => lineOf(platform, session, asked.has(session.session_id)));
    const left = sessions.length - lines.length;
    const more = left === 0 ? [] : [`- … and ${left} more`];
    const text = ['📌 **Agent sessions here**', ...lines, ...more].join('\n');
    if (most === 0 || platform.split(text).length === 1) return text;
  }
}

function countsOf(sessions: readonly SessionTable[]): string {
  const byState = Map.groupBy(sessions, ({ state }) => state);
  return [...byState].map(([state, of]) => `${of.length} ${STATES[state].replace(/^\S+ /, '')}`).join(', ');
}

function waitingOf(sessions: readonly SessionTable[], asked: ReadonlyMap<string, number>): string {
  const waiting = sessions.filter(({ session_id }) => asked.has(session_id)).length;
  if (waiting === 0) return '';
  return waiting === 1 ? '; 1 waits for a decision' : `; ${waiting} wait for a decision`;
}

/** Names without `@`, since an edit is no news to anybody. */
function lineOf(platform: Pick<Platform, 'permalink'>, session: SessionTable, isWaiting: boolean): string {
  const owner = harmless(shownName({ id: session.owner_id, name: session.owner_name }));
  const title = session.title === null ? '' : ` · ${harmless(session.title)}`;
  const ref = { channelId: session.channel_id, postId: session.thread_id };
  const link = session.kind === 'thread' ? platform.permalink(ref) : null;
  const unattended = session.is_unattended === 1 ? ' · unattended' : '';
  const waiting = isWaiting ? ' · ❔ waits for a decision' : '';
  return `- ${STATES[session.state]}${waiting} · ${owner}${title}${unattended}${link === null ? '' : ` · [open](${link})`}`;
}

/** One short line without what Markdown or a platform would read as more. */
function harmless(text: string): string {
  const line = text
    .replaceAll(/[*_`~[\]()<>\\|@#]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  const characters = [...line];
  return characters.length <= LONGEST_TITLE ? line : `${characters.slice(0, LONGEST_TITLE - 1).join('')}…`;
}
