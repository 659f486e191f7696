import { createServer, dialectByPrefix, problemDialect } from '@postern/http';
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import { onTestFinished } from 'vitest';
import { inboxDialect } from '../errors.ts';
import type { RunningInbox } from '../inbox.ts';
import { inboxPrefixes, mountInbox } from '../mount.ts';
import type { InboxBench } from './bench.ts';
import { type FakeConnector, fakeConnector } from './fake-connector.ts';

/** Secrets of a test's hub. */
export const BEARER = 'bearer-0123456789-0123456789';
export const ADMIN_KEY = 'admin-key-0123456789-0123456789';

export interface InboxHub {
  readonly app: FastifyInstance;
  readonly inbox: RunningInbox;
  readonly platform: FakeConnector;
  /** One request, as the agent `a1` with the bearer unless its headers say otherwise. */
  call(request: InjectOptions): Promise<LightMyRequestResponse>;
  /** One request with the admin key. */
  admin(request: InjectOptions): Promise<LightMyRequestResponse>;
}

/** The inbox behind its real routes, with one platform in memory; it does not listen. */
export function inboxHub(bench: InboxBench, platform: FakeConnector = fakeConnector()): InboxHub {
  const { ports, log } = bench;
  const { publicUrl } = ports;
  const problem = problemDialect({ publicUrl });
  const app = createServer({
    log,
    publicUrl,
    dialectFor: dialectByPrefix(new Map(inboxPrefixes.map((prefix) => [prefix, inboxDialect])), problem),
  });
  const inbox = bench.inbox(platform);
  mountInbox(app, {
    inbox,
    ports,
    credentials: { bearer: BEARER, adminOf: async (secret) => (secret === ADMIN_KEY ? 'bootstrap' : null) },
    hosts: { publicUrl },
    log,
    operatorOf: async ({ headers }) => (headers.cookie === 'postern_session=good' ? 'console' : null),
    httpDialect: problem,
  });
  onTestFinished(async () => {
    await app.close();
  });
  const inject = (request: InjectOptions, headers: Record<string, string>) =>
    app.inject({ ...request, headers: { host: '127.0.0.1:8080', ...headers, ...request.headers } });
  return {
    app,
    inbox,
    platform,
    call: (request) => inject(request, { authorization: `Bearer ${BEARER}`, 'x-agent-id': 'a1' }),
    admin: (request) => inject(request, { authorization: `Bearer ${ADMIN_KEY}` }),
  };
}
