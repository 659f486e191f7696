import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { Faults, RestFault, RestKind } from './faults.ts';
import type { FakeUser } from './world.ts';
import { channelPayload, type FakeChannel, messagePayload, type World } from './world.ts';

/** The REST of the fake, as far as the connector uses it, with Discord's own codes and headers. */

const PREFIX = /^\/api\/v10/;
const UNKNOWN_CHANNEL = 10_003;
const UNKNOWN_MESSAGE = 10_008;
const MISSING_ACCESS = 50_001;
const INVALID_FORM = 50_035;
const GATEWAY_MESSAGE_CONTENT_LIMITED = 1 << 19;

export interface RestOptions {
  readonly world: World;
  readonly faults: Faults;
  readonly bot: FakeUser;
  readonly token: string;
  readonly base: () => string;
  readonly gatewayUrl: () => string;
  /** Calls of one route and channel in a window; none without. */
  readonly bucket: { readonly limit: number; readonly windowMs: number } | null;
  readonly shards: number;
  /** Told of what the bot sends. */
  onSent(channel: FakeChannel, messageId: string): void;
}

interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

export class FakeRest {
  readonly #options: RestOptions;
  readonly #buckets = new Map<string, { until: number; used: number }>();
  readonly #nonces = new Map<string, string>();
  /** Every call, `METHOD /path?query`, in order. */
  readonly calls: string[] = [];
  /** Calls that came although their bucket was empty. */
  early = 0;
  typed: string[] = [];

  constructor(options: RestOptions) {
    this.#options = options;
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.#options.base());
    this.calls.push(`${request.method} ${url.pathname.replace(PREFIX, '')}${url.search}`);
    const body = await buffer(request);
    const route = routeOf(request.method ?? 'GET', url.pathname);
    const fault = route === null ? undefined : this.#options.faults.rest.get(route.kind)?.shift();
    if (fault === 'hang') return;
    if (fault === 'lose-call') {
      request.socket.destroy();
      return;
    }
    const answer = typeof fault === 'object' ? faulty(fault) : await this.#answer(request, url, route, body);
    if (fault === 'lose-answer') {
      request.socket.destroy();
      return;
    }
    if (answer.body instanceof Uint8Array) {
      response.writeHead(answer.status, answer.headers).end(answer.body);
      return;
    }
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
    response.end(answer.body === undefined ? undefined : JSON.stringify(answer.body));
  }

  async #answer(request: IncomingMessage, url: URL, route: Route | null, body: Buffer): Promise<Answer> {
    const { world, bot, token, gatewayUrl } = this.#options;
    if (route === null) return refused(404, 0, '404: Not Found');
    if (route.kind === 'file') {
      const file = world.files.get(route.id);
      return file ? { status: 200, body: file.bytes } : { status: 404 };
    }
    if (request.headers.authorization !== `Bot ${token}`) return refused(401, 0, '401: Unauthorized');
    switch (route.kind) {
      case 'gateway':
        return {
          status: 200,
          body: {
            url: gatewayUrl(),
            shards: this.#options.shards,
            session_start_limit: { total: 1_000, remaining: 999, reset_after: 0, max_concurrency: 1 },
          },
        };
      case 'self':
        return { status: 200, body: bot };
      case 'application': {
        const isOff = (this.#options.faults.disallowedIntents & (1 << 15)) !== 0;
        return { status: 200, body: { id: bot.id, flags: isOff ? 0 : GATEWAY_MESSAGE_CONTENT_LIMITED } };
      }
    }
    const channel = world.channels.get(route.id);
    if (!channel) return refused(404, UNKNOWN_CHANNEL, 'Unknown Channel');
    if (channel.isHidden) return refused(403, MISSING_ACCESS, 'Missing Access');
    const limited = this.#take(`${request.method} ${route.kind} ${route.id}`);
    if (limited.answer) return limited.answer;
    const answer = await this.#inChannel(route.kind, channel, url, request, body);
    return { ...answer, headers: { ...limited.headers, ...answer.headers } };
  }

