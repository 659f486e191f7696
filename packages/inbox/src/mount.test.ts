import { fieldPlace, inputJsonSchema, type JsonSchema, pathParameters } from '@postern/kit';
import { buryJob, claimJobs } from '@postern/store';
import { describeEngines } from '@postern/store/testing';
import fc from 'fast-check';
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import { expect, test } from 'vitest';
import { createToken } from './access/tokens.ts';
import { inboxErrors } from './errors.ts';
import { type InboxOperation, inboxOperations } from './operations/index.ts';
import {
  ADMIN_KEY,
  BEARER,
  fakeConnector,
  type InboxBench,
  type InboxHub,
  inboundFile,
  inboxBench,
  inboxHub,
  inputFor,
  messageEvent,
} from './testing/index.ts';
import { WEBHOOK_TOPIC } from './webhooks/enqueue.ts';

const WEBHOOK = { url: 'https://hooks.example/inbox', secrets: [`whsec_${'a'.repeat(32)}`] };

interface World {
  readonly bench: InboxBench;
  readonly hub: InboxHub;
  readonly token: string;
  /** Ids and the like that exist, for inputs that hit. */
  readonly known: Record<string, string[]>;
  /** For each operation an input that succeeds. */
  readonly good: Record<string, Record<string, unknown>>;
}

/** An inbox in which every kind of thing is there to be hit. */
async function world(engine: 'sqlite' | 'postgres'): Promise<World> {
  const bench = await inboxBench(engine, {
    config: { webhooks: [WEBHOOK], pairing: 'on', rateLimit: { perSecond: 1_000, burst: 10_000 } },
  });
  const hub = inboxHub(bench, fakeConnector({ typing: async () => undefined }));
  await bench.allow('ana', { displayName: 'Ana', personId: 'p1' });
  const [one, two, stranger, writer] = [
    messageEvent({ attachments: [inboundFile('a.txt', '0123456789')] }),
    messageEvent(),
    messageEvent({ sender: { id: 'eve', displayName: 'Eve' }, attachments: [inboundFile('b', 'x')] }),
    messageEvent({
      sender: { id: 'mallory', displayName: 'Eve' },
      channel: { id: 'local:dm-mallory', type: 'dm' },
    }),
  ];
  await bench.accept(one, two, stranger, writer);
  const [job] = await claimJobs(bench.ports.store, WEBHOOK_TOPIC, { limit: 1, leaseMs: 1_000 });
  await buryJob(bench.ports.store.db, job!, { error: 'gone', status: 410 });
  const idOf = async (event: typeof one) => (await bench.stored(event.platformId)).message_id;
  const ids = await Promise.all([one, two, stranger, writer].map(idOf));
  await hub.inbox.markRead('a1', [ids[1]!]);
  const made = await createToken(bench.ports, { agentId: 'a1', scopes: ['read'], name: 't', actor: 'x' });
  const attachmentIds = (await bench.ports.store.db.selectFrom('inbox_attachments').selectAll().execute())
    .sort((a, b) => (a.message_id === ids[0] ? -1 : b.message_id === ids[0] ? 1 : 0))
    .map((row) => row.attachment_id);
  const code = (await hub.inbox.pairings())[0]!.code;
  const channel_id = 'local:team';
  return {
    bench,
    hub,
    token: made.token,
    known: {
      channel_id: ['local:team', 'local:dm-mallory', 'discord:dm:1', '+15551234567'],
      message_id: ids,
      message_ids: ids,
      around_message_id: ids,
      reply_to: ids,
      before: ids,
      attachment_id: attachmentIds,
      sender_id: ['ana', 'eve', 'mallory'],
      code: [code],
      token_id: [made.token_id],
      delivery_id: [String(job!.id), '9'.repeat(15)],
      cursor: [String(job!.id), '9'.repeat(15)],
      since: [
        '2026-05-01',
        '2026-05-01T00:00:00.000001Z',
        '2026-05-01T00:00:00+02:00',
        '0001-01-01',
        '9999-12-31',
      ],
      url: [`http://127.0.0.1:8080/attachments/${attachmentIds[0]}`, 'https://example.com/a.png'],
      path: ['/etc/passwd', 'relative', '/'],
    },
    good: {
      approve_pairing: { code },
      create_agent_token: { agent_id: 'a9' },
      delete_allowlist_entry: { source: 'local', sender_id: 'ana' },
      get_attachment: { attachment_id: attachmentIds[0] },
      get_message: { message_id: ids[0] },
      get_message_context: { channel_id, around_message_id: ids[0] },
      list_agent_tokens: {},
      list_agents: {},
      list_allowlist: {},
      list_channel_messages: { channel_id, before: ids[1] },
      list_channels: {},
      list_pairings: {},
      list_quarantine: { before: ids[3] },
      list_unread_messages: { since: '2026-04-01', source: 'local', channel_id, limit: 1, wait: 60 },
      list_webhook_deliveries: { state: 'dead', cursor: '999' },
      mark_read: { message_ids: ids },
      put_allowlist_entry: { source: 'local', sender_id: 'eve', display_name: null, release: true },
      put_channel: { channel_id: 'discord:dm:1', allow_mass_mentions: true },
      release_message: { message_id: ids[2] },
      replay_webhook_delivery: { delivery_id: String(job!.id) },
      revoke_agent_token: { token_id: made.token_id },
      send_message: { channel_id, text: 'hi', reply_to: ids[0] },
      show_typing: { channel_id },
    },
  };
}

