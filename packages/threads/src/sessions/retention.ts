import { rm } from 'node:fs/promises';
import type { ThreadsPorts } from '../ports.ts';
import type { SessionTable } from '../tables.ts';
import { moveSession } from './records.ts';

const HOUR_MS = 3_600_000;
const DAY_US = 24 * HOUR_MS * 1_000;
/** How long messages are kept once they are done, those of paused sessions longer; posts are known again for so long. */
const MESSAGE_DAYS = 30;
/** How long files that people sent lie there after their session has ended. */
const FILE_DAYS = 7;
const PAUSED_DAYS = 30;
/** How long runs of routines and watches are kept, and looks at messages that set nothing off. */
const RUN_DAYS = 90;
const LOOK_DAYS = 7;
const ROWS_AT_ONCE = 1_000;
/** Of sessions that end in one hour, each of which is told of. */
const SESSIONS_AT_ONCE = 50;

/** What retention needs of who runs the sessions. */
export interface Keeping {
  uploadDir(sessionId: string): string;
  /** Platforms of the configuration, by their ids. */
  readonly platforms: ReadonlySet<string>;
  /** Ends a session where it runs, when that is here and it has been paused since before a moment. */
  endForgotten(session: SessionTable, beforeUs: number, reason: string): Promise<void>;
}

/** Lets go, now and every hour, of what has been kept long enough. Resolves when the signal aborts. */
export async function tidyUp(
  { store, clock, log }: Pick<ThreadsPorts, 'store' | 'clock' | 'log'>,
  { uploadDir, platforms, endForgotten }: Keeping,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await endForgottenSessions();
      await deleteOldMessages();
      await deleteOldFiles();
      await deleteOldRuns();
    } catch (error) {
      log.warn({ err: error }, 'old messages of sessions could not be let go; trying again in an hour');
    }
    await clock.sleep(HOUR_MS, signal);
  }

  /** A thread that was paused for so long is begun anew with a mention. */
  async function endForgottenSessions(): Promise<void> {
    const now = clock.nowMicroseconds();
    const beforeUs = now - PAUSED_DAYS * DAY_US;
    const reason = `it was paused for ${PAUSED_DAYS} days`;
    const forgotten = await store.db
      .selectFrom('threads_sessions')
      .selectAll()
      .where('state', '=', 'paused')
      .where('active_us', '<', beforeUs)
      .orderBy('session_id')
      .limit(SESSIONS_AT_ONCE)
      .execute();
    for (const session of forgotten) {
      if (signal.aborted) return;
      if (platforms.has(session.platform_id)) await endForgotten(session, beforeUs, reason);
      // Nobody is there to speak in its thread.
      else await moveSession(store.db, session.session_id, 'end', { ended_us: now, end_reason: reason });
    }
  }

  async function deleteOldMessages(): Promise<void> {
    const before = clock.nowMicroseconds() - MESSAGE_DAYS * DAY_US;
    const endedAfter = clock.nowMicroseconds() - DAY_US;
    let deleted = ROWS_AT_ONCE;
    while (deleted === ROWS_AT_ONCE && !signal.aborted) {
      const old = await store.db
        .selectFrom('threads_messages')
        .select(['platform_id', 'channel_id', 'post_id'])
        .where('state', '=', 'done')
        .where('received_us', '<', before)
        .where(({ or, eb, not, exists, selectFrom }) =>
          or([
            eb('session_id', 'is', null),
            not(
              exists(
                selectFrom('threads_sessions')
                  .select('threads_sessions.session_id')
                  .whereRef('threads_sessions.session_id', '=', 'threads_messages.session_id')
                  // Its end takes from them what is worth remembering.
                  .where((session) =>
                    session.or([
                      session('threads_sessions.state', '=', 'paused'),
                      session('threads_sessions.ended_us', '>', endedAfter),
                    ]),
                  ),
              ),
            ),
          ]),
        )
        .limit(ROWS_AT_ONCE)
        .execute();
      for (const { platform_id, channel_id, post_id } of old) {
        await store.db
          .deleteFrom('threads_messages')
          .where('platform_id', '=', platform_id)
          .where('channel_id', '=', channel_id)
          .where('post_id', '=', post_id)
          .execute();
      }
      deleted = old.length;
    }
  }

  async function deleteOldFiles(): Promise<void> {
    const now = clock.nowMicroseconds();
    const ended = await store.db
      .selectFrom('threads_sessions')
      .select('session_id')
      .where('state', '=', 'ended')
      .where('ended_us', '<', now - FILE_DAYS * DAY_US)
      .where('ended_us', '>', now - (FILE_DAYS + MESSAGE_DAYS) * DAY_US)
      .execute();
    for (const { session_id } of ended) await rm(uploadDir(session_id), { recursive: true, force: true });
  }

  async function deleteOldRuns(): Promise<void> {
    const now = clock.nowMicroseconds();
    await store.db
      .deleteFrom('threads_fires')
      .where('state', '=', 'done')
      .where('due_us', '<', now - LOOK_DAYS * DAY_US)
      .where((where) =>
        where.or([where('task_id', 'is', null), where('due_us', '<', now - RUN_DAYS * DAY_US)]),
      )
      .execute();
  }
}
