import type { AgentEvent, AgentProcess } from '../../agent/agent.ts';
import type { SessionTable } from '../../tables.ts';
import { featuresOf } from '../features.ts';
import { accountOf, isFolder } from '../launch-facts.ts';
import { messagesIn } from '../messages.ts';
import { moveSession } from '../records.ts';
import type { SessionCore } from './core.ts';
import { endNow } from './ending.ts';
import { eventHandler } from './events.ts';
import { failed, onAgentEnd } from './failures.ts';
import { goOnWithCutTurn } from './giving.ts';
import { watchIdleness } from './pausing.ts';

/**
 * Starts the session's agent, with whatever turn was cut off; false when it could not be, of which the thread knows.
 * `isWanted`: somebody waits for it, so that another session, an idle one, may be paused for it.
 */
export type Launch = (session: SessionTable, isWanted: boolean) => Promise<boolean>;

export function launcher(core: SessionCore): Launch {
  const { options, id } = core;
  const { ports, config, joins, slots } = options;
  const { store, clock, log } = ports;
  const onEvent = eventHandler(core);
  /** Whether the thread knows that it has to wait for a place. */
  let isTold = false;

  async function hasPlace(isWanted: boolean): Promise<boolean> {
    if (isWanted ? await slots.takeOrMakeRoom(id) : slots.take(id)) {
      isTold = false;
      return true;
    }
    slots.whenFree(id, core.wake);
    await core.pauseRow();
    if (!isTold)
      await core.say(
        `⏳ All ${slots.limit} places for sessions are taken. Your message is kept; this session goes on when one is free.`,
      );
    isTold = true;
    return false;
  }

  /** Why the session cannot go on at all; null when it can. */
  async function hindrance(session: SessionTable): Promise<string | null> {
    if (!(await isFolder(session.working_dir)))
      return `its folder ${session.working_dir} does not exist; it has to be made first`;
    // With another login the agent does not know the session, and somebody else would pay for it.
    if (session.account_id !== null && accountOf(config, session.account_id) === null)
      return `its account ${session.account_id} is not configured any more`;
    return null;
  }

  async function begin(session: SessionTable, mine: number): Promise<AgentProcess> {
    return ports.agent.launch({
      agentSessionId: session.agent_session_id,
      resume: session.has_begun === 1,
      workingDir: session.working_dir,
      permissionMode: session.permission_mode,
      systemPrompt: options.systemPrompt(session),
      background: await options.background(session),
      autoMemoryDir: await options.autoMemoryDir(session),
      bridge: joins.bridge.register(id),
      features: featuresOf(options.behaviour, session),
      deniedPaths: ports.deniedPaths,
      account: accountOf(config, session.account_id),
      onEvent: (event: AgentEvent) => (mine === core.generation ? onEvent(event) : Promise.resolve()),
    });
  }

  function watchEnd(launched: AgentProcess): void {
    void launched.ended.then((end) =>
      core
        .exclusively(async () => {
          // Whoever takes a process down sees to the rest.
          if (core.process === launched) await onAgentEnd(core, end);
        })
        .catch((error: unknown) =>
          log.error({ err: error, session: id }, 'the end of an agent was not handled'),
        ),
    );
  }

  /** What becomes of what was under way, in words. */
  async function goingOn(): Promise<string> {
    const left = await messagesIn(store.db, id, ['queued', 'given', 'taken']);
    if (left.some(({ state }) => state === 'taken'))
      return 'The agent was in the middle of a turn, and is told to go on with it.';
    if (left.length === 0)
      return `This session goes on: ${(await core.wayToSpeak()).toLowerCase()} when you like.`;
    const messages = left.length === 1 ? 'The message that waited is' : 'The messages that waited are';
    return `This session goes on. ${messages} given to the agent now.`;
  }

  return async (session, isWanted) => {
    if (!(await hasPlace(isWanted))) return false;
    const why = await hindrance(session);
    if (why !== null) {
      await endNow(core, why, null);
      return false;
    }
    await moveSession(store.db, id, 'relaunch');
    core.generation += 1;
    core.output ??= joins.openOutput({
      ...core.place,
      platform: options.quietPlatform,
      sessionId: id,
      workingDir: session.working_dir,
    });
    let launched: AgentProcess;
    try {
      launched = await begin(session, core.generation);
    } catch (error) {
      log.warn({ err: error, session: id }, 'an agent could not be started');
      joins.bridge.revoke(id);
      await failed(
        core,
        `⚠️ The agent could not be started. ${await core.wayToSpeak()} again to try once more.`,
      );
      return false;
    }
    core.process = launched;
    watchEnd(launched);
    await moveSession(store.db, id, 'ready', { active_us: clock.nowMicroseconds() });
    options.onChange(id);
    // Before the agent says anything.
    if (core.restartUntold !== null) await core.say(await goingOn());
    await goOnWithCutTurn(core, launched);
    if (!core.isBusy) watchIdleness(core);
    return true;
  };
}
