import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Faults } from './faults.ts';
import { channelPayload, type FakeUser, type World } from './world.ts';

/** The gateway of the fake: sessions that resume, and what breaks them (opcodes and codes as Discord documents). */

const OP = {
  dispatch: 0,
  heartbeat: 1,
  identify: 2,
  resume: 6,
  reconnect: 7,
  invalid: 9,
  hello: 10,
  ack: 11,
} as const;
const CLOSE = {
  unknown: 4_000,
  notAuthenticated: 4_003,
  authenticationFailed: 4_004,
  disallowedIntents: 4_014,
} as const;
const INTENT = { guildMessages: 1 << 9, directMessages: 1 << 12, messageContent: 1 << 15 } as const;

interface Session {
  readonly id: string;
  readonly intents: number;
  readonly shard: { readonly id: number; readonly count: number };
  sequence: number;
  /** Everything that was dispatched, for RESUME. */
  readonly events: { readonly s: number; readonly text: string }[];
  socket: WebSocket | null;
}

export interface GatewayOptions {
  readonly world: World;
  readonly faults: Faults;
  readonly bot: FakeUser;
  readonly token: string;
  /** Where to connect again. */
  url(): string;
  heartbeatMs: number;
}

export class FakeGateway {
  readonly #options: GatewayOptions;
  readonly #server = new WebSocketServer({ noServer: true });
  readonly #sessions = new Map<string, Session>();
  /** Servers that are out of order. */
  readonly #lost = new Set<string>();
  #held: { type: string; data: unknown; scope: EventScope } | null = null;
  #count = 0;
  /** Opcodes that clients sent, in order. */
  readonly received: number[] = [];

  constructor(options: GatewayOptions) {
    this.#options = options;
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#server.handleUpgrade(request, socket, head, (client) => this.#connected(client));
  }

  /** Ends connections; their sessions can be resumed. */
  drop(code?: number): void {
    for (const client of this.#server.clients) {
      if (code === undefined) client.terminate();
      else client.close(code);
    }
  }

