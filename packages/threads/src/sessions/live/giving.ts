import type { AgentProcess } from '../../agent/agent.ts';
import type { MessageTable } from '../../tables.ts';
import { messageForAgent } from '../message-for-agent.ts';
import { keyOf, messagesIn, moveMessage } from '../messages.ts';
import { goOnMessage } from '../prompts.ts';
import { changeSession, moveSession } from '../records.ts';
import { newUuid } from '../uuid.ts';
import type { SessionCore } from './core.ts';

/** A turn has begun this long after the agent has taken its message, or will not. */
const BEGIN_MS = 10_000;
/** An agent that has not taken a message for so long, however slow it starts, will not say that it has. */
const TAKE_MS = 5 * 60_000;

/** Gives the agent a queued message. */
export async function give(core: SessionCore, message: MessageTable): Promise<void> {
  const { options, process, id } = core;
  const { store, clock, random, log } = options.ports;
  if (process === null) return;
  const uuid = message.agent_uuid ?? newUuid(random);
  const { prompt, refused } = await messageForAgent(
    { ...options, session: core.row, uploadDir: options.uploadDir(id), slashCommands: core.slash },
    message,
    uuid,
  );
  if (refused.length > 0) {
    const list = refused.map((line) => `- ${line}`).join('\n');
    await core.say(`⚠️ Not all files came through:\n${list}`, `files:${message.post_id}`);
  }
  const changes = { state: 'given', agent_uuid: uuid } as const;
  if (!(await moveMessage(store.db, keyOf(message), ['queued'], changes, message.text))) {
    // Taken back or edited by its author meanwhile.
    return core.wake();
  }
  await moveSession(store.db, id, 'proceed');
  await changeSession(store.db, id, { active_us: clock.nowMicroseconds() });
  core.setBusy();
  options.onChange(id);
  if (message.agent_uuid !== null) void tellToGoOnUnlessBegun(core, process, message.agent_uuid);
  try {
    await process.send(prompt);
  } catch (error) {
    // Its end is on the way and says the rest.
    log.debug({ err: error, session: id }, 'a message met an agent that was gone');
  }
}

/**
 * A message given for the second time may be in the agent's history already: then it is taken, and no turn comes of
 * it. The time counts from there, since an agent that is still starting has read nothing.
 */
async function tellToGoOnUnlessBegun(
  core: SessionCore,
  running: AgentProcess,
  agentUuid: string,
): Promise<void> {
  const { clock, random } = core.options.ports;
  const taken = new AbortController();
  const begun = new AbortController();
  core.awaited = { agentUuid, taken, begun };
  await clock.sleep(TAKE_MS, AbortSignal.any([taken.signal, begun.signal, core.over.signal]));
  if (taken.signal.aborted) await clock.sleep(BEGIN_MS, AbortSignal.any([begun.signal, core.over.signal]));
  if (begun.signal.aborted || core.over.signal.aborted || core.process !== running) return;
  await running.send(goOnMessage(newUuid(random))).catch(() => undefined);
}

/**
 * After a process has gone in mid-turn: a message it had been given but had not taken is given again under the
 * same UUID, which the agent does not take twice; one it had taken is in its history, so it is told to go on.
 */
export async function goOnWithCutTurn(core: SessionCore, launched: AgentProcess): Promise<void> {
  const { store, random } = core.options.ports;
  const cut = await messagesIn(store.db, core.id, ['given', 'taken']);
  for (const message of cut) {
    if (message.state === 'given')
      await moveMessage(store.db, keyOf(message), ['given'], { state: 'queued' });
  }
  if (!cut.some((message) => message.state === 'taken')) return;
  core.setBusy();
  await launched.send(goOnMessage(newUuid(random)));
}
