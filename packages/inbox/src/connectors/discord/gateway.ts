import type { SessionInfo } from '@discordjs/ws';
import { type Clock, nowMilliseconds } from '@postern/kit';
import type { Log } from '../../ports.ts';
import type { DiscordApi } from './api.ts';
import { loadDiscord } from './library.ts';

/** Servers, messages in them and in direct channels, and what is in the messages. */
const INTENTS = 1 | 512 | 4_096 | 32_768;
/** How long a connection may take to close before it is left to itself. */
const CLOSING_MS = 2_000;

/** Codes after which trying again is no use before the operator has mended something. */
const REFUSALS: Readonly<Record<number, string>> = {
  4004: 'Discord refuses the bot token; set inbox.connectors.discord.token to the one of the Developer Portal',
  4010: 'Discord refuses the shard',
  4011: 'Discord asks for more shards',
  4012: 'Discord no longer speaks this version of its gateway; update Postern',
  4013: 'Discord does not know an intent that is asked for; update Postern',
  4014: 'The Message Content intent is off; switch it on in the Developer Portal under Bot, Privileged Gateway Intents',
};

/** Discord refuses the account, and goes on doing so. The message is for the operator. */
export class GatewayRefusal extends Error {
  override readonly name = 'GatewayRefusal';
}

export interface GatewayListener {
  /** A new session; what happened since the one before has to be read again. */
  ready(data: unknown, shard: number): void;
  /** The session goes on, with all that happened meanwhile. */
  resumed(): void;
  event(type: string, data: unknown, shard: number): void;
  /** The connection broke; another one is being made. */
  lost(): void;
}

/**
 * Keeps sessions at the gateway until the signal aborts. The library beats, resumes and connects again.
 *
 * @throws GatewayRefusal, or whatever kept the first connection from being made.
 */
export async function runGateway(
  means: { api: DiscordApi; token: string; clock: Clock; log: Log; identifyMs: number; sessionMs: number },
  listener: GatewayListener,
  signal: AbortSignal,
): Promise<void> {
  const { WebSocketManager } = await loadDiscord();
  const sessions = new Map<number, SessionInfo>();
  const over = new AbortController();
  const ended = AbortSignal.any([signal, over.signal]);
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  let waiting = new AbortController();
  const settled = () => waiting.abort();
  /** A gateway that takes a RESUME and never answers it keeps the library waiting, however well it beats. */
  const awaitSession = async () => {
    settled();
    waiting = new AbortController();
    const { signal: isThere } = waiting;
    await means.clock.sleep(means.sessionMs, AbortSignal.any([isThere, ended]));
    if (!isThere.aborted) failed.reject(new Error('the gateway gave no session'));
  };

  const manager = new WebSocketManager({
    token: means.token,
    intents: INTENTS,
    rest: means.api.rest,
    // The library connects again half a second after a connection broke, also when it was told to end meanwhile;
    // from an answer that does not come it goes no further.
    retrieveSessionInfo: (shard) =>
      ended.aborted ? new Promise<null>(() => {}) : (sessions.get(shard) ?? null),
    updateSessionInfo(shard, session) {
      if (session) sessions.set(shard, session);
      else sessions.delete(shard);
    },
    buildIdentifyThrottler: () => throttle(means.clock, means.identifyMs),
  });
  const on = <Args extends unknown[]>(work: (...args: Args) => void) => {
    return (...args: Args) => {
      if (!ended.aborted) work(...args);
    };
  };
  manager.on(
    'ready',
    on(({ data, shardId }: { data: unknown; shardId: number }) => {
      settled();
      listener.ready(data, shardId);
    }),
  );
  manager.on(
    'resumed',
    on(() => {
      settled();
      listener.resumed();
    }),
  );
  manager.on(
    'dispatch',
    on(({ data, shardId }: { data: { t: string; d: unknown }; shardId: number }) =>
      listener.event(data.t, data.d, shardId),
    ),
  );
  manager.on(
    'closed',
    on(({ code }: { code: number }) => {
      const refusal = REFUSALS[code];
      if (refusal === undefined) {
        void awaitSession();
        listener.lost();
      } else failed.reject(new GatewayRefusal(refusal));
    }),
  );
  manager.on('error', ({ error }) =>
    means.log.debug({ err: error }, "a connection to Discord's gateway failed"),
  );

  try {
    manager.connect().catch(failed.reject);
    await Promise.race([failed.promise, aborted(ended)]);
  } finally {
    over.abort();
    const closed = (async () => manager.destroy({ reason: 'stopping' }))().catch(() => {});
    const done = new AbortController();
    await Promise.race([closed, means.clock.sleep(CLOSING_MS, done.signal)]);
    done.abort();
  }
}

/** At least so long between two IDENTIFYs, whichever shard they are for. */
function throttle(clock: Clock, pauseMs: number) {
  let next = 0;
  return {
    async waitForIdentify(_shard: number, signal: AbortSignal): Promise<void> {
      const now = nowMilliseconds(clock);
      const at = Math.max(now, next);
      next = at + pauseMs;
      await clock.sleep(at - now, signal);
      signal.throwIfAborted();
    },
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
