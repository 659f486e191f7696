import type { PostRef } from '../platforms/platform.ts';
import type { SessionTable } from '../tables.ts';
import { type LiveOptions, type SessionCore, sessionCore } from './live/core.ts';
import { endNow } from './live/ending.ts';
import { give } from './live/giving.ts';
import { showChange } from './live/header-state.ts';
import { launcher } from './live/launching.ts';
import { giveWay } from './live/pausing.ts';
import { closeOutput, takeDown } from './live/taking-down.ts';
import { messagesIn } from './messages.ts';
import { sessionById } from './records.ts';
import { type Actor, SYSTEM } from './session.ts';

/** How long what is still to be posted may take when this process ends. */
const HALT_MS = 2_000;

/** A session that has not ended, with its process when it has one. What is done to it is done one at a time. */
export interface LiveSession {
  readonly id: string;
  /** As it began: what changes is not kept up to date here. */
  readonly row: Readonly<SessionTable>;
  /** Something may have to be done: a message waits, a turn was cut off. */
  wake(): void;
  /** Starts the agent though nothing waits; false when it could not be (the thread says why). */
  resume(actor: Actor): Promise<boolean>;
  /** Lets the next thing that is said in the thread begin with the news that this process has taken over. */
  tellOfRestart(key: string): void;
  /** Gives the agent nothing before this has settled. */
  holdUntil(work: Promise<void>): void;
  /** Stops the turn. False: none was running. */
  interrupt(actor: Actor): Promise<boolean>;
  /** Takes the process down, does `change` and, if there was one, starts it again. */
  relaunch(change: () => Promise<void>): Promise<void>;
  /** Its row was changed; the post at its head is to say so. */
  changed(): Promise<void>;
  /** @param next What the thread is told to do next; how to begin another session where it is missing. */
  end(reason: string, actor: Actor, next?: string): Promise<void>;
  /** Ends it when it has been paused, with nothing waiting in it, since before a moment. */
  endForgotten(beforeUs: number, reason: string): Promise<void>;
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
  const { ports, slots } = options;
  const { store, log } = ports;
  const core = sessionCore(options, row, pump);
  const launch = launcher(core);
  const { id } = core;

  async function pump({ isOver, isBusy, isHeld }: SessionCore): Promise<void> {
    if (isOver || isBusy || isHeld) return;
    const session = await sessionById(store.db, id);
    if (!session || session.state === 'ended') return;
    const waiting = await messagesIn(store.db, id, ['queued', 'given', 'taken'], 1);
    if (waiting.length === 0) {
      if (core.process === null) return;
      const isUnattended = session.is_unattended === 1;
      slots.offer(id, () => core.exclusively(() => giveWay(core)), { isUnattended });
      return;
    }
    if (core.process === null) {
      if (!(await launch(session, true))) return;
      if (session.state === 'paused') await core.record('session_resumed', null);
    }
    // A launch may have found a turn to go on with.
    if (core.isBusy) return;
    const [next] = await messagesIn(store.db, id, ['queued'], 1);
    if (next) await give(core, next);
  }

  return {
    id,
    row,
    wake: core.wake,
    resume: (actor) =>
      core.exclusively(async () => {
        if (core.process !== null) return true;
        const session = await sessionById(store.db, id);
        if (core.isOver || !session || !(await launch(session, actor.id !== 'system'))) return false;
        await core.record('session_resumed', actor);
        core.wake();
        return true;
      }),
    tellOfRestart(key) {
      core.restartUntold = { key };
    },
    holdUntil(held) {
      core.isHeld = true;
      void held
        .catch((error: unknown) => log.error({ err: error, session: id }, 'what a session waited for failed'))
        .then(() => {
          core.isHeld = false;
          core.wake();
        });
    },
    async interrupt(actor) {
      const running = core.process;
      if (running === null || !core.isBusy) return false;
      await core.record('session_interrupted', actor);
      return running.interrupt();
    },
    relaunch: (change) =>
      core.exclusively(async () => {
        const wasRunning = core.process !== null;
        await takeDown(core);
        await change();
        const session = wasRunning ? await sessionById(store.db, id) : null;
        if (session && (await launch(session, true))) core.wake();
        await showChange(core);
      }),
    changed: () => core.exclusively(() => showChange(core)),
    end: (reason, actor, next) => core.exclusively(() => endNow(core, reason, actor, next)),
    endForgotten: (beforeUs, reason) =>
      core.exclusively(async () => {
        const session = await sessionById(store.db, id);
        if (session?.state !== 'paused' || session.active_us >= beforeUs) return;
        if ((await messagesIn(store.db, id, ['queued', 'given', 'taken'], 1)).length > 0) return;
        await endNow(core, reason, SYSTEM);
      }),
    halt: () =>
      core.exclusively(async () => {
        core.isOver = true;
        core.over.abort();
        slots.forget(id);
        await takeDown(core);
        await closeOutput(core, HALT_MS);
        slots.free(id);
      }),
    slashCommands: () => core.slash,
    settle: async () => core.output?.settle(),
    outrun: () => core.output?.outrun(),
    hasOutput: () => core.output !== null,
    react: async (ref, emoji) =>
      core.output !== null && ref.channelId === row.channel_id && (await core.output.react(ref, emoji)),
  };
}
