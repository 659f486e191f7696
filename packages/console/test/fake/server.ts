import { createReadStream, existsSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MAIL_FRAME, MAIL_FRAME_HEADERS } from '../../src/assets.ts';
import { createFakeCampaigns, type FakeCampaigns } from './campaigns/campaigns.ts';
import {
  type FakeAnswer,
  type FakeRequest,
  noContent,
  ok,
  Refusal,
  readBody,
  refusalBody,
  route,
} from './http.ts';
import { createFakeInbox, type FakeInbox } from './inbox.ts';
import { createFakeChat, type FakeChat } from './local-chat.ts';
import { createFakeThreads, type FakeThreads } from './threads.ts';

/**
 * A Postern in memory for the tests of the page: the routes the console uses, the built page under the
 * policy of the real server, and switches for the faults that a page must survive.
 */

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');
const COOKIE = 'postern_session';

export interface Fault {
  readonly method: string;
  readonly path: RegExp;
  /** A status to answer with, or `hang-up` for a line that breaks in the answer. */
  readonly how: number | 'hang-up';
  /** With `hang-up`: the request is carried out all the same. */
  readonly carriedOut?: boolean;
  /** How many requests it meets. */
  times: number;
}

export interface FakePostern {
  readonly url: string;
  readonly chat: FakeChat;
  readonly inbox: FakeInbox;
  readonly campaigns: FakeCampaigns;
  readonly threads: FakeThreads;
  /** What was asked of the API, as `METHOD /path`. */
  readonly requests: string[];
  /** Texts of violations of the page's policy and other things a real server would have refused. */
  readonly complaints: string[];
  newLoginToken(): string;
  /** A session as a browser's cookie. */
  newSession(): { readonly name: string; readonly value: string; readonly url: string };
  endSessions(): void;
  fail(fault: Fault): void;
  /** Holds requests that match until the returned function is called. */
  hold(method: string, path: RegExp): () => void;
  close(): Promise<void>;
}

const contentTypes: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

