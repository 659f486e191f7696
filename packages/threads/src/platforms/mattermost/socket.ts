import type { Clock } from '@postern/kit';
import { WebSocket } from 'ws';
import { PlatformError } from '../platform.ts';
import { sequence } from './sequence.ts';
import { type WireFrame, wireFrame } from './wire.ts';

/** What the connection brings: an event, word that some were missed, or its end. */
export type Arrival =
  | { readonly kind: 'event'; readonly frame: WireFrame }
  | { readonly kind: 'missed' }
  | { readonly kind: 'closed'; readonly reason: string };

export interface MattermostSocket {
  /** The next arrival in order; `closed` again and again after the end. */
  next(): Promise<Arrival>;
  typing(channelId: string, threadId: string | null): void;
  close(): void;
}

export interface SocketOptions {
  readonly url: string;
  readonly token: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** A connection on which nothing came for this long is asked for a sign, and given up without one. */
  readonly heartbeatMs: number;
  /** How long it may take until the server greets. */
  readonly helloMs: number;
  /** How long an event that comes too early waits for the one before it. */
  readonly orderMs: number;
}

const LARGEST_FRAME = 16 * 1_048_576;
/** What waits to be handled; beyond it the connection is given up and the rest fetched. */
const MOST_WAITING = 10_000;
const MOST_WAITING_BYTES = 64 * 1_048_576;
const FIRST_SEQ = 1;

/** Connects and authenticates. @throws PlatformError when the server does not greet in time. */
export async function openSocket(options: SocketOptions): Promise<MattermostSocket> {
  const { url, token, clock, signal, heartbeatMs, helloMs, orderMs } = options;
  const waiting: { arrival: Arrival; bytes: number }[] = [];
  const ended = new AbortController();
  const greeted = Promise.withResolvers<void>();
  greeted.promise.catch(() => {});
  let waitingBytes = 0;
  let seq = FIRST_SEQ;
  let wake = () => {};
  let reason = 'the connection ended';
  let isAlive = true;

  const webSocket = new WebSocket(url, {
    maxPayload: LARGEST_FRAME,
    perMessageDeflate: false,
    followRedirects: false,
    handshakeTimeout: helloMs,
    headers: { 'user-agent': 'Postern' },
  });

  function push(arrival: Arrival, bytes: number): void {
    waiting.push({ arrival, bytes });
    waitingBytes += bytes;
    if (waiting.length > MOST_WAITING || waitingBytes > MOST_WAITING_BYTES) {
      end('more came than could be handled; the rest is fetched');
    }
    wake();
  }

  function end(why: string): void {
    if (ended.signal.aborted) return;
    reason = why;
    ended.abort();
    ordered.close();
    signal.removeEventListener('abort', stop);
    webSocket.terminate();
    greeted.reject(new PlatformError('unavailable', why));
    wake();
  }

  const ordered = sequence<{ frame: WireFrame; bytes: number }>({
    clock,
    waitMs: orderMs,
    emit: ({ frame, bytes }) => push({ kind: 'event', frame }, bytes),
    missing: () => push({ kind: 'missed' }, 0),
  });
  const stop = () => end('stopped');
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();

  webSocket.on('error', (error) => end(`the connection failed: ${describe(error)}`));
  webSocket.on('close', (code) => end(`the connection was closed (${code})`));
  webSocket.on('pong', () => {
    isAlive = true;
  });
  webSocket.on('ping', () => {
    isAlive = true;
  });
  webSocket.on('open', () => request('authentication_challenge', { token }));
  webSocket.on('message', (raw) => {
    if (ended.signal.aborted) return;
    isAlive = true;
    const text = raw.toString();
    const frame = parseFrame(text);
    if (frame === null) return;
    if (frame.event === '') {
      if (frame.seq_reply === FIRST_SEQ && frame.status === 'OK') greeted.resolve();
      else if (frame.seq_reply === FIRST_SEQ) end('the server did not accept the token');
      return;
    }
    if (frame.event === 'hello') greeted.resolve();
    ordered.push(frame.seq ?? null, { frame, bytes: text.length });
  });

  function request(action: string, data: object): void {
    if (webSocket.readyState !== WebSocket.OPEN) return;
    webSocket.send(JSON.stringify({ seq, action, data }));
    seq += 1;
  }

  async function watch(): Promise<void> {
    while (!ended.signal.aborted) {
      await clock.sleep(heartbeatMs, ended.signal);
      if (ended.signal.aborted) return;
      if (!isAlive) return end('the connection fell silent');
      isAlive = false;
      if (webSocket.readyState === WebSocket.OPEN) webSocket.ping();
    }
  }

  const inTime = new AbortController();
  void clock.sleep(helloMs, AbortSignal.any([inTime.signal, ended.signal])).then(() => {
    if (!inTime.signal.aborted) end(`the server did not greet within ${helloMs} ms`);
  });
  try {
    await greeted.promise;
  } finally {
    inTime.abort();
  }
  void watch();

  return {
    async next() {
      for (;;) {
        const first = waiting.shift();
        if (first !== undefined) {
          waitingBytes -= first.bytes;
          return first.arrival;
        }
        if (ended.signal.aborted) return { kind: 'closed', reason };
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    typing: (channelId, threadId) =>
      request('user_typing', { channel_id: channelId, parent_id: threadId ?? '' }),
    close: () => end('stopped'),
  };
}

function parseFrame(text: string): WireFrame | null {
  try {
    return wireFrame.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

function describe(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message.slice(0, 200);
}
