import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type Faults, noFaults } from './faults.ts';
import { FakeGateway } from './gateway.ts';
import { FakeRest } from './rest.ts';
import {
  channelPayload,
  type FakeChannel,
  type FakeFile,
  type FakeMessage,
  type FakeUser,
  messagePayload,
  World,
} from './world.ts';

export interface FakeDiscordOptions {
  readonly bucket?: { readonly limit: number; readonly windowMs: number };
  readonly heartbeatMs?: number;
  /** Shards that the gateway recommends. */
  readonly shards?: number;
}

/** A Discord of one's own: REST, gateway and file links on one port, over a world that the test moves. */
export interface FakeDiscord {
  readonly world: World;
  readonly bot: FakeUser;
  readonly token: string;
  readonly apiUrl: string;
  readonly faults: Faults;
  readonly rest: FakeRest;
  readonly gateway: FakeGateway;
  /** Someone writes, and whoever listens is told. */
  say(
    channel: FakeChannel,
    author: FakeUser,
    content: string,
    more?: { replyTo?: string | null; files?: readonly Omit<FakeFile, 'id'>[]; type?: number },
  ): FakeMessage;
  /** Changes the text, and what is left of the files. */
  edit(messageId: string, content: string, files?: readonly FakeFile[]): void;
  delete(messageId: string): void;
  /** A channel, or a thread, that whoever listens is told of. */
  open(channel: Partial<FakeChannel> & { type: number }): FakeChannel;
  goOffline(): Promise<void>;
  goOnline(): Promise<void>;
  stop(): Promise<void>;
}

export async function fakeDiscord(options: FakeDiscordOptions = {}): Promise<FakeDiscord> {
  const world = new World();
  const bot = world.addUser('Helper', true);
  const token = `${Buffer.from(bot.id).toString('base64url')}.fake.token`;
  const faults = noFaults();
  let port = 0;
  const base = () => `http://127.0.0.1:${port}`;
  const gatewayUrl = () => `ws://127.0.0.1:${port}/gateway`;
  const gateway = new FakeGateway({
    world,
    faults,
    bot,
    token,
    url: gatewayUrl,
    heartbeatMs: options.heartbeatMs ?? 41_250,
  });
  const scopeOf = (channel: FakeChannel) =>
    ({
      intent: channel.guildId === null ? 'directMessages' : 'guildMessages',
      guildId: channel.guildId,
    }) as const;
  const payloadOf = (channel: FakeChannel, message: FakeMessage) => ({
    ...messagePayload(message, `${base()}/cdn`),
    ...(channel.guildId === null ? {} : { guild_id: channel.guildId }),
  });
  const rest = new FakeRest({
    world,
    faults,
    bot,
    token,
    base,
    gatewayUrl,
    bucket: options.bucket ?? null,
    shards: options.shards ?? 1,
    onSent(channel, messageId) {
      const found = world.find(messageId);
      if (found) gateway.dispatch('MESSAGE_CREATE', payloadOf(channel, found.message), scopeOf(channel));
    },
  });
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    rest.handle(request, response).catch(() => response.destroy());
  });
  server.on('upgrade', (request, socket, head) => gateway.upgrade(request, socket, head));
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  const listen = async () => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  };
  const closeServer = async () => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    gateway.drop();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  await listen();

  return {
    world,
    bot,
    token,
    apiUrl: `${base()}/api`,
    faults,
    rest,
    gateway,
    say(channel, author, content, { replyTo = null, files = [], type } = {}) {
      const message = world.addMessage(channel, author, content, {
        replyTo,
        files: files.map((file) => ({ id: world.id(), ...file })),
        ...(type === undefined ? {} : { type }),
      });
      gateway.dispatch('MESSAGE_CREATE', payloadOf(channel, message), scopeOf(channel));
      return message;
    },
    edit(messageId, content, files) {
      const found = world.find(messageId);
      if (!found) return;
      if (files) found.message.files = files;
      found.message.content = content;
      found.message.editedMs = Date.now();
      gateway.dispatch('MESSAGE_UPDATE', payloadOf(found.channel, found.message), scopeOf(found.channel));
    },
    delete(messageId) {
      const found = world.find(messageId);
      if (!found) return;
      const { channel, message } = found;
      channel.messages.splice(channel.messages.indexOf(message), 1);
      const guild = channel.guildId === null ? {} : { guild_id: channel.guildId };
      gateway.dispatch(
        'MESSAGE_DELETE',
        { id: messageId, channel_id: channel.id, ...guild },
        scopeOf(channel),
      );
    },
    open(channel) {
      const made = world.addChannel(channel);
      const isThread = world.isThread(made);
      const payload = { ...channelPayload(made), ...(isThread ? { newly_created: true } : {}) };
      gateway.dispatch(isThread ? 'THREAD_CREATE' : 'CHANNEL_CREATE', payload, {
        intent: null,
        guildId: made.guildId,
      });
      return made;
    },
    goOffline: closeServer,
    async goOnline() {
      if (!server.listening) await listen();
    },
    async stop() {
      await closeServer();
      gateway.stop();
    },
  };
}