const TABLES = [
  'inbox_clock',
  'inbox_channels',
  'inbox_messages',
  'inbox_platform_ids',
  'inbox_attachments',
  'inbox_agents',
  'inbox_unread',
  'inbox_reads',
  'inbox_allowlist',
  'inbox_pairings',
  'inbox_cursors',
  'inbox_channel_cursors',
  'inbox_audit',
  'outbox',
  'idempotency_keys',
] as const;

/** All that is stored, but when tokens were last used and how full buckets are. */
async function everything({ bench, hub }: World): Promise<string> {
  const { db } = bench.ports.store;
  const rows: unknown[] = [hub.platform.calls, await bench.keptBlobs()];
  for (const table of TABLES) {
    const found = await db.selectFrom(table).selectAll().execute();
    rows.push([table, found.map((row) => JSON.stringify(row)).sort()]);
  }
  rows.push(await db.selectFrom('inbox_tokens').select(['token_id', 'scopes']).orderBy('token_id').execute());
  return JSON.stringify(rows, null, 1);
}

function jsonSchemaOf(operation: InboxOperation): JsonSchema {
  const input = inputJsonSchema(operation.input);
  const restOnly = operation.restOnly ? inputJsonSchema(operation.restOnly) : {};
  return { ...input, properties: { ...(input.properties as object), ...(restOnly.properties as object) } };
}

