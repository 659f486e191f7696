import { type WebSocket, WebSocketServer } from 'ws';
import type { World } from './world.ts';

interface Envelope {
  readonly id: string;
  readonly payload: Record<string, unknown>;
  attempt: number;
  reason: string;
  timer: NodeJS.Timeout | null;
  socket: WebSocket | null;
}

/** The far end of Socket Mode: each event goes to one of the connections, and again until it is acknowledged. */
export interface Sockets {
  readonly server: WebSocketServer;
  readonly count: () => number;
  /** Events that nobody acknowledged yet. */
  readonly pending: () => number;
  emit(event: Record<string, unknown>): void;
  greet(socket: WebSocket): void;
  /** The next so many connections get no greeting. */
  skipHello(times: number): void;
  /** The next so many acknowledgements are not heard. */
  ignoreAcks(times: number): void;
  /** The next event comes twice, as two events of one id. */
  repeatNext(): void;
  /** The next two events come in the wrong order. */
  swapNext(): void;
  /** Asks every connection to go, as Slack does when it renews them. */
  disconnect(reason: string): void;
  drop(): void;
  /** Drops them and forgets what was to be sent, until it is called with false. */
  setOffline(isOffline: boolean): void;
  stop(): void;
}

const MOST_ATTEMPTS = 3;

export function createSockets(world: World, ackTimeoutMs: number): Sockets {
  const server = new WebSocketServer({ noServer: true });
  const live = new Set<WebSocket>();
  const pending = new Map<string, Envelope>();
  const faults = { hello: 0, acks: 0, repeat: false, swap: false };
  let held: Envelope | null = null;
  let isOffline = false;
  let turn = 0;

  function send(envelope: Envelope): void {
    const open = [...live];
    const socket = open[turn % Math.max(1, open.length)];
    turn += 1;
    envelope.socket = socket ?? null;
    pending.set(envelope.id, envelope);
    // Nobody is there: it goes out with the next connection.
    if (socket === undefined) return;
    socket.send(
      JSON.stringify({
        envelope_id: envelope.id,
        type: 'events_api',
        accepts_response_payload: false,
        retry_attempt: envelope.attempt,
        retry_reason: envelope.reason,
        payload: envelope.payload,
      }),
    );
    envelope.timer = setTimeout(() => again(envelope, 'timeout'), ackTimeoutMs);
  }

  function again(envelope: Envelope, reason: string): void {
    if (envelope.timer !== null) clearTimeout(envelope.timer);
    if (!pending.has(envelope.id)) return;
    if (envelope.attempt >= MOST_ATTEMPTS) {
      pending.delete(envelope.id);
      return;
    }
    envelope.attempt += 1;
    envelope.reason = reason;
    send(envelope);
  }

  function envelopeOf(payload: Record<string, unknown>): Envelope {
    return { id: crypto.randomUUID(), payload, attempt: 0, reason: '', timer: null, socket: null };
  }

  function hear(text: string): void {
    const { envelope_id: id } = JSON.parse(text) as { envelope_id?: string };
    const envelope = pending.get(id ?? '');
    if (envelope === undefined) return;
    if (faults.acks > 0) {
      faults.acks -= 1;
      return;
    }
    if (envelope.timer !== null) clearTimeout(envelope.timer);
    pending.delete(envelope.id);
  }

  function forget(): void {
    for (const { timer } of pending.values()) if (timer !== null) clearTimeout(timer);
    pending.clear();
    held = null;
  }

  const sockets: Sockets = {
    server,
    count: () => live.size,
    pending: () => pending.size,
    emit(event) {
      if (isOffline) return;
      const payload = {
        token: 'verification',
        team_id: world.teamId,
        api_app_id: 'A0APP00001',
        type: 'event_callback',
        event_id: world.newId('Ev'),
        event_time: Math.floor(Date.now() / 1_000),
        authorizations: [{ team_id: world.teamId, user_id: world.bot.id, is_bot: true }],
        event,
      };
      const envelope = envelopeOf(payload);
      if (faults.swap && held === null) {
        held = envelope;
        return;
      }
      send(envelope);
      if (faults.repeat) {
        faults.repeat = false;
        send(envelopeOf(payload));
      }
      if (held !== null) {
        const late = held;
        faults.swap = false;
        held = null;
        send(late);
      }
    },
    greet(socket) {
      socket.on('message', (data) => hear(String(data)));
      socket.on('close', () => {
        live.delete(socket);
        for (const envelope of [...pending.values()])
          if (envelope.socket === socket) again(envelope, 'no_connection');
      });
      if (faults.hello > 0) {
        faults.hello -= 1;
        return;
      }
      live.add(socket);
      socket.send(
        JSON.stringify({
          type: 'hello',
          num_connections: live.size,
          debug_info: { host: 'fake', build_number: 1, approximate_connection_time: 18_060 },
          connection_info: { app_id: 'A0APP00001' },
        }),
      );
      for (const envelope of [...pending.values()])
        if (envelope.socket === null) again(envelope, 'no_connection');
    },
    skipHello(times) {
      faults.hello = times;
    },
    ignoreAcks(times) {
      faults.acks = times;
    },
    repeatNext() {
      faults.repeat = true;
    },
    swapNext() {
      faults.swap = true;
    },
    disconnect(reason) {
      for (const socket of live) socket.send(JSON.stringify({ type: 'disconnect', reason }));
    },
    drop() {
      for (const socket of server.clients) socket.terminate();
    },
    setOffline(offline) {
      isOffline = offline;
      if (!offline) return;
      forget();
      sockets.drop();
    },
    stop() {
      forget();
      isOffline = true;
      for (const socket of server.clients) socket.terminate();
      server.close();
    },
  };
  return sockets;
}
