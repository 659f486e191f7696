import { finishMessages } from '../messages.ts';
import { channelRuleOf } from '../places.ts';
import { moveSession } from '../records.ts';
import type { Actor } from '../session.ts';
import type { SessionCore } from './core.ts';
import { closeOutput, takeDown } from './taking-down.ts';

/** Ends the session for good, and says so. */
export async function endNow(core: SessionCore, reason: string, actor: Actor | null): Promise<void> {
  if (core.isOver) return;
  const { ports, config, behaviour, platform, joins, slots } = core.options;
  const { store, clock } = ports;
  // On record first: whatever happens from here on, nothing brings it back.
  await store.transaction(async (tx) => {
    await finishMessages(tx, core.id, ['new', 'held', 'queued', 'given', 'taken'], 'dropped');
    await moveSession(tx, core.id, 'end', { ended_us: clock.nowMicroseconds(), end_reason: reason });
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
  const rule = channelRuleOf(platform, behaviour, core.row.channel_id, config.respondOnlyWhenMentioned);
  const next = rule?.startsUnmentioned === true ? 'Write' : 'Mention me';
  await core.say(`🏁 This session is over: ${reason}. ${next} to begin another.`);
  core.options.onEnded(core.id);
}