/** @param directory the built page. */
export async function startFakePostern(directory: URL): Promise<FakePostern> {
  let url = '';
  const chat = createFakeChat(() => url);
  const inbox = createFakeInbox();
  const campaigns = createFakeCampaigns();
  const threads = createFakeThreads();
  const tokens = new Set<string>();
  const sessions = new Set<string>();
  const faults: Fault[] = [];
  const holds: { method: string; path: RegExp; until: Promise<void> }[] = [];
  const requests: string[] = [];
  const complaints: string[] = [];
  let count = 0;

  const openRoutes = [
    route('POST', '/console/api/login', { body: ['token'] }, ({ body }) => {
      if (!tokens.delete(String(body.token))) {
        throw new Refusal(401, 'unauthorized', 'The login link has expired or was used.');
      }
      const session = `session-${++count}`;
      sessions.add(session);
      const cookie = `${COOKIE}=${session}; Path=/; HttpOnly; SameSite=Strict`;
      return { ...noContent, headers: { 'set-cookie': cookie } };
    }),
    route('POST', '/console/api/logout', {}, ({ headers }) => {
      sessions.delete(sessionOf(headers.cookie) ?? '');
      return noContent;
    }),
  ];
  const routes = [
    route('GET', '/console/api/session', {}, () =>
      ok({
        version: '0.1.0',
        public_url: url,
        services: { inbox: true, threads: threads.state.isOn, campaigns: true },
        inbox_command: ['/opt/node', '/srv/postern/bin/postern.js', 'mcp', 'inbox'],
      }),
    ),
    ...chat.routes,
    ...inbox.routes,
    ...campaigns.routes,
    ...threads.routes,
  ];

  function sessionOf(cookie: string | undefined): string | undefined {
    return new RegExp(`${COOKIE}=([^;]+)`).exec(cookie ?? '')?.[1];
  }

  function answer(request: FakeRequest, response: ServerResponse): FakeAnswer | null {
    const isOpen = openRoutes.some(
      ({ method, pattern }) => method === request.method && pattern.test(request.path),
    );
    if (!isOpen && !sessions.has(sessionOf(request.headers.cookie) ?? '')) {
      throw new Refusal(401, 'unauthorized', 'Sign in first.');
    }
    if (request.method !== 'GET' && request.headers.origin !== url) {
      throw new Refusal(403, 'forbidden', 'The request came from another page.');
    }
    for (const { method, pattern, query, body, handle } of [...openRoutes, ...routes]) {
      const match = pattern.exec(request.path);
      if (match === null || method !== request.method) continue;
      const unknown = [...request.query.keys()].filter((field) => !query.includes(field));
      unknown.push(...Object.keys(request.body).filter((field) => !body.includes(field)));
      if (unknown.length > 0) {
        complaints.push(`unknown field ${unknown.join(', ')} in ${request.method} ${request.path}`);
        throw new Refusal(422, 'validation_failed', `${unknown[0]}: unknown field`);
      }
      return handle(request, match.slice(1).map(decodeURIComponent), response);
    }
    throw new Refusal(404, 'not_found', 'There is nothing here.');
  }

  function servePage(path: string, response: ServerResponse): void {
    const file = new URL(path.replace(/^\/console\//, ''), directory);
    const isFile = path.startsWith('/console/') && /\.\w+$/.test(path) && existsSync(file);
    const shown = isFile ? file : new URL('index.html', directory);
    const type = contentTypes[shown.pathname.split('.').at(-1) ?? ''] ?? 'application/octet-stream';
    const headers = shown.pathname.endsWith(MAIL_FRAME)
      ? MAIL_FRAME_HEADERS
      : { 'content-security-policy': CONTENT_SECURITY_POLICY };
    response.writeHead(200, { 'content-type': type, ...headers });
    createReadStream(shown).pipe(response);
  }

  function isApi(path: string): boolean {
    return path.startsWith('/console/api/') || !/^\/(console|chat)(\/|$)/.test(path);
  }

  async function onRequest(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const target = new URL(incoming.url ?? '/', url);
    const method = incoming.method ?? 'GET';
    const path = target.pathname;
    if (!isApi(path)) return servePage(path, response);
    requests.push(`${method} ${path}`);
    const body = await readBody(incoming);
    const held = holds.find((hold) => hold.method === method && hold.path.test(path));
    if (held !== undefined) await held.until;
    const request = { method, path, query: target.searchParams, headers: incoming.headers, body };
    const fault = faults.find((one) => one.times > 0 && one.method === method && one.path.test(path));
    let result: FakeAnswer | null;
    try {
      if (fault !== undefined) {
        fault.times -= 1;
        if (fault.carriedOut) answer(request, response);
        if (fault.how === 'hang-up') {
          // A browser by itself repeats a request that got nothing back, so the line breaks in the answer.
          response.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 });
          response.write('{', () => response.destroy());
          return;
        }
        throw new Refusal(fault.how, 'internal_error', 'Something went wrong on the server.');
      }
      result = answer(request, response);
    } catch (error) {
      const refusal = error instanceof Refusal ? error : new Refusal(500, 'internal_error', String(error));
      result = refusalBody(path, refusal);
    }
    if (result === null) return;
    response.writeHead(result.status, { 'content-type': 'application/json', ...result.headers });
    if (result.bytes !== undefined) response.end(result.bytes);
    else response.end(result.body === undefined ? undefined : JSON.stringify(result.body));
  }

  const server = createServer((incoming, response) => void onRequest(incoming, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    url,
    chat,
    inbox,
    campaigns,
    threads,
    requests,
    complaints,
    newLoginToken() {
      const token = `token-${++count}`;
      tokens.add(token);
      return token;
    },
    newSession() {
      const value = `session-${++count}`;
      sessions.add(value);
      return { name: COOKIE, value, url };
    },
    endSessions: () => sessions.clear(),
    fail: (fault) => void faults.push(fault),
    hold(method, path) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const hold = { method, path, until: promise };
      holds.push(hold);
      return () => {
        holds.splice(holds.indexOf(hold), 1);
        resolve();
      };
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
