import type { Socket } from 'node:net';
import type { Clock } from '@postern/kit';
import { SocketModeClient } from '@slack/socket-mode';
import { Agent, buildConnector } from 'undici';
import { z } from 'zod';
import { PlatformError } from '../platform.ts';
import { clientOptions, silentLogger } from './api.ts';
import { meaningOf } from './errors.ts';
import { eventPayload } from './shapes.ts';

export interface SocketOptions {
  readonly appToken: string;
  readonly apiUrl?: string | undefined;
  readonly clock: Clock;
  readonly deadlineMs: number;
  /** How long a connection may take until Slack greets. */
  readonly helloMs: number;
  /** Called with each event; false leaves it unacknowledged, so that Slack sends it again. */
  accept(payload: z.infer<typeof eventPayload>): boolean;
}

export interface SlackSocket {
  /** Resolves with the reason when the connection is over. */
  readonly closed: Promise<string>;
  close(): void;
}

/** Time for the closing handshake; a peer that is gone answers none. */
const CLOSE_GRACE_MS = 1_000;
const envelope = z.object({ type: z.string(), reason: z.string().optional() });

/**
 * One connection of Socket Mode, greeted. The SDK would connect again by itself, but gives up on some errors and
 * waits for ever for a greeting, so each connection has a client of its own.
 *
 * @throws PlatformError
 */
export async function openSocket(options: SocketOptions, signal: AbortSignal): Promise<SlackSocket> {
  const { appToken, clock, accept, helloMs } = options;
  const connector = buildConnector({ allowH2: false, timeout: options.deadlineMs });
  const sockets = new Set<Socket>();
  const dispatcher = new Agent({
    connect(connection, callback) {
      connector(connection, (error, socket) => {
        if (socket !== null) sockets.add(socket);
        if (error === null && socket !== null) callback(null, socket);
        else callback(error ?? new Error('no connection'), null);
      });
    },
  });
  const client = new SocketModeClient({
    appToken,
    autoReconnectEnabled: false,
    logger: silentLogger,
    clientOptions: clientOptions(options),
    dispatcher,
  });
  const over = Promise.withResolvers<string>();
  const done = new AbortController();
  let reason = 'the connection was lost';
  client.on('ws_message', (data: unknown) => {
    const message = typeof data === 'string' ? envelope.safeParse(parseJson(data)) : null;
    if (message?.success && message.data.type === 'disconnect') reason = message.data.reason ?? 'refresh';
  });
  client.on('slack_event', (event: { type?: unknown; body?: unknown; ack: () => Promise<void> }) => {
    const payload = event.type === 'events_api' ? eventPayload.safeParse(event.body) : null;
    // What is no event, or none that can be read, would only come again.
    if (payload?.success === true && !accept(payload.data)) return;
    // An answer that cannot be sent makes Slack send the event again, which is known by then.
    event.ack().catch(() => {});
  });
  client.on('disconnected', () => over.resolve(reason));
  const destroy = () => {
    for (const socket of sockets) socket.destroy();
    void dispatcher.destroy().catch(() => {});
    over.resolve(reason);
  };
  const close = () => {
    done.abort();
    client.disconnect().catch(() => {});
    const ended = new AbortController();
    void over.promise.then(() => ended.abort());
    void clock.sleep(CLOSE_GRACE_MS, ended.signal).then(destroy);
  };
  const late = clock.sleep(helloMs, AbortSignal.any([done.signal, signal])).then(() => {
    throw new PlatformError('unavailable', 'Slack did not greet in time');
  });
  late.catch(() => {});
  try {
    await Promise.race([client.start(), late, over.promise.then(ended)]);
  } catch (error) {
    close();
    throw error instanceof PlatformError ? error : asError(error);
  }
  done.abort();
  void over.promise.then(destroy);
  return { closed: over.promise, close };
}

function ended(reason: string): never {
  throw new PlatformError('unavailable', `Slack closed the connection before its greeting (${reason})`);
}

/** The SDK rejects with nothing when a connection ends before its greeting. */
function asError(error: unknown): PlatformError {
  if (error === undefined)
    return new PlatformError('unavailable', 'the connection ended before Slack greeted');
  const meaning = meaningOf(error, 'apps.connections.open');
  if (meaning instanceof PlatformError) return meaning;
  return new PlatformError('unavailable', `no connection: ${meaning.message}`, { cause: meaning });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
