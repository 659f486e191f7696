import { whenIdle } from '../idleness.ts';
import { messagesIn } from '../messages.ts';
import { addFacts, hasOpenQuestion } from '../records.ts';
import type { SessionCore } from './core.ts';
import { closeOutput, takeDown } from './taking-down.ts';

/** Pauses the session once nothing has happened in it for long enough. */
export function watchIdleness(core: SessionCore): void {
  const { ports, config } = core.options;
  const { clock, log } = ports;
  core.idle.abort();
  core.idle = new AbortController();
  const { signal } = core.idle;
  whenIdle({ clock, limits: config.limits, say: core.say, signal }, () =>
    core.exclusively(() => timeOut(core, signal)),
  ).catch((error: unknown) => log.error({ err: error, session: core.id }, 'a session could not be paused'));
}

async function timeOut(core: SessionCore, signal: AbortSignal): Promise<void> {
  if (signal.aborted || core.isBusy || core.isOver || core.process === null) return;
  await pause(core, 'idle', 'since nothing was said');
}

/** Pauses for the sake of another session, unless something is going on or waits here. */
export async function giveWay(core: SessionCore): Promise<boolean> {
  const { db } = core.options.ports.store;
  if (core.isBusy || core.isOwnTurn || core.isOver || core.isHeld || core.process === null) return false;
  const waiting = await messagesIn(db, core.id, ['held', 'queued', 'given', 'taken'], 1);
  if (waiting.length > 0 || (await hasOpenQuestion(db, core.id))) return false;
  await pause(core, 'room', 'to make room for another session');
  return true;
}

async function pause(core: SessionCore, why: 'idle' | 'room', inWords: string): Promise<void> {
  const { ports, platform, slots } = core.options;
  await takeDown(core);
  await closeOutput(core);
  slots.free(core.id);
  await core.pauseRow();
  await core.record('session_paused', null, { why });
  const post = await core.say(
    `⏸️ Paused, ${inWords}. ${await core.wayToSpeak()}, or react with 🔄 here, to go on.`,
  );
  if (post) {
    await addFacts(ports.store, core.id, { pausedPostId: post.postId });
    await platform.react(post, 'arrows_counterclockwise').catch(() => undefined);
  }
}
