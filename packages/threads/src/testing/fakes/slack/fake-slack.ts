import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BOT_SCOPES } from '../../../platforms/slack/scopes.ts';
import { type Args, type Method, Refused } from './call.ts';
import { addMessage, changeMessage, changeReaction, removeMessage } from './changes.ts';
import { type CallFailure, callFaults } from './faults.ts';
import { chatMethods } from './methods-chat.ts';
import { conversationMethods } from './methods-conversations.ts';
import { fileMethods } from './methods-files.ts';
import { SCOPE_OF } from './scopes.ts';
import { createSockets, type Sockets } from './sockets.ts';
import { createWorld, type StoredMessage, type World } from './world.ts';

/** A Slack on a port of this machine: Web API, Socket Mode, file hosts; well-behaved unless told otherwise. */
export interface FakeSlack {
  /** For `apiUrl` in the configuration. */
  readonly apiUrl: string;
  readonly origin: string;
  readonly botToken: string;
  readonly appToken: string;
  readonly world: World;
  readonly sockets: Sockets;
  /** Calls so far, in their order. */
  readonly calls: readonly { readonly method: string; readonly args: Args }[];
  addUser(name: string, options?: { displayName?: string; isBot?: boolean }): string;
  addChannel(name: string, options?: { isPrivate?: boolean; members?: readonly string[] }): string;
  /** Someone writes, in Slack's own markup; with `as` set as a bot, a notice, or with other fields of the message. */
  say(
    user: string,
    channel: string,
    text: string,
    options?: { threadTs?: string; files?: readonly FakeFile[]; as?: Partial<StoredMessage> },
  ): StoredMessage;
  edit(message: StoredMessage, text: string): void;
  delete(message: StoredMessage): void;
  react(user: string, message: StoredMessage, emoji: string): void;
  unreact(user: string, message: StoredMessage, emoji: string): void;
  /** A root and all of its replies are gone without an event, as after a retention policy. */
  vanish(message: StoredMessage): void;
  failNext(method: string, ...failures: readonly CallFailure[]): void;
  /** Calls that came before a Retry-After was over. */
  early(): number;
  /** Neither of the tokens is valid any more. */
  revokeTokens(): void;
  /** The bot's scopes from now on. */
  setScopes(scopes: readonly string[]): void;
  /** Files lead to the page for signing in from now on. */
  refuseFiles(): void;
  setOffline(isOffline: boolean): void;
  /** Resolves as soon as it holds; looked at after each call and each connection. */
  until(holds: () => boolean): Promise<void>;
  stop(): Promise<void>;
}

export interface FakeFile {
  readonly name: string;
  readonly mime: string;
  readonly bytes: Uint8Array;
}

const METHODS: Readonly<Record<string, Method>> = {
  ...chatMethods,
  ...conversationMethods,
  ...fileMethods,
  'auth.test': (_args, { world }) => ({
    url: world.teamUrl,
    team: 'Postern Test',
    user: world.bot.name,
    team_id: world.teamId,
    user_id: world.bot.id,
    bot_id: world.bot.botId,
    is_enterprise_install: false,
  }),
};