  /** Asks every client to connect again. */
  askToReconnect(): void {
    for (const client of this.#server.clients) send(client, { op: OP.reconnect, d: null });
  }

  /** Forgets all sessions, as after some minutes without a client. */
  forgetSessions(): void {
    for (const session of this.#sessions.values()) session.socket = null;
    this.#sessions.clear();
  }

  /** A server of Discord's own breaks down: nothing of the guild is told until it is back. */
  loseGuild(guildId: string): void {
    this.dispatch('GUILD_DELETE', { id: guildId, unavailable: true }, { intent: null, guildId });
    this.#lost.add(guildId);
  }

  returnGuild(guildId: string): void {
    this.#lost.delete(guildId);
    this.dispatch('GUILD_CREATE', this.#guildPayload(guildId), { intent: null, guildId });
  }

  /** Tells of an event, to whoever asked for its kind. */
  dispatch(type: string, data: unknown, scope: EventScope): void {
    const { faults } = this.#options;
    const held = this.#held;
    if (held) {
      this.#held = null;
      this.#tell(type, data, scope);
      this.#tell(held.type, held.data, held.scope);
      return;
    }
    if (faults.swapNext) {
      faults.swapNext = false;
      this.#held = { type, data, scope };
      return;
    }
    this.#tell(type, data, scope);
    if (faults.repeatNext) {
      faults.repeatNext = false;
      this.#tell(type, data, scope);
    }
  }

  stop(): void {
    this.drop();
    this.#server.close();
  }

  #tell(type: string, data: unknown, scope: EventScope): void {
    if (this.#lost.has(scope.guildId ?? '')) return;
    for (const session of this.#sessions.values()) {
      if (!isOfShard(scope.guildId ?? null, session.shard)) continue;
      if (scope.intent !== null && (session.intents & INTENT[scope.intent]) === 0) continue;
      // Without the intent, what is written in servers comes without what is written.
      const isBlind = scope.intent === 'guildMessages' && (session.intents & INTENT.messageContent) === 0;
      this.#push(session, type, isBlind ? { ...(data as object), content: '', attachments: [] } : data);
    }
  }

  #push(session: Session, type: string, data: unknown): void {
    session.sequence += 1;
    const text = JSON.stringify({ op: OP.dispatch, t: type, s: session.sequence, d: data });
    session.events.push({ s: session.sequence, text });
    session.socket?.send(text);
  }

  #connected(client: WebSocket): void {
    const { faults, heartbeatMs } = this.#options;
    let session: Session | null = null;
    send(client, { op: OP.hello, d: { heartbeat_interval: heartbeatMs } });
    client.on('error', () => {});
    client.on('close', () => {
      if (session?.socket === client) session.socket = null;
    });
    client.on('message', (bytes) => {
      const { op, d } = JSON.parse(String(bytes)) as { op: number; d: Record<string, unknown> };
      this.received.push(op);
      if (op === OP.heartbeat) {
        if (!faults.muteHeartbeats) send(client, { op: OP.ack });
      } else if (op === OP.identify) {
        session = this.#identify(client, d);
      } else if (op === OP.resume) {
        if (faults.muteResume) return;
        session = this.#resume(client, d);
      } else if (session === null) {
        client.close(CLOSE.notAuthenticated);
      }
    });
  }

  #identify(client: WebSocket, d: Record<string, unknown>): Session | null {
    const { world, faults, bot, token, url } = this.#options;
    const code = faults.closeIdentify.shift();
    const intents = Number(d.intents);
    if (code !== undefined) client.close(code);
    else if (d.token !== token) client.close(CLOSE.authenticationFailed);
    else if ((intents & faults.disallowedIntents) !== 0) client.close(CLOSE.disallowedIntents);
    else {
      this.#count += 1;
      const [id = 0, count = 1] = Array.isArray(d.shard) ? d.shard.map(Number) : [];
      const shard = { id, count };
      const session: Session = {
        id: `session-${this.#count}`,
        intents,
        shard,
        sequence: 0,
        events: [],
        socket: client,
      };
      this.#sessions.set(session.id, session);
      const guilds = [...world.guilds.keys()].filter((guildId) => isOfShard(guildId, shard));
      this.#push(session, 'READY', {
        v: 10,
        user: bot,
        shard: [shard.id, shard.count],
        guilds: guilds.map((guildId) => ({ id: guildId, unavailable: true })),
        session_id: session.id,
        resume_gateway_url: url(),
        application: { id: bot.id, flags: 0 },
      });
      for (const guildId of guilds) {
        if (!this.#lost.has(guildId)) this.#push(session, 'GUILD_CREATE', this.#guildPayload(guildId));
      }
      return session;
    }
    return null;
  }

  #guildPayload(guildId: string) {
    const { world } = this.#options;
    return {
      id: guildId,
      name: world.guilds.get(guildId)?.name,
      unavailable: false,
      channels: world.channelsOf(guildId, false).map(channelPayload),
      threads: world.channelsOf(guildId, true).map(channelPayload),
    };
  }

  #resume(client: WebSocket, d: Record<string, unknown>): Session | null {
    const session = this.#sessions.get(String(d.session_id));
    if (!session || this.#options.faults.refuseResume || d.token !== this.#options.token) {
      send(client, { op: OP.invalid, d: false });
      return null;
    }
    session.socket?.terminate();
    session.socket = client;
    for (const { s, text } of session.events) if (s > Number(d.seq)) client.send(text);
    this.#push(session, 'RESUMED', {});
    return session;
  }
}

export interface EventScope {
  /** Who is told: sessions with this intent, or all. */
  readonly intent: keyof typeof INTENT | null;
  /** The server it happens in; absent for what happens in none. */
  readonly guildId?: string | null;
}

/** Whether a shard is told of a server; direct messages are for the first one. */
function isOfShard(guildId: string | null, { id, count }: Session['shard']): boolean {
  return Number((BigInt(guildId ?? 0) >> 22n) % BigInt(count)) === id;
}

function send(client: WebSocket, payload: unknown): void {
  client.send(JSON.stringify(payload));
}
