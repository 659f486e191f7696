import type { PlatformConfig, ThreadsConfig } from '../config.ts';
import type { Platform } from '../platforms/platform.ts';
import type { ThreadsPorts } from '../ports.ts';
import type { MessageTable, SessionTable } from '../tables.ts';
import type { SessionJoins } from './joins.ts';
import { giveBackPending } from './ledgers.ts';
import type { LiveSession } from './live.ts';
import { messagesIn } from './messages.ts';
import { wayToSpeak } from './places.ts';
import { addFacts, type Db, factsOf, liveSessionsOf, moveSession } from './records.ts';
import { speaker } from './say.ts';
import { SYSTEM } from './session.ts';

const MINUTE_US = 60_000_000;

export interface RestoreOptions {
  readonly ports: ThreadsPorts;
  readonly config: ThreadsConfig;
  readonly behaviour: PlatformConfig;
  readonly platform: Platform;
  readonly joins: SessionJoins;
  readonly signal: AbortSignal;
  live(session: SessionTable): LiveSession;
  held(message: MessageTable, session: SessionTable): void;
  /** Lets work go on by itself. */
  start(what: string, work: Promise<unknown>): void;
  /** Called once nothing that is new could be taken for a session of an earlier process. */
  onLookedUp(): void;
  /** Called once all that was asked by an earlier process is closed. */
  onQuestionsClosed(): Promise<void>;
}

/** Brings back the sessions of an earlier process, each with what it had been asked and told. */
export async function restoreSessions(options: RestoreOptions): Promise<void> {
  const { ports, platform, joins, signal, held, start } = options;
  const { store, log } = ports;
  await giveBackPending(store, platform.id);
  const closed = joins.questions.closeStale(platform.id);
  start('open questions of an earlier process could not be closed', closed);
  if (signal.aborted) return;
  // Looked up before anything new is worked on, so that nothing of this process is brought back as well; and what has
  // to be told of the restart is known before a message that comes now starts an agent.
  const returns: Return[] = [];
  for (const session of await liveSessionsOf(store.db, platform.id)) {
    returns.push(await planReturn(options, session));
  }
  options.onLookedUp();
  const isClosed = closed.catch(() => undefined);
  start('routines and watches could not be begun', isClosed.then(options.onQuestionsClosed));
  for (const { session, messages, act } of returns) {
    if (signal.aborted) return;
    for (const message of messages) held(message, session);
    await bringBack(options, session, act).catch((error: unknown) =>
      log.error({ err: error, session: session.session_id }, 'a session could not be brought back'),
    );
  }
}

/** How a session comes back. */
interface Return {
  readonly session: SessionTable;
  /** Those that wait for somebody to let them in. */
  readonly messages: readonly MessageTable[];
  readonly act: 'nothing' | 'wake' | 'resume' | 'say_paused';
}

async function planReturn(options: RestoreOptions, session: SessionTable): Promise<Return> {
  const { ports, config, live } = options;
  const { store, clock } = ports;
  const messages = await messagesIn(store.db, session.session_id, ['held']);
  const waiting = await messagesIn(store.db, session.session_id, ['queued', 'given', 'taken'], 1);
  const isIdle = waiting.length === 0;
  const isPaused = session.state === 'paused';
  if (isPaused && isIdle) return { session, messages, act: 'nothing' };
  const limitUs = config.limits.sessionTimeoutMinutes * MINUTE_US;
  if (isIdle && session.active_us + limitUs < clock.nowMicroseconds()) {
    await moveSession(store.db, session.session_id, 'pause');
    return { session, messages, act: 'say_paused' };
  }
  const news = await restartNews(store.db, session, isIdle);
  if (news !== null) live(session).tellOfRestart(news);
  return { session, messages, act: isPaused ? 'wake' : 'resume' };
}

async function bringBack(options: RestoreOptions, session: SessionTable, act: Return['act']): Promise<void> {
  const { ports, platform, live } = options;
  if (act === 'wake') live(session).wake();
  if (act === 'resume') await live(session).resume(SYSTEM);
  if (act !== 'say_paused') return;
  const threadId = session.kind === 'channel' ? null : session.thread_id;
  const say = speaker({ platform, channelId: session.channel_id, threadId }, ports.log);
  const post = await say(
    `⏸️ Paused while Postern was away, since nothing was said. ${wayToSpeak(options, session)}, or react with 🔄 here, to go on.`,
  );
  if (post) await addFacts(ports.store, session.session_id, { pausedPostId: post.postId });
}

/**
 * Under which key the thread is told of the restart; null where it is not: a session that hears mentions alone is a
 * quiet one, and of restarts between which nothing has happened one is enough.
 */
async function restartNews(db: Db, session: SessionTable, isIdle: boolean): Promise<string | null> {
  if (session.mentions_only === 1) return null;
  const last = await db
    .selectFrom('threads_messages')
    .select(['post_id', 'received_us'])
    .where('session_id', '=', session.session_id)
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst();
  const { restartToldUs } = factsOf(session);
  if (isIdle && restartToldUs !== undefined && (last === undefined || last.received_us <= restartToldUs))
    return null;
  return `restart:${session.session_id}:${last?.post_id ?? ''}:${restartToldUs ?? 0}`;
}
