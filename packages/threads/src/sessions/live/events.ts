import type { AgentEvent } from '../../agent/agent.ts';
import { inputHash } from '../../questions/input-hash.ts';
import { coolAccount } from '../accounts.ts';
import { finishMessages, keyOf, messagesIn, moveMessage } from '../messages.ts';
import { addFacts, changeSession, factsOf, moveSession, sessionForUpdate } from '../records.ts';
import type { SessionCore } from './core.ts';
import { bridgeWatch } from './failures.ts';
import { showStart } from './header-state.ts';
import { watchIdleness } from './pausing.ts';

const END_OF_TURN = { success: 'succeeded', interrupted: 'stopped', failed: 'failed' } as const;

/** Agents with many plugins have some hundred. */
const MOST_COMMANDS_KEPT = 1_000;

type Finished = Extract<AgentEvent, { type: 'turn_finished' }>;

/** Puts on record what the agent of a session says of itself, and hands it on to whoever shows it. */
export function eventHandler(core: SessionCore): (event: AgentEvent) => Promise<void> {
  const { ports, platform } = core.options;
  const { store, clock, audit } = ports;
  const { id, row } = core;
  const withoutBridge = bridgeWatch(core);

  async function onTaken(uuid: string): Promise<void> {
    await core.persistently(async () => {
      const given = await messagesIn(store.db, id, ['given']);
      const message = given.find((each) => each.agent_uuid === uuid);
      if (message) await moveMessage(store.db, keyOf(message), ['given'], { state: 'taken' });
      await changeSession(store.db, id, { has_begun: 1 });
    });
    await showStart(core, 'started');
  }

  async function keepCommands(commands: readonly string[]): Promise<void> {
    const isNews = commands.join() !== core.slash.join();
    core.slash = commands;
    const slashCommands = commands.slice(0, MOST_COMMANDS_KEPT);
    if (isNews) await core.persistently(() => addFacts(store, id, { slashCommands }));
  }

  async function recordToolUse(event: Extract<AgentEvent, { type: 'tool_use' }>): Promise<void> {
    await audit.record(platform.id, {
      action: 'tool_use',
      sessionId: id,
      channelId: row.channel_id,
      threadId: core.place.threadId,
      actor: 'agent',
      tool: event.name,
      details: {
        toolUseId: event.id,
        // By the name, and made as in the line of the decision on it.
        input_hash: inputHash(event.input),
        isSubagent: event.parentToolUseId !== null,
      },
    });
  }

  async function onTurnFinished(event: Finished): Promise<void> {
    if (core.isTakingDown && event.outcome !== 'success') return;
    const wasOwnTurn = core.isOwnTurn;
    core.isOwnTurn = false;
    await core.persistently(() =>
      store.transaction(async (tx) => {
        // A message that came during a turn of the agent's own has its turn yet to come, unless that one took it.
        await finishMessages(tx, id, wasOwnTurn ? ['taken'] : ['given', 'taken'], 'answered');
        const session = await sessionForUpdate(tx, id);
        if (!session) return;
        const facts = factsOf(session);
        await changeSession(tx, id, {
          has_begun: 1,
          resume_failures: 0,
          active_us: clock.nowMicroseconds(),
          facts_json: JSON.stringify({ ...facts, costUsd: (facts.costUsd ?? 0) + (event.costUsd ?? 0) }),
        });
        if (event.outcome === 'interrupted') await moveSession(tx, id, 'interrupt');
      }),
    );
    await core.unattendedEnd(END_OF_TURN[event.outcome]);
    core.options.onChange(id);
    if (core.isTakingDown || (await messagesIn(store.db, id, ['given'], 1)).length > 0) return;
    core.setIdle();
    watchIdleness(core);
    core.wake();
  }

  return async (event) => {
    if (event.type === 'ready') {
      await keepCommands(event.slashCommands);
      core.isOwnTurn = !core.isBusy;
      core.awaited?.begun.abort();
      if (event.bridge === 'failed') void core.exclusively(withoutBridge);
    }
    if (event.type === 'taken') {
      if (core.awaited?.agentUuid === event.uuid) core.awaited.taken.abort();
      await onTaken(event.uuid);
    }
    if (event.type === 'session_changed')
      await changeSession(store.db, id, { agent_session_id: event.agentSessionId });
    if (event.type === 'tool_use') await recordToolUse(event);
    if (event.type === 'text' && event.parentToolUseId === null) core.options.onText(id, event.text);
    if (event.type === 'rate_limited' && event.state === 'rejected' && row.account_id !== null) {
      const accountId = row.account_id;
      await core.persistently(() => coolAccount(ports, accountId, event.resetsAtMs));
    }
    // Who ends a process on purpose has not interrupted anybody.
    const isCutOff = core.isTakingDown && event.type === 'turn_finished' && event.outcome !== 'success';
    if (!isCutOff) await core.output?.handle(event);
    if (event.type === 'turn_finished') await onTurnFinished(event);
  };
}
