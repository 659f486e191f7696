import { createHash } from 'node:crypto';
import type { AgentEnd, AgentEvent, AgentProcess } from '../agent/agent.ts';
import type { PlatformConfig, ThreadsConfig } from '../config.ts';
import type { Platform, PostRef } from '../platforms/platform.ts';
import type { ThreadsPorts } from '../ports.ts';
import type { MessageTable, SessionTable } from '../tables.ts';
import { coolAccount } from './accounts.ts';
import { endInWords, errorBlock } from './agent-end.ts';
import { featuresOf } from './features.ts';
import { whenIdle } from './idleness.ts';
import type { Say, SessionJoins, SessionOutput } from './joins.ts';
import { accountOf, isFolder } from './launch-facts.ts';
import { messageForAgent } from './message-for-agent.ts';
import { finishMessages, keyOf, messagesIn, moveMessage } from './messages.ts';
import type { People } from './people.ts';
import { channelRuleOf } from './places.ts';
import { goOnMessage } from './prompts.ts';
import { addFacts, changeSession, factsOf, hasOpenQuestion, moveSession, sessionById } from './records.ts';
import { speaker } from './say.ts';
import type { Actor } from './session.ts';
import type { Slots } from './slots.ts';
import { showTyping } from './typing.ts';
import { newUuid } from './uuid.ts';

/** So often in a row an agent may end before it has finished a turn; then its session is over. */
export const MOST_FAILURES = 3;
const RETRY_MS = 1_000;
/** With growing pauses between them, a minute and a half. */
const ATTEMPTS = 14;
/** How long what is still to be posted may take when a process ends, and when this one does. */
const CLOSE_MS = 30_000;
const HALT_MS = 2_000;
/** A turn has begun this long after its message, or will not. */
const BEGIN_MS = 10_000;

const END_OF_TURN = { success: 'succeeded', interrupted: 'stopped', failed: 'failed' } as const;

export interface LiveOptions {
  readonly ports: ThreadsPorts;
  readonly config: ThreadsConfig;
  readonly behaviour: PlatformConfig;
  readonly platform: Platform;
  /** The same for the output, whose own posts are no news to it. */
  readonly quietPlatform: Platform;
  readonly joins: SessionJoins;
  readonly people: People;
  readonly slots: Slots;
  systemPrompt(row: SessionTable): Promise<string>;
  autoMemoryDir(row: SessionTable): Promise<string | null>;
  /** Told what the agent itself says. */
  onText(sessionId: string, text: string): void;
  uploadDir(sessionId: string): string;
  /** Told when the session is over or its state has moved. */
  onChange(sessionId: string): void;
  onEnded(sessionId: string): void;
  /** Told when an unattended session is through with its task, or will not be; it may be told again. */
  onUnattendedEnd(sessionId: string, outcome: 'succeeded' | 'failed' | 'stopped'): Promise<void>;
}

/** A session that has not ended, with its process when it has one. What is done to it is done one at a time. */
export interface LiveSession {
  readonly id: string;
  /** As it began: what changes is not kept up to date here. */
  readonly row: Readonly<SessionTable>;
  /** Something may have to be done: a message waits, a turn was cut off. */
  wake(): void;
  /** Starts the agent though nothing waits; false when it could not be (the thread says why). */
  resume(actor: Actor): Promise<boolean>;
  /** Gives the agent nothing before this has settled. */
  holdUntil(work: Promise<void>): void;
  /** Stops the turn. False: none was running. */
  interrupt(actor: Actor): Promise<boolean>;
  /** Takes the process down, does `change` and, if there was one, starts it again. */
  relaunch(change: () => Promise<void>): Promise<void>;
  end(reason: string, actor: Actor): Promise<void>;
  /** Takes the process down and keeps everything for the next start. */
  halt(): Promise<void>;
  slashCommands(): readonly string[];
  /** Resolves when all that the agent has said is posted. */
  settle(): Promise<void>;
  /** Somebody else than the agent has posted in its thread. */
  outrun(): void;
  /** Whether there is something of the agent's that reactions may mean something to. */
  hasOutput(): boolean;
  /** A reaction of somebody in the session; whether it meant something to what the agent has posted. */
  react(ref: PostRef, emoji: string): Promise<boolean>;
}

