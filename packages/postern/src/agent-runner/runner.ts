import type { Clock } from '@postern/kit';

/**
 * Starts an agent program for what is unread: one at a time for each channel, a few channels at once. What the agent
 * leaves unread is tried again a few times and then left to people; nothing is marked read on its behalf.
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
  /** Times a message is tried. */
  readonly attempts: number;
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
}

export const usualLimits: RunnerLimits = {
  channels: 4,
  attempts: 3,
  firstPauseMs: 1_000,
  longestPauseMs: 60_000,
};

/** Messages that are remembered as given up; the oldest are forgotten first and would be tried again. */
const MOST_REMEMBERED = 10_000;

/** Works until the signal aborts; then waits for the agents that run. */
export async function runAgent(
  ports: RunnerPorts,
  signal: AbortSignal,
  limits: RunnerLimits = usualLimits,
): Promise<void> {
  const { clock, tell } = ports;
  const attempts = new Map<string, number>();
  const working = new Map<string, Promise<void>>();
  let pauseMs = 0;

  const isOpen = ({ id }: UnreadMessage) => (attempts.get(id) ?? 0) < limits.attempts;

  async function serve(channelId: string, ids: readonly string[]): Promise<void> {
    for (const id of ids) count(id);
    const isDone = await ports.run(channelId, ids, signal).catch((error: unknown) => {
      tell(`the agent program could not be run: ${error instanceof Error ? error.message : error}`);
      return false;
    });
    if (!isDone && !signal.aborted) tell(`the agent program failed on ${ids.length} of ${channelId}`);
  }

  function count(id: string): void {
    const tried = (attempts.get(id) ?? 0) + 1;
    attempts.delete(id);
    attempts.set(id, tried);
    if (tried === limits.attempts) tell(`${id} is tried for the last time`);
    const [oldest] = attempts.keys();
    if (attempts.size > MOST_REMEMBERED && oldest !== undefined) attempts.delete(oldest);
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
      messages.filter((message) => isOpen(message) && !working.has(message.channelId)),
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