/** The request that carries an input, each field where it belongs. */
function requestFor(operation: InboxOperation, input: Record<string, unknown>): InjectOptions {
  const { method } = operation.http;
  const query = new URLSearchParams();
  const body: Record<string, unknown> = {};
  const asText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  for (const [field, value] of Object.entries(input)) {
    const place = fieldPlace(operation, field);
    if (place === 'query') for (const item of [value].flat()) query.append(field, asText(item));
    if (place === 'body') body[field] = value;
  }
  const path = operation.http.path.replace(/:([a-z_]+)/g, (_, name: string) =>
    encodeURIComponent(asText(input[name] ?? 'missing').toWellFormed()),
  );
  return {
    method,
    url: query.size > 0 ? `${path}?${query}` : path,
    ...(method === 'GET' || method === 'DELETE'
      ? {}
      : { payload: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  };
}

/** The answer; a call that waits on purpose gets its time. */
async function answered(world: World, request: InjectOptions): Promise<LightMyRequestResponse> {
  const call = world.hub.app.inject(request);
  if (!String(request.url).includes('wait=')) return call;
  let isDone = false;
  const done = call.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    if (world.bench.clock.sleeping > 0) await world.bench.clock.advance(60_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return done;
}

/** Whatever is refused is refused in the inbox's words, and tells nothing about its insides. */
function expectEnvelope(response: LightMyRequestResponse): void {
  const body: { error: { code: string; message: string; status: number; details?: unknown } } =
    response.json();
  expect(Object.keys(body)).toEqual(['error']);
  const { code, message, status, details, ...rest } = body.error;
  expect(rest).toEqual({});
  expect(status).toBe(response.statusCode);
  const { status: usual } = inboxErrors[code as keyof typeof inboxErrors];
  if (code === 'VALIDATION_FAILED') expect([400, 415, 416, usual]).toContain(status);
  else expect(status).toBe(usual);
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(message).not.toMatch(/\n {4}at |node_modules|SQLITE|inbox_[a-z]+ |select /);
  if (details !== undefined) expect(typeof details).toBe('object');
  if (status === 401) expect(response.headers['www-authenticate']).toBe('Bearer realm="postern"');
  if (status === 429 || status === 409) expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
}

const rightfulSecret = (operation: InboxOperation) =>
  operation.rights.scope === 'admin' ? ADMIN_KEY : BEARER;

describeEngines('every operation, fed with inputs from and around its schema', (engine) => {
  test.each(inboxOperations.map((operation) => [operation.name, operation] as const))(
    '%s: answers in the inbox’s dialect, never with 500, and what it refuses changes nothing',
    async (name, operation) => {
      const place = await world(engine);
      let before = await everything(place);
      const mostly = <T>(usual: T[], ...odd: T[]) =>
        fc.oneof(
          { weight: 12, arbitrary: fc.constantFrom(...usual) },
          { weight: 1, arbitrary: fc.constantFrom(...odd) },
        );
      const statuses: number[] = [];
      await fc.assert(
        fc.asyncProperty(
          inputFor(jsonSchemaOf(operation), place.known),
          mostly([rightfulSecret(operation)], BEARER, ADMIN_KEY, 'wrong', place.token),
          mostly<string | undefined>(['a1', 'a2'], '', 'a b', 'x'.repeat(65), undefined),
          mostly([undefined, 'k1', 'k2'], '', 'x'.repeat(256), 'two words'),
          mostly([undefined, 'bytes=0-3', 'bytes=-2'], 'bytes=99-', 'nonsense'),
          async (input, secret, agent, key, range) => {
            const request = requestFor(operation, input);
            const response = await answered(place, {
              ...request,
              headers: {
                ...(request.headers as Record<string, string>),
                host: '127.0.0.1:8080',
                authorization: `Bearer ${secret}`,
                ...(agent === undefined ? {} : { 'x-agent-id': agent }),
                ...(key === undefined ? {} : { 'idempotency-key': key }),
                ...(range === undefined ? {} : { range }),
              },
            });
            statuses.push(response.statusCode);
            expect(place.bench.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
            expect(response.statusCode).not.toBe(500);
            const isRefused = response.statusCode >= 300;
            if (isRefused) expectEnvelope(response);
            const after = await everything(place);
            // What the platform was asked for is on record even when it said no.
            const mayChange = (!isRefused && !operation.annotations.readOnly) || response.statusCode === 502;
            if (!mayChange) expect(after).toBe(before);
            before = after;
          },
        ),
        {
          numRuns: engine === 'sqlite' ? 60 : 15,
          examples: [[place.good[name] ?? {}, rightfulSecret(operation), 'a1', undefined, undefined]],
        },
      );
      expect(statuses[0]).toBe(operation.http.status ?? 200);
    },
  );
});

describeEngines('requests that are no good before any operation is asked', (engine) => {
  test('are answered in the inbox’s dialect and change nothing', async () => {
    const place = await world(engine);
    const before = await everything(place);
    const json = { 'content-type': 'application/json' };
    const send = { method: 'POST', url: '/messages/send' } as const;
    const table: [InjectOptions, number][] = [
      [{ ...send, headers: json, payload: '{' }, 400],
      [{ ...send, headers: json, payload: '' }, 422],
      [{ ...send, headers: json, payload: '[]' }, 422],
      [{ ...send, headers: json, payload: 'null' }, 422],
      [{ ...send, headers: json, payload: Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]) }, 400],
      [{ ...send, headers: json, payload: `{"text":${'['.repeat(500)}${']'.repeat(500)}}` }, 400],
      [{ ...send, headers: { 'content-type': 'text/plain' }, payload: '{}' }, 415],
      [{ ...send, headers: { 'content-type': 'application/x-www-form-urlencoded' }, payload: 'text=a' }, 415],
      [{ method: 'GET', url: '/messages/unread?limit=1&limit=2' }, 422],
      [{ method: 'GET', url: '/messages/unread?nope=1' }, 422],
      [{ method: 'GET', url: '/messages/%ff' }, 400],
      [{ method: 'GET', url: `/messages/${'x'.repeat(4_000)}` }, 404],
      [{ method: 'DELETE', url: '/messages/send' }, 405],
      [{ method: 'GET', url: '/messages/send' }, 405],
      [{ method: 'PUT', url: '/messages/unread' }, 405],
      [{ method: 'GET', url: '/messages' }, 404],
      [{ method: 'GET', url: '/attachments' }, 404],
      [{ method: 'GET', url: '/channels/nowhere/messages/x' }, 404],
    ];
    for (const [request, status] of table) {
      const response = await place.hub.call(request);
      expect([request.url, request.payload?.toString().slice(0, 60), response.statusCode]).toEqual([
        request.url,
        request.payload?.toString().slice(0, 60),
        status,
      ]);
      expectEnvelope(response);
      if (status === 405) expect(response.headers.allow).toBeTruthy();
    }
    expect(await everything(place)).toBe(before);
  });

  test('without a good credential every route says 401 and nothing about what is there', async () => {
    const place = await world(engine);
    const bodies = new Set<string>();
    for (const { http } of inboxOperations) {
      const url = http.path.replace(/:[a-z_]+/g, place.known.message_id![0]!);
      for (const authorization of [undefined, 'Bearer wrong', 'Basic abc']) {
        const headers = { host: '127.0.0.1', ...(authorization ? { authorization } : {}) };
        const response = await place.hub.app.inject({ method: http.method, url, headers });
        expect([http.path, response.statusCode]).toEqual([http.path, 401]);
        expectEnvelope(response);
        bodies.add(response.body);
      }
    }
    expect(bodies.size).toBe(2);
  });

  test('a path’s parameters are all there is to it: no operation has fields that hide', () => {
    for (const operation of inboxOperations)
      for (const name of pathParameters(operation.http.path))
        expect(fieldPlace(operation, name)).toBe('path');
  });
});
