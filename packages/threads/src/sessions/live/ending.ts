import { finishMessages } from '../messages.ts';
import { channelRuleOf } from '../places.ts';
import { moveSession } from '../records.ts';
import type { Actor } from '../session.ts';
import type { SessionCore } from './core.ts';
import { showStart } from './header-state.ts';
import { closeOutput, takeDown } from './taking-down.ts';

/**
 * Ends the session for good, and says so.
 *
 * @param next What the thread is told to do next.
 */
export async function endNow(
  core: SessionCore,
  reason: string,
  actor: Actor | null,
  next = howToBegin(core),
): Promise<void> {
  if (core.isOver) return;
  const { ports, joins, slots } = core.options;
  const { store, clock } = ports;
  // On record first: whatever happens from here on, nothing brings it back.
  const left = await store.transaction(async (tx) => {
    const waiting = await finishMessages(tx, core.id, ['new', 'held', 'queued'], 'dropped');
    await finishMessages(tx, core.id, ['given', 'taken'], 'dropped');
    await moveSession(tx, core.id, 'end', { ended_us: clock.nowMicroseconds(), end_reason: reason });
    return waiting;
  });
  core.isOver = true;
  core.over.abort();
  slots.forget(core.id);
  await takeDown(core);
  await closeOutput(core);
  slots.free(core.id);
  await joins.questions.withdrawOf(core.id, 'session_ended');
  await core.record('session_ended', actor, { reason });
  await core.unattendedEnd(actor === null ? 'failed' : 'stopped');
  await core.say([`🏁 This session is over: ${reason}.`, ...notGiven(left), next].join(' '));
  await showStart(core, 'failed');
  core.options.onEnded(core.id);
}

function howToBegin({ options, row }: SessionCore): string {
  const { platform, behaviour, config } = options;
  const rule = channelRuleOf(platform, behaviour, row.channel_id, config.respondOnlyWhenMentioned);
  return `${rule?.startsUnmentioned === true ? 'Write' : 'Mention me'} to begin another.`;
}

/** No message goes without a word. */
function notGiven(count: number): string[] {
  if (count === 0) return [];
  return [
    `${count === 1 ? '1 message that waited was' : `${count} messages that waited were`} not given to the agent.`,
  ];
}
