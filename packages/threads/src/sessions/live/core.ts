import type { AgentProcess } from '../../agent/agent.ts';
import type { AuditEntry } from '../../audit/audit.ts';
import type { PlatformConfig, ThreadsConfig } from '../../config.ts';
import type { Platform } from '../../platforms/platform.ts';
import type { ThreadsPorts } from '../../ports.ts';
import type { SessionTable } from '../../tables.ts';
import type { OutputPlace, Say, SessionJoins, SessionOutput } from '../joins.ts';
import type { People } from '../people.ts';
import { wayToSpeak } from '../places.ts';
import { addFacts, factsOf, moveSession, sessionById, waitsForPerson } from '../records.ts';
import { speaker } from '../say.ts';
import type { Actor } from '../session.ts';
import type { Slots } from '../slots.ts';
import { showTyping } from '../typing.ts';

const RETRY_MS = 1_000;
/** With growing pauses between them, a minute and a half. */
const ATTEMPTS = 14;

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
  systemPrompt(row: SessionTable): string;
  /** What the channel remembers, framed as data; empty where it is nothing. */
  background(row: SessionTable): Promise<string>;
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

/** A message that the agent may have had before, so that no turn may come of it. */
export interface Awaited {
  readonly agentUuid: string;
  /** Aborted when the agent has read it. */
  readonly taken: AbortController;
  /** Aborted when a turn begins. */
  readonly begun: AbortController;
}

/** What the parts of a live session share: its facts, what goes on in it, and the order of what is done to it. */
export interface SessionCore {
  readonly options: LiveOptions;
  readonly id: string;
  /** As it began: what changes is not kept up to date here. */
  readonly row: Readonly<SessionTable>;
  readonly place: OutputPlace;
  /** The first that is said after a restart tells of that too. */
  readonly say: Say;
  /** Aborted once the session is over, or no longer this process's. */
  readonly over: AbortController;

  process: AgentProcess | null;
  /** Counts processes, so that what a replaced one still says or does is not taken for the present one's. */
  generation: number;
  output: SessionOutput | null;
  isBusy: boolean;
  /** Whether the agent is in a turn it began by itself, as when something in its background is done. */
  isOwnTurn: boolean;
  /** While a process is taken down; what it still says is posted all the same. */
  isTakingDown: boolean;
  /** Whether the agent is given nothing for now. */
  isHeld: boolean;
  isOver: boolean;
  /** That this process has taken over from an earlier one, of which the thread has still to be told. */
  restartUntold: { readonly key: string } | null;
  /** The agent's own commands. */
  slash: readonly string[];
  /** Aborted when something happens that ends the idleness. */
  idle: AbortController;
  /** What is looked out for after a message was given for the second time. */
  awaited: Awaited | null;

  /** Does one thing to the session at a time. */
  exclusively<T>(task: () => Promise<T>): Promise<T>;
  /** Something may have to be done: a message waits, a turn was cut off. */
  wake(): void;
  setBusy(): void;
  setIdle(): void;
  record(
    action: AuditEntry['action'],
    actor: Actor | null,
    details?: Readonly<Record<string, unknown>>,
  ): Promise<void>;
  /** What the agent will not say again has to get onto the record, though the database may be away for a while. */
  persistently(write: () => Promise<void>): Promise<void>;
  /** What people do so that it hears them, as it stands now. */
  wayToSpeak(): Promise<'Write' | 'Mention me'>;
  /** The session has no process now. */
  pauseRow(): Promise<void>;
  /** An unattended session has one task, and nobody who writes again to have it tried once more. */
  unattendedEnd(outcome: 'succeeded' | 'failed' | 'stopped'): Promise<void>;
}

/** @param pump Looks what there is to do, and does it. */
export function sessionCore(
  options: LiveOptions,
  row: SessionTable,
  pump: (core: SessionCore) => Promise<void>,
): SessionCore {
  const { ports, platform, slots } = options;
  const { clock, log, audit } = ports;
  const id = row.session_id;
  const threadId = row.kind === 'channel' ? null : row.thread_id;
  const place = { platform, channelId: row.channel_id, threadId };
  const speak = speaker(place, log);
  let typing = new AbortController();
  let isWakePending = false;
  let work: Promise<unknown> = Promise.resolve();

  const core: SessionCore = {
    options,
    id,
    row,
    place,
    async say(markdown, key) {
      const news = core.restartUntold;
      if (news === null) return speak(markdown, key);
      core.restartUntold = null;
      const post = await speak(`🔄 Postern was restarted. ${markdown}`, news.key);
      await addFacts(ports.store, id, { restartToldUs: clock.nowMicroseconds() });
      return post;
    },
    over: new AbortController(),
    process: null,
    generation: 0,
    output: null,
    isBusy: false,
    isOwnTurn: false,
    isTakingDown: false,
    isHeld: false,
    restartUntold: null,
    isOver: false,
    // Those of an earlier process, until the agent tells them anew with its first turn.
    slash: factsOf(row).slashCommands ?? [],
    idle: new AbortController(),
    awaited: null,

    exclusively(task) {
      const next = work.then(task, task);
      work = next.catch(() => undefined);
      return next;
    },
    wake() {
      if (isWakePending || core.isOver) return;
      isWakePending = true;
      void core
        .exclusively(() => {
          isWakePending = false;
          return pump(core);
        })
        .catch(async (error: unknown) => {
          log.error({ err: error, session: id }, 'a session could not go on; trying again');
          await clock.sleep(RETRY_MS, core.over.signal);
          core.wake();
        });
    },
    setBusy() {
      core.isBusy = true;
      slots.keep(id);
      core.idle.abort();
      typing.abort();
      typing = new AbortController();
      // Shown in doubt, since it decides nothing.
      const isWaiting = () => waitsForPerson(ports.store.db, id).catch(() => false);
      void showTyping(place, clock, isWaiting, typing.signal);
    },
    setIdle() {
      core.isBusy = false;
      core.awaited?.begun.abort();
      typing.abort();
    },
    record: (action, actor, details = {}) =>
      audit.record(platform.id, {
        action,
        sessionId: id,
        channelId: row.channel_id,
        threadId,
        actor: actor?.id ?? 'system',
        ...(actor === null ? {} : { actorName: actor.name }),
        details,
      }),
    async persistently(write) {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await write();
        } catch (error) {
          if (attempt >= ATTEMPTS || core.over.signal.aborted) throw error;
          log.warn({ err: error, session: id }, 'what an agent did could not be recorded; trying again');
          await clock.sleep(RETRY_MS * attempt, core.over.signal);
        }
      }
    },
    async wayToSpeak() {
      return wayToSpeak(options, (await sessionById(ports.store.db, id)) ?? row);
    },
    async pauseRow() {
      await moveSession(ports.store.db, id, 'pause');
      options.onChange(id);
    },
    async unattendedEnd(outcome) {
      if (row.is_unattended === 1) await options.onUnattendedEnd(id, outcome);
    },
  };
  return core;
}
