import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { type FakeChannel, type FakeModel, type FakeUser, newId } from './model.ts';

/** The WebSocket side: who is connected, what each is told, and how it goes wrong. */
export interface FakeHub {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  publish(event: string, channel: FakeChannel, data: Record<string, unknown>): void;
  /** Connections that are authenticated now. */
  readonly connected: number;
  /** Resolves as soon as so many were authenticated in all. */
  untilGreeted(count: number): Promise<void>;
  readonly greeted: number;
  /** Actions that clients sent, without the tokens. */
  readonly actions: { readonly action: string; readonly data: Record<string, unknown> }[];
  drop(): void;
  /** New connections are turned away from now on, or taken again. */
  refuse(isRefusing: boolean): void;
  /** Those that are connected get nothing any more, no pong either, though they stay open. */
  silence(): void;
  repeatNext(): void;
  swapNext(): void;
  /** The next event is lost on the way; the number it had is missing. */
  loseNext(): void;
  close(): void;
}

interface Client {
  readonly socket: WebSocket;
  user: FakeUser | null;
  seq: number;
  isSilent: boolean;
}

export function fakeHub(model: FakeModel): FakeHub {
  const server = new WebSocketServer({ noServer: true, autoPong: false });
  const clients = new Set<Client>();
  const watchers = new Set<() => void>();
  const actions: FakeHub['actions'] = [];
  let greeted = 0;
  let isRefusing = false;
  let fault: 'repeat' | 'swap' | 'lose' | null = null;
  let heldBack: { client: Client; text: string }[] | null = null;

  function send(client: Client, frame: object): void {
    if (!client.isSilent) client.socket.send(JSON.stringify(frame));
  }

  function event(client: Client, name: string, data: object, channelId: string): string {
    const userId = name === 'hello' ? (client.user?.id ?? '') : '';
    const text = JSON.stringify({
      event: name,
      data,
      broadcast: { omit_users: null, user_id: userId, channel_id: channelId, team_id: '' },
      seq: client.seq,
    });
    client.seq += 1;
    return text;
  }

  function greet(client: Client, user: FakeUser): void {
    client.user = user;
    const hello = { connection_id: newId(), server_version: '10.11.0.1.abc.false' };
    client.socket.send(event(client, 'hello', hello, ''));
    greeted += 1;
    for (const look of [...watchers]) look();
  }

  function receive(client: Client, text: string): void {
    const { seq, action, data } = JSON.parse(text) as {
      seq: number;
      action: string;
      data: Record<string, unknown>;
    };
    const { token, ...rest } = data;
    actions.push({ action, data: rest });
    if (action === 'authentication_challenge') {
      if (client.user !== null) return;
      try {
        greet(client, model.userOf(String(token)));
      } catch {
        client.socket.close();
        return;
      }
    }
    send(client, { status: 'OK', seq_reply: seq });
  }

  function deliver(frames: { client: Client; text: string }[]): void {
    const wanted = fault;
    fault = null;
    if (wanted === 'lose') return;
    if (wanted === 'swap') {
      heldBack = frames;
      return;
    }
    const all = [...frames, ...(wanted === 'repeat' ? frames : []), ...(heldBack ?? [])];
    heldBack = null;
    for (const { client, text } of all) if (!client.isSilent) client.socket.send(text);
  }

  return {
    upgrade(request, socket, head) {
      if (isRefusing) {
        socket.end('HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
        return;
      }
      server.handleUpgrade(request, socket, head, (webSocket) => {
        const client: Client = { socket: webSocket, user: null, seq: 0, isSilent: false };
        clients.add(client);
        webSocket.on('error', () => {});
        webSocket.on('close', () => clients.delete(client));
        webSocket.on('ping', (data) => {
          if (!client.isSilent) webSocket.pong(data);
        });
        webSocket.on('message', (raw) => receive(client, raw.toString()));
      });
    },
    publish(name, channel, data) {
      const members = [...clients].filter(({ user }) => user !== null && channel.members.has(user.id));
      deliver(members.map((client) => ({ client, text: event(client, name, data, channel.id) })));
    },
    get connected() {
      return [...clients].filter(({ user }) => user !== null).length;
    },
    get greeted() {
      return greeted;
    },
    untilGreeted: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (greeted < count) return;
          watchers.delete(look);
          resolve();
        };
        watchers.add(look);
        look();
      }),
    actions,
    drop() {
      for (const { socket } of clients) socket.terminate();
      heldBack = null;
    },
    refuse(wanted) {
      isRefusing = wanted;
    },
    silence() {
      for (const client of clients) client.isSilent = true;
    },
    repeatNext() {
      fault = 'repeat';
    },
    swapNext() {
      fault = 'swap';
    },
    loseNext() {
      fault = 'lose';
    },
    close() {
      for (const { socket } of clients) socket.terminate();
      server.close();
    },
  };
}