  async #inChannel(
    kind: RestKind,
    channel: FakeChannel,
    url: URL,
    request: IncomingMessage,
    body: Buffer,
  ): Promise<Answer> {
    const { world } = this.#options;
    switch (kind) {
      case 'read':
        return { status: 200, body: this.#page(channel, url.searchParams) };
      case 'send':
        return this.#post(channel, request, body);
      case 'typing':
        this.typed.push(channel.id);
        return { status: 204 };
      case 'archive':
      case 'private-archive': {
        const isPrivate = kind === 'private-archive';
        const archived = [...world.channels.values()]
          .filter(({ parentId, archivedMs }) => parentId === channel.id && archivedMs !== null)
          .filter(({ type }) => (type === 12) === isPrivate)
          .sort((one, other) => (other.archivedMs ?? 0) - (one.archivedMs ?? 0));
        return { status: 200, body: { threads: archived.map(channelPayload), members: [], has_more: false } };
      }
      default:
        return { status: 200, body: channelPayload(channel) };
    }
  }

  /** The newest first, as Discord lists them, whichever end the page begins at. */
  #page({ messages }: FakeChannel, query: URLSearchParams): unknown[] {
    const limit = Number(query.get('limit') ?? 50);
    const after = BigInt(query.get('after') ?? 0);
    const before = query.get('before');
    const page =
      before === null
        ? messages.filter(({ id }) => BigInt(id) > after).slice(0, limit)
        : messages.filter(({ id }) => BigInt(id) < BigInt(before)).slice(-limit);
    return page.map((message) => messagePayload(message, this.#cdn())).reverse();
  }

  async #post(channel: FakeChannel, request: IncomingMessage, body: Buffer): Promise<Answer> {
    const { world, bot, onSent } = this.#options;
    const { payload, files } = await readForm(request, body);
    const nonce = String(payload.nonce ?? '');
    const known = payload.enforce_nonce === true ? this.#nonces.get(`${channel.id} ${nonce}`) : undefined;
    const before = known === undefined ? null : world.find(known);
    if (before) return { status: 200, body: messagePayload(before.message, this.#cdn()) };
    const content = String(payload.content ?? '');
    if (content.length > 2_000 || nonce.length > 25) return refused(400, INVALID_FORM, 'Invalid Form Body');
    if (content === '' && files.length === 0) return refused(400, 50_006, 'Cannot send an empty message');
    const reference = payload.message_reference as
      | { message_id: string; fail_if_not_exists?: boolean }
      | undefined;
    const target = reference === undefined ? null : world.find(reference.message_id);
    if (reference && !target && reference.fail_if_not_exists !== false)
      return refused(400, UNKNOWN_MESSAGE, 'Unknown message');
    const message = world.addMessage(channel, bot, content, {
      files: files.map((file) => ({ id: world.id(), ...file })),
      replyTo: target ? target.message.id : null,
      sent: payload,
    });
    if (nonce !== '') this.#nonces.set(`${channel.id} ${nonce}`, message.id);
    onSent(channel, message.id);
    return { status: 200, body: messagePayload(message, this.#cdn()) };
  }

  #cdn(): string {
    return `${this.#options.base()}/cdn`;
  }

  #take(key: string): { readonly headers: Record<string, string>; readonly answer?: Answer } {
    const { bucket } = this.#options;
    if (!bucket) return { headers: {} };
    const now = Date.now();
    let state = this.#buckets.get(key);
    if (!state || state.until <= now) {
      state = { until: now + bucket.windowMs, used: 0 };
      this.#buckets.set(key, state);
    }
    const resetAfter = ((state.until - now) / 1_000).toFixed(3);
    const headers = {
      'x-ratelimit-limit': String(bucket.limit),
      'x-ratelimit-remaining': String(Math.max(0, bucket.limit - state.used - 1)),
      'x-ratelimit-reset-after': resetAfter,
      'x-ratelimit-bucket': key.split(' ').slice(0, 2).join('-'),
    };
    if (state.used >= bucket.limit) {
      this.early += 1;
      const body = { message: 'You are being rate limited.', retry_after: Number(resetAfter), global: false };
      return { headers, answer: { status: 429, body, headers: { ...headers, 'retry-after': resetAfter } } };
    }
    state.used += 1;
    return { headers };
  }
}

interface Route {
  readonly kind: RestKind;
  readonly id: string;
}

function routeOf(method: string, path: string): Route | null {
  const file = /^\/cdn\/(\d+)\//.exec(path);
  if (file) return { kind: 'file', id: file[1] ?? '' };
  const route = `${method} ${path.replace(PREFIX, '')}`;
  const fixed: Readonly<Record<string, RestKind>> = {
    'GET /gateway/bot': 'gateway',
    'GET /users/@me': 'self',
    'GET /applications/@me': 'application',
  };
  const known = fixed[route];
  if (known) return { kind: known, id: '' };
  const patterns: readonly [RegExp, RestKind][] = [
    [/^GET \/channels\/(\d+)\/messages$/, 'read'],
    [/^POST \/channels\/(\d+)\/messages$/, 'send'],
    [/^POST \/channels\/(\d+)\/typing$/, 'typing'],
    [/^GET \/channels\/(\d+)\/threads\/archived\/public$/, 'archive'],
    [/^GET \/channels\/(\d+)\/users\/@me\/threads\/archived\/private$/, 'private-archive'],
    [/^GET \/channels\/(\d+)$/, 'channel'],
  ];
  for (const [pattern, kind] of patterns) {
    const id = pattern.exec(route)?.[1];
    if (id !== undefined) return { kind, id };
  }
  return null;
}

function refused(status: number, code: number, message: string): Answer {
  return { status, body: { message, code } };
}

function faulty(fault: Exclude<RestFault, string>): Answer {
  if ('foreign' in fault) {
    const page = Buffer.from('<html><body>Blocked by the network of your house</body></html>');
    return { status: fault.foreign, body: page, headers: { 'content-type': 'text/html' } };
  }
  if ('status' in fault)
    return refused(fault.status, fault.code ?? 0, fault.message ?? `status ${fault.status}`);
  const seconds = fault.retryAfterMs / 1_000;
  return {
    status: 429,
    body: { message: 'You are being rate limited.', retry_after: seconds, global: fault.global ?? false },
    headers: {
      'retry-after': String(seconds),
      'x-ratelimit-scope': fault.global ? 'global' : 'user',
      ...(fault.global ? { 'x-ratelimit-global': 'true' } : {}),
    },
  };
}

async function readForm(request: IncomingMessage, body: Buffer) {
  const type = request.headers['content-type'] ?? '';
  if (!type.startsWith('multipart/')) {
    return { payload: JSON.parse(String(body)) as Record<string, unknown>, files: [] };
  }
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
  const files: { name: string; bytes: Uint8Array }[] = [];
  for (const [key, value] of form) {
    if (key.startsWith('files[') && value instanceof File)
      files.push({ name: value.name, bytes: new Uint8Array(await value.arrayBuffer()) });
  }
  return { payload: JSON.parse(String(form.get('payload_json'))) as Record<string, unknown>, files };
}
