import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type FakeHub, fakeHub } from './hub.ts';
import { Denied, type FakeChannel, FakeModel, type FakeUser } from './model.ts';
import { type FakeAnswer, type FakeRequest, routeOf } from './routes.ts';

/** A Mattermost server on a port of this machine, with one bot and its channel, that fails when it is told to. */
export interface FakeMattermost {
  /** With the sub-path, without a slash at the end. */
  readonly url: string;
  readonly model: FakeModel;
  readonly hub: FakeHub;
  readonly bot: FakeUser;
  readonly channel: FakeChannel;
  /** Requests so far: what each asked for, and with which headers. */
  readonly requests: readonly SeenRequest[];
  /** The next requests of that name (`post`, `readThread`, …; `*` is any) go wrong, one fault each. */
  fail(name: string, fault: FakeFault, times?: number): void;
  /** Faults that have not come up are taken back. */
  mend(): void;
  /** Requests that came although the server had asked for a pause. */
  readonly early: number;
  /** All requests are answered 503, and connections turned away, or no longer. */
  setOffline(isOffline: boolean): void;
  stop(): Promise<void>;
}

export interface SeenRequest {
  readonly name: string;
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
}

export type FakeFault =
  /** Refused for now; `seconds` until it may come again, in `Retry-After` or in `X-Ratelimit-Reset` alone. */
  | {
      readonly kind: 'limited';
      readonly seconds: number;
      readonly header: 'retry-after' | 'reset' | 'reset-epoch';
    }
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly id?: string;
      readonly headers?: Record<string, string>;
    }
  /** It is done, and the answer lost. */
  | { readonly kind: 'lost-answer' }
  /** It is not done, and the connection cut. */
  | { readonly kind: 'cut' }
  /** It is done when `until` resolves, and answered then. */
  | { readonly kind: 'slow'; readonly until: Promise<void> }
  /** As a web page that has nothing to do with it. */
  | { readonly kind: 'page' };

export interface FakeMattermostOptions {
  readonly subPath?: string;
}

export async function startFakeMattermost({
  subPath = '',
}: FakeMattermostOptions = {}): Promise<FakeMattermost> {
  const model = new FakeModel();
  const hub = fakeHub(model);
  model.publish = hub.publish;
  const bot = model.addUser('postern', { isBot: true });
  const channel = model.addChannel('agents', 'O', [bot.id]);
  const faults: { name: string; fault: FakeFault }[] = [];
  const requests: SeenRequest[] = [];
  let pauseUntilMs = 0;
  let early = 0;
  let isOffline = false;

  const server = createServer((incoming, response) => {
    void handle(incoming, response).catch(() => response.destroy());
  });
  server.on('upgrade', (incoming, socket, head) => {
    if (pathOf(incoming) === `${subPath}/api/v4/websocket`) hub.upgrade(incoming, socket, head);
    else socket.destroy();
  });

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const prefix = `${subPath}/api/v4`;
    const body = await bodyOf(incoming);
    const path = pathOf(incoming);
    if (!path.startsWith(prefix)) return page(response);
    const request: FakeRequest = {
      method: incoming.method ?? 'GET',
      path: path.slice(prefix.length),
      query: new URL(incoming.url ?? '/', 'http://server').searchParams,
      token: /^Bearer (.+)$/.exec(incoming.headers.authorization ?? '')?.[1],
      contentType: incoming.headers['content-type'] ?? '',
      body,
    };
    const found = routeOf(request);
    const name = found?.name ?? 'unknown';
    requests.push({ name, method: request.method, url: incoming.url ?? '', headers: incoming.headers });
    if (Date.now() < pauseUntilMs) early += 1;
    if (isOffline) return send(response, { status: 503, json: { id: 'offline', message: 'offline' } });
    const at = faults.findIndex((each) => each.name === name || each.name === '*');
    const fault = at < 0 ? null : faults.splice(at, 1)[0]?.fault;
    switch (fault?.kind) {
      case 'limited':
        return limit(response, fault);
      case 'status':
        return send(
          response,
          { status: fault.status, json: { id: fault.id ?? '', message: '' } },
          fault.headers,
        );
      case 'page':
        return page(response);
      case 'cut':
        response.destroy();
        return;
      case 'slow':
        await fault.until;
    }
    const answer = answerTo(found);
    if (fault?.kind === 'lost-answer') response.destroy();
    else send(response, answer);
  }

  function answerTo(found: ReturnType<typeof routeOf>): FakeAnswer {
    try {
      return found?.answer(model) ?? notFound();
    } catch (error) {
      if (!(error instanceof Denied)) throw error;
      return denial(error.status, error.id, error.message);
    }
  }

  function limit(response: ServerResponse, { seconds, header }: FakeFault & { kind: 'limited' }): void {
    // Headers count whole seconds.
    pauseUntilMs = Date.now() + (header === 'reset-epoch' ? 0 : seconds * 1_000);
    const reset = header === 'reset-epoch' ? Math.ceil(Date.now() / 1_000) + seconds : seconds;
    response.writeHead(429, {
      'content-type': 'text/plain; charset=utf-8',
      'x-ratelimit-limit': '10',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(reset),
      ...(header === 'retry-after' ? { 'retry-after': String(seconds) } : {}),
    });
    response.end('limit exceeded\n');
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${subPath}`,
    model,
    hub,
    bot,
    channel,
    requests,
    fail(name, fault, times = 1) {
      for (let count = 0; count < times; count += 1) faults.push({ name, fault });
    },
    mend() {
      faults.length = 0;
    },
    get early() {
      return early;
    },
    setOffline(wanted) {
      isOffline = wanted;
      hub.refuse(wanted);
      if (wanted) hub.drop();
    },
    async stop() {
      hub.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function pathOf(incoming: IncomingMessage): string {
  return (incoming.url ?? '/').split('?')[0] ?? '/';
}

async function bodyOf(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function send(response: ServerResponse, answer: FakeAnswer, headers: Record<string, string> = {}): void {
  const bytes = answer.bytes ?? Buffer.from(JSON.stringify(answer.json ?? null));
  const type = answer.bytes === undefined ? 'application/json' : 'application/octet-stream';
  response.writeHead(answer.status, { 'content-type': type, 'content-length': bytes.length, ...headers });
  response.end(bytes);
}

/** Whatever is no part of the API is the web app. */
function page(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/html' });
  response.end('<!doctype html><title>Mattermost</title>');
}

function denial(status: number, id: string, message: string): FakeAnswer {
  return { status, json: { id, message, detailed_error: '', request_id: 'r', status_code: status } };
}

function notFound(): FakeAnswer {
  return denial(404, 'api.context.404.app_error', 'Sorry, we could not find the page.');
}