export function liveSession(options: LiveOptions, row: SessionTable): LiveSession {
  const { ports, config, platform, joins, slots } = options;
  const { store, clock, log, agent, audit } = ports;
  const id = row.session_id;
  const threadId = row.kind === 'channel' ? null : row.thread_id;
  const place = { platform, channelId: row.channel_id, threadId };
  const say: Say = speaker(place, log);

  let process: AgentProcess | null = null;
  /** Counts processes, so that what a replaced one still says or does is not taken for the present one's. */
  let generation = 0;
  let isBusy = false;
  /** Whether the agent is in a turn it began by itself, as when something in its background is done. */
  let isOwnTurn = false;
  /** Aborted when a turn begins. */
  let awaited = new AbortController();
  let isOver = false;
  /** While a process is taken down; what it still says is posted all the same. */
  let isTakingDown = false;
  let output: SessionOutput | null = null;
  let slash: readonly string[] = [];
  let idle = new AbortController();
  let typing = new AbortController();
  let isWakePending = false;
  let isHeld = false;
  let isBridgeMissed = false;
  /** Whether the thread knows that it has to wait for a place. */
  let isTold = false;
  let work: Promise<unknown> = Promise.resolve();
  const over = new AbortController();

  function exclusively<T>(task: () => Promise<T>): Promise<T> {
    const next = work.then(task, task);
    work = next.catch(() => undefined);
    return next;
  }

  function wake(): void {
    if (isWakePending || isOver) return;
    isWakePending = true;
    void exclusively(() => {
      isWakePending = false;
      return pump();
    }).catch(async (error: unknown) => {
      log.error({ err: error, session: id }, 'a session could not go on; trying again');
      await clock.sleep(RETRY_MS, over.signal);
      wake();
    });
  }

  const record = (action: Parameters<typeof audit.record>[1]['action'], actor: Actor | null, details = {}) =>
    audit.record(platform.id, {
      action,
      sessionId: id,
      channelId: row.channel_id,
      threadId,
      actor: actor?.id ?? 'system',
      ...(actor === null ? {} : { actorName: actor.name }),
      details,
    });

  async function pump(): Promise<void> {
    if (isOver || isBusy || isHeld) return;
    const session = await sessionById(store.db, id);
    if (!session || session.state === 'ended') return;
    const waiting = await messagesIn(store.db, id, ['queued', 'given', 'taken'], 1);
    if (waiting.length === 0) {
      if (process !== null) slots.offer(id, () => exclusively(giveWay));
      return;
    }
    if (process === null) {
      if (!(await launch(session, true))) return;
      if (session.state === 'paused') await record('session_resumed', null);
    }
    // A launch may have found a turn to go on with.
    if (isBusy) return;
    const [next] = await messagesIn(store.db, id, ['queued'], 1);
    if (next) await give(next);
  }

  /** @param isWanted Somebody waits for it, so that another session, an idle one, may be paused for it. */
  async function launch(session: SessionTable, isWanted: boolean): Promise<boolean> {
    if (!(isWanted ? await slots.takeOrMakeRoom(id) : slots.take(id))) {
      slots.whenFree(id, wake);
      await pauseRow();
      if (!isTold)
        await say(
          `⏳ All ${slots.limit} places for sessions are taken. Your message is kept; this session goes on when one is free.`,
        );
      isTold = true;
      return false;
    }
    isTold = false;
    if (!(await isFolder(session.working_dir))) {
      await endNow(`its folder ${session.working_dir} does not exist; it has to be made first`, null);
      return false;
    }
    // With another login the agent does not know the session, and somebody else would pay for it.
    if (session.account_id !== null && accountOf(config, session.account_id) === null) {
      await endNow(`its account ${session.account_id} is not configured any more`, null);
      return false;
    }
    await moveSession(store.db, id, 'relaunch');
    generation += 1;
    const mine = generation;
    output ??= joins.openOutput({
      ...place,
      platform: options.quietPlatform,
      sessionId: id,
      workingDir: session.working_dir,
    });
    try {
      process = await agent.launch({
        agentSessionId: session.agent_session_id,
        resume: session.has_begun === 1,
        workingDir: session.working_dir,
        permissionMode: session.permission_mode,
        systemPrompt: await options.systemPrompt(session),
        autoMemoryDir: await options.autoMemoryDir(session),
        bridge: joins.bridge.register(id),
        features: featuresOf(options.behaviour, session),
        deniedPaths: ports.deniedPaths,
        account: accountOf(config, session.account_id),
        onEvent: (event) => (mine === generation ? onEvent(event) : Promise.resolve()),
      });
    } catch (error) {
      log.warn({ err: error, session: id }, 'an agent could not be started');
      joins.bridge.revoke(id);
      await failed('⚠️ The agent could not be started. Write again to try once more.');
      return false;
    }
    const launched = process;
    void launched.ended.then((end) =>
      exclusively(async () => {
        // Whoever takes a process down sees to the rest.
        if (process === launched) await onEnd(end);
      }).catch((error: unknown) =>
        log.error({ err: error, session: id }, 'the end of an agent was not handled'),
      ),
    );
    await moveSession(store.db, id, 'ready', { active_us: clock.nowMicroseconds() });
    options.onChange(id);
    await goOnWithCutTurn(launched);
    if (!isBusy) watchIdleness();
    return true;
  }

  /**
   * After a process has gone in mid-turn: a message it had been given but had not taken is given again under the
   * same UUID, which the agent does not take twice; one it had taken is in its history, so it is told to go on.
   */
  async function goOnWithCutTurn(launched: AgentProcess): Promise<void> {
    const cut = await messagesIn(store.db, id, ['given', 'taken']);
    for (const message of cut) {
      if (message.state === 'given')
        await moveMessage(store.db, keyOf(message), ['given'], { state: 'queued' });
    }
    if (!cut.some((message) => message.state === 'taken')) return;
    setBusy();
    await launched.send(goOnMessage(newUuid(ports.random)));
  }

  async function give(message: MessageTable): Promise<void> {
    if (process === null) return;
    const uuid = message.agent_uuid ?? newUuid(ports.random);
    const { prompt, refused } = await messageForAgent(
      { ...options, session: row, uploadDir: options.uploadDir(id), slashCommands: slash },
      message,
      uuid,
    );
    if (refused.length > 0) {
      const list = refused.map((line) => `- ${line}`).join('\n');
      await say(`⚠️ Not all files came through:\n${list}`, `files:${message.post_id}`);
    }
    if (!(await moveMessage(store.db, keyOf(message), ['queued'], { state: 'given', agent_uuid: uuid }))) {
      // Taken back by its author meanwhile.
      return wake();
    }
    await moveSession(store.db, id, 'proceed');
    await changeSession(store.db, id, { active_us: clock.nowMicroseconds() });
    setBusy();
    options.onChange(id);
    if (message.agent_uuid !== null) void tellToGoOnUnlessBegun(process);
    try {
      await process.send(prompt);
    } catch (error) {
      // Its end is on the way and says the rest.
      log.debug({ err: error, session: id }, 'a message met an agent that was gone');
    }
  }

  /** A message given for the second time may be in the agent's history already: then no turn comes of it. */
  async function tellToGoOnUnlessBegun(running: AgentProcess): Promise<void> {
    awaited = new AbortController();
    const { signal } = awaited;
    await clock.sleep(BEGIN_MS, signal);
    if (signal.aborted || process !== running) return;
    await running.send(goOnMessage(newUuid(ports.random))).catch(() => undefined);
  }

  function setBusy(): void {
    isBusy = true;
    slots.keep(id);
    idle.abort();
    typing.abort();
    typing = new AbortController();
    void showTyping(place, clock, typing.signal);
  }

  function setIdle(): void {
    isBusy = false;
    awaited.abort();
    typing.abort();
  }

  async function onEvent(event: AgentEvent): Promise<void> {
    if (event.type === 'ready') {
      slash = event.slashCommands;
      isOwnTurn = !isBusy;
      awaited.abort();
      if (event.bridge === 'failed') void exclusively(withoutBridge);
    }
    if (event.type === 'taken') await onTaken(event.uuid);
    if (event.type === 'session_changed')
      await changeSession(store.db, id, { agent_session_id: event.agentSessionId });
    if (event.type === 'tool_use') await recordToolUse(event);
    if (event.type === 'text' && event.parentToolUseId === null) options.onText(id, event.text);
    if (event.type === 'rate_limited' && event.state === 'rejected' && row.account_id !== null) {
      const accountId = row.account_id;
      await persistently(() => coolAccount(ports, accountId, event.resetsAtMs));
    }
    // Who ends a process on purpose has not interrupted anybody.
    const isCutOff = isTakingDown && event.type === 'turn_finished' && event.outcome !== 'success';
    if (!isCutOff) await output?.handle(event);
    if (event.type === 'turn_finished') await onTurnFinished(event);
  }

  async function onTaken(uuid: string): Promise<void> {
    await persistently(async () => {
      const given = await messagesIn(store.db, id, ['given']);
      const message = given.find((each) => each.agent_uuid === uuid);
      if (message) await moveMessage(store.db, keyOf(message), ['given'], { state: 'taken' });
      await changeSession(store.db, id, { has_begun: 1 });
    });
  }

  /** What the agent will not say again has to get onto the record, though the database may be away for a while. */
  async function persistently(write: () => Promise<void>): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await write();
      } catch (error) {
        if (attempt >= ATTEMPTS || over.signal.aborted) throw error;
        log.warn({ err: error, session: id }, 'what an agent did could not be recorded; trying again');
        await clock.sleep(RETRY_MS * attempt, over.signal);
      }
    }
  }

  async function recordToolUse(event: Extract<AgentEvent, { type: 'tool_use' }>): Promise<void> {
    const inputHash = createHash('sha256').update(JSON.stringify(event.input)).digest('hex');
    await audit.record(platform.id, {
      action: 'tool_use',
      sessionId: id,
      channelId: row.channel_id,
      threadId,
      actor: 'agent',
      tool: event.name,
      details: { toolUseId: event.id, inputHash, isSubagent: event.parentToolUseId !== null },
    });
  }

  async function onTurnFinished(event: Extract<AgentEvent, { type: 'turn_finished' }>): Promise<void> {
    if (isTakingDown && event.outcome !== 'success') return;
    const wasOwnTurn = isOwnTurn;
    isOwnTurn = false;
    await persistently(() =>
      store.transaction(async (tx) => {
        // A message that came during a turn of the agent's own has its turn yet to come, unless that one took it.
        await finishMessages(tx, id, wasOwnTurn ? ['taken'] : ['given', 'taken'], 'answered');
        const session = await sessionById(tx, id);
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
    await unattendedEnd(END_OF_TURN[event.outcome]);
    options.onChange(id);
    if (isTakingDown || (await messagesIn(store.db, id, ['given'], 1)).length > 0) return;
    setIdle();
    watchIdleness();
    wake();
  }

  /** An unattended session has one task, and nobody who writes again to have it tried once more. */
  async function unattendedEnd(outcome: 'succeeded' | 'failed' | 'stopped'): Promise<void> {
    if (row.is_unattended === 1) await options.onUnattendedEnd(id, outcome);
  }

  /** Nothing could be approved, and the agent would end without a word at the first need. */
  async function withoutBridge(): Promise<void> {
    if (process === null) return;
    const session = await sessionById(store.db, id);
    if (session?.permission_mode === 'bypass') {
      if (isBridgeMissed) return;
      isBridgeMissed = true;
      await say('⚠️ The chat tools are not available in this session: their server did not start.');
      return;
    }
    await takeDown();
    await failed(
      '⚠️ The server of the chat tools did not start, so nothing could be approved. Write again to try once more.',
    );
  }

  async function onEnd(end: AgentEnd): Promise<void> {
    process = null;
    setIdle();
    idle.abort();
    joins.bridge.revoke(id);
    await closeOutput();
    const inFlight = await messagesIn(store.db, id, ['given', 'taken']);
    isOwnTurn = false;
    if (end.isUnknownSession) return beginAnew(inFlight);
    if (end.isKnownSession) {
      // It had begun before an earlier process could put that on record.
      await changeSession(store.db, id, { has_begun: 1 });
      for (const message of inFlight)
        await moveMessage(store.db, keyOf(message), ['given'], { state: 'queued' });
      slots.free(id);
      await pauseRow();
      return wake();
    }
    const wasTaken = inFlight.some((message) => message.state === 'taken');
    if (inFlight.length === 0 && !end.isMidTurn) {
      // It went in good order between two turns; the next message starts it again.
      slots.free(id);
      await pauseRow();
      return wake();
    }
    if (!wasTaken && inFlight.length > 0) {
      for (const message of inFlight)
        await moveMessage(store.db, keyOf(message), ['given'], { state: 'queued' });
      const isStartable = end.reason !== 'not_started';
      const isAlive = await failed(
        isStartable
          ? `⚠️ The agent ended before it took the message (${endInWords(end)}).${errorBlock(end)}`
          : `⚠️ The agent could not be started. Write again to try once more.${errorBlock(end)}`,
      );
      if (isAlive && isStartable) wake();
      return;
    }
    await finishMessages(store.db, id, ['given', 'taken'], 'failed');
    const isAlive = await failed(
      `⚠️ The agent ended without a result (${endInWords(end)}). Write again to go on.${errorBlock(end)}`,
    );
    if (isAlive) wake();
  }

  async function beginAnew(inFlight: readonly MessageTable[]): Promise<void> {
    await changeSession(store.db, id, { has_begun: 0, agent_session_id: newUuid(ports.random) });
    for (const message of inFlight)
      await moveMessage(store.db, keyOf(message), ['given', 'taken'], { state: 'queued' });
    const isAlive = await failed(
      '⚠️ The agent no longer knows this session, so it begins a new one here, without what was said before.',
    );
    if (isAlive) wake();
  }

  /** Counts a failure and says it; at the last one the session is over. Whether it goes on. */
  async function failed(notice: string): Promise<boolean> {
    setIdle();
    const session = await sessionById(store.db, id);
    const failures = (session?.resume_failures ?? 0) + 1;
    await changeSession(store.db, id, { resume_failures: failures });
    await record('session_failed', null, { failures });
    await unattendedEnd('failed');
    await say(notice);
    if (failures >= MOST_FAILURES) {
      await endNow(`its agent failed ${MOST_FAILURES} times in a row`, null);
      return false;
    }
    slots.free(id);
    await pauseRow();
    return true;
  }

  async function pauseRow(): Promise<void> {
    await moveSession(store.db, id, 'pause');
    options.onChange(id);
  }

  function watchIdleness(): void {
    idle.abort();
    idle = new AbortController();
    const { signal } = idle;
    whenIdle({ clock, limits: config.limits, say, signal }, () => exclusively(() => timeOut(signal))).catch(
      (error: unknown) => log.error({ err: error, session: id }, 'a session could not be paused'),
    );
  }

  async function timeOut(signal: AbortSignal): Promise<void> {
    if (signal.aborted || isBusy || isOver || process === null) return;
    await pause('idle', 'since nothing was said');
  }

  /** Pauses for the sake of another session, unless something is going on or waits here. */
  async function giveWay(): Promise<boolean> {
    if (isBusy || isOwnTurn || isOver || isHeld || process === null) return false;
    const waiting = await messagesIn(store.db, id, ['held', 'queued', 'given', 'taken'], 1);
    if (waiting.length > 0 || (await hasOpenQuestion(store.db, id))) return false;
    await pause('room', 'to make room for another session');
    return true;
  }

  async function pause(why: 'idle' | 'room', inWords: string): Promise<void> {
    await takeDown();
    await closeOutput();
    slots.free(id);
    await pauseRow();
    await record('session_paused', null, { why });
    const post = await say(`⏸️ Paused, ${inWords}. Write, or react with 🔄 here, to go on.`);
    if (post) {
      await addFacts(store.db, id, { pausedPostId: post.postId });
      await platform.react(post, 'arrows_counterclockwise').catch(() => undefined);
    }
  }

  /** Ends the process on purpose. A turn that it finishes meanwhile counts; one that is cut off is gone on with later. */
  async function takeDown(): Promise<void> {
    const running = process;
    process = null;
    slots.keep(id);
    idle.abort();
    isTakingDown = true;
    try {
      await running?.stop();
    } finally {
      isTakingDown = false;
      generation += 1;
      joins.bridge.revoke(id);
      setIdle();
      idle.abort();
    }
  }

  /** @param limitMs So long it may go on posting. */
  async function closeOutput(limitMs = CLOSE_MS): Promise<void> {
    const closing = output;
    output = null;
    if (closing === null) return;
    const late = new AbortController();
    const isClosed = new AbortController();
    void clock.sleep(limitMs, isClosed.signal).then(() => late.abort());
    await closing.close(late.signal);
    isClosed.abort();
  }

  async function endNow(reason: string, actor: Actor | null): Promise<void> {
    if (isOver) return;
    // On record first: whatever happens from here on, nothing brings it back.
    await store.transaction(async (tx) => {
      await finishMessages(tx, id, ['new', 'held', 'queued', 'given', 'taken'], 'dropped');
      await moveSession(tx, id, 'end', { ended_us: clock.nowMicroseconds(), end_reason: reason });
    });
    isOver = true;
    over.abort();
    slots.forget(id);
    await takeDown();
    await closeOutput();
    slots.free(id);
    await joins.questions.withdrawOf(id, 'session_ended');
    await record('session_ended', actor, { reason });
    await unattendedEnd(actor === null ? 'failed' : 'stopped');
    const rule = channelRuleOf(platform, options.behaviour, row.channel_id, config.respondOnlyWhenMentioned);
    const next = rule?.startsUnmentioned === true ? 'Write' : 'Mention me';
    await say(`🏁 This session is over: ${reason}. ${next} to begin another.`);
    options.onEnded(id);
  }

  return {
    id,
    row,
    wake,
    resume: (actor) =>
      exclusively(async () => {
        if (process !== null) return true;
        const session = await sessionById(store.db, id);
        if (isOver || !session || !(await launch(session, actor.id !== 'system'))) return false;
        await record('session_resumed', actor);
        wake();
        return true;
      }),
    holdUntil(held) {
      isHeld = true;
      void held
        .catch((error: unknown) => log.error({ err: error, session: id }, 'what a session waited for failed'))
        .then(() => {
          isHeld = false;
          wake();
        });
    },
    async interrupt(actor) {
      const running = process;
      if (running === null || !isBusy) return false;
      await record('session_interrupted', actor);
      return running.interrupt();
    },
    relaunch: (change) =>
      exclusively(async () => {
        const wasRunning = process !== null;
        await takeDown();
        await change();
        if (!wasRunning) return;
        const session = await sessionById(store.db, id);
        if (session && (await launch(session, true))) wake();
      }),
    end: (reason, actor) => exclusively(() => endNow(reason, actor)),
    halt: () =>
      exclusively(async () => {
        isOver = true;
        over.abort();
        slots.forget(id);
        await takeDown();
        await closeOutput(HALT_MS);
        slots.free(id);
      }),
    slashCommands: () => slash,
    settle: async () => output?.settle(),
    outrun: () => output?.outrun(),
    hasOutput: () => output !== null,
    react: async (ref, emoji) =>
      output !== null && ref.channelId === row.channel_id && (await output.react(ref, emoji)),
  };
}
