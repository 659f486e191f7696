import type { Clock } from '@postern/kit';

/**
 * Starts an agent program for what is unread: one at a time for each channel, a few channels at once. What the agent
 * leaves unread is tried again a few times and then left to people; nothing is marked read on its behalf. A run that fails
 * says little about the message: its model or its machine may be away, so it is tried for longer, and ever more seldom.
 */

/** A message as the runner needs it. */
export interface UnreadMessage {
  readonly id: string;
  readonly channelId: string;
}

export interface RunnerPorts {
  readonly clock: Clock;
  /** Unread messages, oldest first; waits a while for some. Rejects when the hub does not answer. */
  unread(signal: AbortSignal): Promise<readonly UnreadMessage[]>;
  /** Runs the agent program for a channel's messages, with a deadline. False when it failed. */
  run(channelId: string, messageIds: readonly string[], signal: AbortSignal): Promise<boolean>;
  tell(line: string): void;
}

export interface RunnerLimits {
  /** Channels at once. */
  readonly channels: number;
  /** Runs that work and leave a message unread. */
  readonly attempts: number;
  /** Runs that fail with a message; what else comes to its channel goes on meanwhile. */
  readonly failures: number;
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
}

export const usualLimits: RunnerLimits = {
  channels: 4,
  attempts: 3,
  // Some 25 minutes.
  failures: 30,
  firstPauseMs: 1_000,
  longestPauseMs: 60_000,
};

/** Messages that are remembered as tried; the oldest are forgotten first and would be tried as if new. */
const MOST_REMEMBERED = 10_000;

interface Tries {
  readonly left: number;
  readonly failed: number;
  /** Not tried again before. */
  readonly dueUs: number;
}

const UNTRIED: Tries = { left: 0, failed: 0, dueUs: 0 };

/** Works until the signal aborts; then waits for the agents that run. */
export async function runAgent(
  ports: RunnerPorts,
  signal: AbortSignal,
  limits: RunnerLimits = usualLimits,
): Promise<void> {
  const { clock, tell } = ports;
  const tried = new Map<string, Tries>();
  const working = new Map<string, Promise<void>>();
  let pauseMs = 0;

  function isDue({ id }: UnreadMessage): boolean {
    const { left, failed, dueUs } = tried.get(id) ?? UNTRIED;
    return left < limits.attempts && failed < limits.failures && dueUs <= clock.nowMicroseconds();
  }

  async function serve(channelId: string, ids: readonly string[]): Promise<void> {
    for (const id of ids)
      if (tried.get(id)?.left === limits.attempts - 1) tell(`${id} is tried for the last time`);
    const isDone = await ports.run(channelId, ids, signal).catch((error: unknown) => {
      tell(`the agent program could not be run: ${error instanceof Error ? error.message : error}`);
      return false;
    });
    if (signal.aborted) return;
    if (!isDone) tell(`the agent program failed on ${ids.length} of ${channelId}`);
    for (const id of ids) count(id, isDone);
  }

  /** Counts a run; of messages that were read in it this is forgotten in time. */
  function count(id: string, isDone: boolean): void {
    const before = tried.get(id) ?? UNTRIED;
    const left = before.left + (isDone ? 1 : 0);
    const failed = before.failed + (isDone ? 0 : 1);
    const waitMs = isDone ? 0 : Math.min(limits.firstPauseMs * 2 ** (failed - 1), limits.longestPauseMs);
    tried.delete(id);
    tried.set(id, { left, failed, dueUs: clock.nowMicroseconds() + waitMs * 1_000 });
    if (failed === limits.failures)
      tell(`${id} is left to people: the agent program failed on it ${failed} times`);
    const [oldest] = tried.keys();
    if (tried.size > MOST_REMEMBERED && oldest !== undefined) tried.delete(oldest);
  }

  while (!signal.aborted) {
    let messages: readonly UnreadMessage[];
    try {
      messages = await ports.unread(signal);
      pauseMs = 0;
    } catch (error) {
      if (signal.aborted) break;
      pauseMs = Math.min(Math.max(pauseMs * 2, limits.firstPauseMs), limits.longestPauseMs);
      tell(`the hub does not answer (${error instanceof Error ? error.message : error}); asking again`);
      await clock.sleep(pauseMs, signal);
      continue;
    }
    const free = Map.groupBy(
      messages.filter((message) => isDue(message) && !working.has(message.channelId)),
      ({ channelId }) => channelId,
    );
    for (const [channelId, waiting] of free) {
      if (working.size >= limits.channels) break;
      const ids = waiting.map(({ id }) => id);
      const work = serve(channelId, ids).finally(() => working.delete(channelId));
      working.set(channelId, work);
    }
    // Until an agent is done, or something new may have come for a channel that is free.
    if (working.size > 0 || free.size === 0) {
      const rest = new AbortController();
      const pause = clock.sleep(limits.firstPauseMs, AbortSignal.any([signal, rest.signal]));
      await Promise.race([pause, ...working.values()]);
      rest.abort();
    }
  }
  await Promise.all(working.values());
}
