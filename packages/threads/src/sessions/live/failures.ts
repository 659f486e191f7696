import type { AgentEnd } from '../../agent/agent.ts';
import type { MessageTable } from '../../tables.ts';
import { endInWords, errorBlock } from '../agent-end.ts';
import { finishMessages, keyOf, messagesIn, moveMessage } from '../messages.ts';
import { changeSession, sessionById } from '../records.ts';
import { newUuid } from '../uuid.ts';
import type { SessionCore } from './core.ts';
import { endNow } from './ending.ts';
import { showStart } from './header-state.ts';
import { closeOutput, takeDown } from './taking-down.ts';

/** So often in a row an agent may end before it has finished a turn; then its session is over. */
const MOST_FAILURES = 3;

/** Counts a failure and says it; at the last one the session is over. Whether it goes on. */
export async function failed(core: SessionCore, notice: string): Promise<boolean> {
  const { db } = core.options.ports.store;
  core.setIdle();
  const session = await sessionById(db, core.id);
  const failures = (session?.resume_failures ?? 0) + 1;
  await changeSession(db, core.id, { resume_failures: failures });
  await core.record('session_failed', null, { failures });
  await core.unattendedEnd('failed');
  await core.say(notice);
  await showStart(core, 'failed');
  if (failures >= MOST_FAILURES) {
    await endNow(core, `its agent failed ${MOST_FAILURES} times in a row`, null);
    return false;
  }
  core.options.slots.free(core.id);
  await core.pauseRow();
  return true;
}

/** Nothing could be approved, and the agent would end without a word at the first need. */
export function bridgeWatch(core: SessionCore): () => Promise<void> {
  let isSaid = false;
  return async () => {
    if (core.process === null) return;
    const session = await sessionById(core.options.ports.store.db, core.id);
    if (session?.permission_mode === 'bypass') {
      if (isSaid) return;
      isSaid = true;
      await core.say('⚠️ The chat tools are not available in this session: their server did not start.');
      return;
    }
    await takeDown(core);
    await failed(
      core,
      `⚠️ The server of the chat tools did not start, so nothing could be approved. ${await core.wayToSpeak()} again to try once more.`,
    );
  };
}

/** What becomes of the session and of what its agent had been given, once that has ended by itself. */
export async function onAgentEnd(core: SessionCore, end: AgentEnd): Promise<void> {
  const { joins, slots, ports } = core.options;
  const { db } = ports.store;
  core.process = null;
  core.setIdle();
  core.idle.abort();
  joins.bridge.revoke(core.id);
  await closeOutput(core);
  const inFlight = await messagesIn(db, core.id, ['given', 'taken']);
  core.isOwnTurn = false;
  if (end.isUnknownSession) return beginAnew(core, inFlight);
  if (end.isKnownSession) {
    // It had begun before an earlier process could put that on record.
    await changeSession(db, core.id, { has_begun: 1 });
    await giveBack(core, inFlight, ['given']);
    slots.free(core.id);
    await core.pauseRow();
    return core.wake();
  }
  const wasTaken = inFlight.some((message) => message.state === 'taken');
  if (inFlight.length === 0 && !end.isMidTurn) {
    // It went in good order between two turns; the next message starts it again.
    slots.free(core.id);
    await core.pauseRow();
    return core.wake();
  }
  if (!wasTaken && inFlight.length > 0) {
    await giveBack(core, inFlight, ['given']);
    const isStartable = end.reason !== 'not_started';
    const isAlive = await failed(
      core,
      isStartable
        ? `⚠️ The agent ended before it took the message (${endInWords(end)}).${errorBlock(end)}`
        : `⚠️ The agent could not be started. ${await core.wayToSpeak()} again to try once more.${errorBlock(end)}`,
    );
    if (isAlive && isStartable) core.wake();
    return;
  }
  await finishMessages(db, core.id, ['given', 'taken'], 'failed');
  const isAlive = await failed(
    core,
    `⚠️ The agent ended without a result (${endInWords(end)}). ${await core.wayToSpeak()} again to go on.${errorBlock(end)}`,
  );
  if (isAlive) core.wake();
}

async function beginAnew(core: SessionCore, inFlight: readonly MessageTable[]): Promise<void> {
  const { store, random } = core.options.ports;
  await changeSession(store.db, core.id, { has_begun: 0, agent_session_id: newUuid(random) });
  await giveBack(core, inFlight, ['given', 'taken']);
  const isAlive = await failed(
    core,
    '⚠️ The agent no longer knows this session, so it begins a new one here, without what was said before.',
  );
  if (isAlive) core.wake();
}

async function giveBack(
  core: SessionCore,
  messages: readonly MessageTable[],
  from: readonly MessageTable['state'][],
): Promise<void> {
  for (const message of messages)
    await moveMessage(core.options.ports.store.db, keyOf(message), from, { state: 'queued' });
}