export async function fakeSlack(options: { ackTimeoutMs?: number } = {}): Promise<FakeSlack> {
  const world = createWorld();
  const sockets = createSockets(world, options.ackTimeoutMs ?? 3_000);
  const faults = callFaults();
  const calls: { method: string; args: Args }[] = [];
  const watchers = new Set<() => void>();
  const tickets = new Set<string>();
  const tokens = { bot: 'xoxb-fake-bot-token', app: 'xapp-fake-app-token' };
  let scopes: readonly string[] = Object.keys(BOT_SCOPES);
  let isOffline = false;
  let areRevoked = false;
  let areFilesRefused = false;
  let origin = '';
  const changed = () => {
    for (const look of [...watchers]) look();
  };

  function perform(method: string, args: Args, token: string): Record<string, unknown> {
    if (token === '') throw new Refused('not_authed');
    if (areRevoked) throw new Refused('token_revoked');
    if (method === 'apps.connections.open') {
      if (token === tokens.bot) throw new Refused('not_allowed_token_type');
      if (token !== tokens.app) throw new Refused('invalid_auth');
      const ticket = crypto.randomUUID();
      tickets.add(ticket);
      return { url: `${origin.replace('http', 'ws')}/link/?ticket=${ticket}&app_id=A0APP00001` };
    }
    const run = METHODS[method];
    if (run === undefined) throw new Refused('unknown_method');
    if (token === tokens.app) throw new Refused('not_allowed_token_type');
    if (token !== tokens.bot) throw new Refused('invalid_auth');
    const needed = SCOPE_OF[method];
    if (needed !== undefined && !needed.some((scope) => scopes.includes(scope)))
      throw new Refused('missing_scope');
    return run(args, { world, sockets, origin });
  }

  async function answerCall(
    request: IncomingMessage,
    response: ServerResponse,
    method: string,
  ): Promise<void> {
    const body = (await bodyOf(request)).toString();
    const args = readArgs(request.headers['content-type'] ?? '', body);
    const header = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
    const token = header ?? (typeof args.token === 'string' ? args.token : '');
    if (isOffline) {
      request.socket.destroy();
      return;
    }
    calls.push({ method, args });
    const failure = faults.isEarly(method)
      ? ({ kind: 'rateLimited', retryAfterS: 1 } as const)
      : faults.take(method);
    const send = (status: number, answer: unknown, headers: Record<string, string> = {}) => {
      response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers });
      response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
    };
    if (failure?.kind === 'reset') {
      request.socket.destroy();
    } else if (failure?.kind === 'rateLimited') {
      const { retryAfterS } = failure;
      if (retryAfterS !== null) faults.hold(method, retryAfterS);
      const headers: Record<string, string> =
        retryAfterS === null ? {} : { 'retry-after': String(retryAfterS) };
      send(429, { ok: false, error: 'ratelimited' }, headers);
    } else if (failure?.kind === 'status') {
      send(failure.status, failure.body ?? 'upstream failed', { 'content-type': 'text/html' });
    } else if (failure?.kind === 'error') {
      send(200, { ok: false, error: failure.error, ...(failure.needed ? { needed: failure.needed } : {}) });
    } else {
      const answer = refusedOr(() => perform(method, args, token), scopes, method);
      if (failure?.kind === 'answerLost') request.socket.destroy();
      else if (failure?.kind === 'doneBut503') send(503, 'gateway');
      else send(200, answer, { 'x-oauth-scopes': scopes.join(',') });
    }
    changed();
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', origin);
    const [start = '', second = '', third = ''] = url.pathname.slice(1).split('/');
    if (start === 'api' && request.method === 'POST') return answerCall(request, response, second);
    if (start === 'upload' && request.method === 'POST') {
      const file = world.files.get(third);
      const bytes = await bodyOf(request);
      const isRight = file !== undefined && bytes.length === file.length && !isOffline;
      if (isRight) file.bytes = bytes;
      response.writeHead(isRight ? 200 : 400).end(isRight ? `OK - ${bytes.length}` : 'bad upload');
      return;
    }
    const file = world.files.get(second.split('-').at(-1) ?? '');
    if (start !== 'files-pri' || file?.bytes == null) {
      response.writeHead(404).end();
    } else if (request.headers.authorization !== `Bearer ${tokens.bot}` || areFilesRefused) {
      response.writeHead(302, { location: `${origin}/signin` }).end();
    } else {
      response.writeHead(200, { 'content-type': file.mime }).end(file.bytes);
    }
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => request.socket.destroy());
  });
  server.on('upgrade', (request, socket, head) => {
    const ticket = new URL(request.url ?? '/', origin).searchParams.get('ticket') ?? '';
    if (isOffline || !tickets.delete(ticket)) {
      socket.destroy();
      return;
    }
    sockets.server.handleUpgrade(request, socket, head, (webSocket) => {
      sockets.greet(webSocket);
      changed();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const place = { world, sockets };

  return {
    apiUrl: `${origin}/api/`,
    origin,
    botToken: tokens.bot,
    appToken: tokens.app,
    world,
    sockets,
    calls,
    addUser(name, { displayName = '', isBot = false } = {}) {
      const id = world.newId('U');
      world.users.set(id, { id, name, displayName, isBot, deleted: false });
      return id;
    },
    addChannel(name, { isPrivate = false, members = [world.bot.id] } = {}) {
      const id = world.newId('C');
      const kind = isPrivate ? ('private' as const) : ('public' as const);
      world.channels.set(id, { id, name, kind, members: new Set(members) });
      return id;
    },
    say(user, channel, text, { threadTs, files = [], as = {} } = {}) {
      const stored = files.map(({ name, mime, bytes }) => {
        const file = { id: world.newId('F'), name, mime, bytes, length: bytes.length };
        const kept = { ...file, share: null, hiddenShares: 0 };
        world.files.set(kept.id, kept);
        return kept;
      });
      return addMessage(place, {
        ...{ channel, text, user, threadTs: threadTs ?? null, files: stored },
        subtype: stored.length > 0 ? 'file_share' : null,
        ...as,
      });
    },
    edit: (message, text) => changeMessage(place, message, text),
    delete: (message) => removeMessage(place, message),
    react: (user, message, emoji) => void changeReaction(place, message, user, emoji, true),
    unreact: (user, message, emoji) => void changeReaction(place, message, user, emoji, false),
    vanish(message) {
      const list = world.messages.get(message.channel) ?? [];
      world.messages.set(
        message.channel,
        list.filter(({ ts, threadTs }) => ts !== message.ts && threadTs !== message.ts),
      );
    },
    failNext: faults.failNext,
    early: faults.early,
    revokeTokens() {
      areRevoked = true;
      sockets.drop();
    },
    setScopes(given) {
      scopes = given;
    },
    refuseFiles() {
      areFilesRefused = true;
    },
    setOffline(offline) {
      isOffline = offline;
      sockets.setOffline(offline);
    },
    until: (holds) =>
      new Promise((resolve) => {
        const look = () => {
          if (!holds()) return;
          watchers.delete(look);
          resolve();
        };
        watchers.add(look);
        look();
      }),
    async stop() {
      sockets.stop();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function refusedOr(perform: () => Record<string, unknown>, scopes: readonly string[], method: string) {
  try {
    return { ok: true, ...perform() };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const isScope = error.error === 'missing_scope';
    const detail = isScope ? { needed: SCOPE_OF[method]?.join(','), provided: scopes.join(',') } : {};
    return { ok: false, error: error.error, ...detail };
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function readArgs(contentType: string, body: string): Args {
  if (contentType.startsWith('application/json')) return JSON.parse(body) as Args;
  return Object.fromEntries(new URLSearchParams(body));
}
