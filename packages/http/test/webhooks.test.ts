import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '@postern/kit';
import { fakeClock, seededRandom } from '@postern/kit/testing';
import { enqueue, findJob, type Job, type JobOutcome, runOutbox } from '@postern/store';
import { freshStore } from '@postern/store/testing';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  retryAfterMs,
  WEBHOOK_DELAYS_MS,
  type WebhookDeliveryOptions,
  webhookDelivery,
} from '../src/webhooks/deliver.ts';
import { newWebhookSecret, signWebhook, verifyWebhook, webhookKey } from '../src/webhooks/sign.ts';

const [first, second] = [newWebhookSecret(seededRandom(1)), newWebhookSecret(seededRandom(2))] as const;

describe('signatures', () => {
  const message = { id: 'msg_1', timestampSeconds: Math.floor(Date.now() / 1_000), body: '{"a":"ü"}' };

  test('verify with the reference library, for each of two secrets', () => {
    const headers = { ...signWebhook(message, [first, second]) };
    expect(new Webhook(first).verify(message.body, headers)).toEqual({ a: 'ü' });
    expect(new Webhook(second).verify(message.body, headers)).toEqual({ a: 'ü' });
    expect(() => new Webhook(newWebhookSecret(seededRandom(3))).verify(message.body, headers)).toThrow();
  });

  test("are those of the specification's example", () => {
    const example = {
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      timestampSeconds: 1_614_265_330,
      body: '{"test": 2432232314}',
    };
    expect(signWebhook(example, ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'])['webhook-signature']).toBe(
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    );
  });

  test('of the reference library verify here', () => {
    const signed = new Webhook(first).sign(
      message.id,
      new Date(message.timestampSeconds * 1_000),
      message.body,
    );
    const headers = {
      'webhook-id': message.id,
      'webhook-timestamp': String(message.timestampSeconds),
      'webhook-signature': `v1a,xx ${signed}`,
    };
    const options = { secrets: [second, first], nowSeconds: message.timestampSeconds };
    expect(verifyWebhook(headers, message.body, options)).toBe(true);
    expect(verifyWebhook(headers, `${message.body} `, options)).toBe(false);
    expect(verifyWebhook({ ...headers, 'webhook-id': 'other' }, message.body, options)).toBe(false);
    expect(verifyWebhook(headers, message.body, { ...options, secrets: [second] })).toBe(false);
    expect(
      verifyWebhook(headers, message.body, { ...options, nowSeconds: message.timestampSeconds + 301 }),
    ).toBe(false);
    expect(
      verifyWebhook(headers, message.body, { ...options, nowSeconds: message.timestampSeconds - 301 }),
    ).toBe(false);
    expect(verifyWebhook({ ...headers, 'webhook-signature': undefined }, message.body, options)).toBe(false);
    expect(verifyWebhook({ ...headers, 'webhook-signature': 'v1,' }, message.body, options)).toBe(false);
  });

  test.each([
    '',
    'whsec_',
    'whsec_short',
    'whsec_not base64 at all, not even nearly!',
    `whsec_${Buffer.alloc(65).toString('base64')}`,
  ])('a secret that is none is refused without being repeated: %s', (secret) => {
    expect(() => webhookKey(secret)).toThrow(
      'a webhook secret is whsec_ and the base64 of 24 to 64 random bytes',
    );
  });
});

describe('Retry-After', () => {
  const now = Date.UTC(2026, 4, 1);
  test.each([
    [undefined, 0],
    ['7', 7_000],
    ['0', 0],
    ['Fri, 01 May 2026 00:01:00 GMT', 60_000],
    ['Thu, 30 Apr 2026 00:00:00 GMT', 0],
    ['999999999', 86_400_000],
    ['soon', 0],
    ['-5', 0],
  ])('%s is %s ms', (field, expected) => {
    expect(retryAfterMs(field, now)).toBe(expected);
  });
});

/** What the receiver does with the next requests; the last command stays. */
type Command = { status: number; headers?: Record<string, string> } | 'hang' | 'reset' | 'half';

let server: Server;
let url: string;
let commands: Command[] = [];
let received: { headers: IncomingHttpHeaders; body: string }[] = [];

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    received.push({ headers: request.headers, body });
    const command = commands.length > 1 ? commands.shift() : commands[0];
    if (command === 'reset') request.socket.destroy();
    else if (command === 'half') request.socket.end('HTTP/1.1 200 OK\r\ncontent-le');
    else if (command !== 'hang' && command !== undefined)
      response.writeHead(command.status, command.headers).end('thanks');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  commands = [];
  received = [];
});

const body = '{"type":"message.received","data":{"text":"héllo"}}';

function deliver(
  attempts: number,
  overrides: Partial<WebhookDeliveryOptions> & { url?: string; allowLoopback?: boolean } = {},
): Promise<JobOutcome> {
  const handle = webhookDelivery({
    clock: systemClock,
    random: seededRandom(4),
    requestFor: () => ({
      url: overrides.url ?? url,
      id: 'evt_1',
      body,
      secrets: [first, second],
      allowLoopback: overrides.allowLoopback ?? true,
    }),
    ...overrides,
  });
  const job: Job = {
    id: 1,
    topic: 'webhook',
    key: null,
    payload: '',
    state: 'claimed',
    attempts,
    claim: 1,
    runAtUs: 0,
    createdUs: 0,
    finishedUs: null,
    lastError: null,
    lastStatus: null,
  };
  return handle(job, new AbortController().signal);
}

describe('one attempt', () => {
  test('is a POST that the reference library verifies', async () => {
    commands = [{ status: 200 }];
    expect(await deliver(1)).toEqual({ result: 'done', status: 200 });
    const [request] = received;
    expect(request?.headers['content-type']).toBe('application/json');
    expect(request?.headers['webhook-id']).toBe('evt_1');
    for (const secret of [first, second]) {
      expect(new Webhook(secret).verify(request!.body, request!.headers as Record<string, string>)).toEqual(
        JSON.parse(body),
      );
    }
  });

  test.each([200, 201, 202, 204, 299])('%i is done', async (status) => {
    commands = [{ status }];
    expect(await deliver(1)).toEqual({ result: 'done', status });
  });

  test.each([301, 302, 307, 400, 401, 404, 410, 422])('%i is dead at once', async (status) => {
    commands = [{ status, headers: { location: url } }];
    expect(await deliver(1)).toEqual({ result: 'dead', status, error: `The receiver answered ${status}.` });
    expect(received).toHaveLength(1);
  });

  test.each([408, 425, 429, 500, 502, 503, 504])('%i is tried again', async (status) => {
    commands = [{ status }];
    expect(await deliver(1)).toMatchObject({ result: 'retry', status });
  });

  test.each(['reset', 'half', 'hang'] as const)('a receiver that does %s is tried again', async (command) => {
    commands = [command];
    expect(await deliver(1, { timeoutMs: 200 })).toMatchObject({ result: 'retry', status: null });
  });

  test('a port nobody listens on, and a name nobody knows, are tried again', async () => {
    expect(await deliver(1, { url: 'http://127.0.0.1:1/' })).toMatchObject({ result: 'retry' });
    expect(await deliver(1, { url: 'http://x.example/', resolve: async () => [] })).toMatchObject({
      result: 'retry',
    });
  });

  test('an address that is not public is dead at once', async () => {
    expect(await deliver(1, { allowLoopback: false })).toMatchObject({
      result: 'dead',
      error: 'The address is not a public one.',
    });
    expect(await deliver(1, { url: 'http://169.254.169.254/' })).toMatchObject({ result: 'dead' });
    expect(received).toEqual([]);
  });

  test('a target that is configured no more is dead', async () => {
    expect(await deliver(1, { requestFor: () => ({ gone: 'No such webhook.' }) })).toEqual({
      result: 'dead',
      error: 'No such webhook.',
    });
  });

  test('waits grow as the schedule says, give or take a fifth, and end', async () => {
    commands = [{ status: 500 }];
    for (const [index, delay] of WEBHOOK_DELAYS_MS.entries()) {
      const outcome = await deliver(index + 1, { random: seededRandom(index) });
      if (outcome.result !== 'retry') throw new Error('expected a retry');
      expect(outcome.afterMs).toBeGreaterThanOrEqual(delay * 0.8);
      expect(outcome.afterMs).toBeLessThanOrEqual(delay * 1.2);
    }
    expect(await deliver(WEBHOOK_DELAYS_MS.length + 1)).toMatchObject({ result: 'dead', status: 500 });
  });

  test('Retry-After is honoured', async () => {
    commands = [{ status: 429, headers: { 'retry-after': '120' } }];
    expect(await deliver(1)).toMatchObject({ result: 'retry', afterMs: 120_000 });
  });
});

test('out of the outbox: retried with the same id and body and a fresh timestamp, until it is taken', async () => {
  const clock = fakeClock();
  const { store } = await freshStore('sqlite', { clock });
  const stop = new AbortController();
  commands = [{ status: 500 }, 'reset', { status: 200 }];
  const id = await store.transaction((tx) =>
    enqueue(tx, { topic: 'webhook', payload: JSON.stringify({ body }) }),
  );
  const worker = runOutbox({
    store,
    topic: 'webhook',
    signal: stop.signal,
    handle: webhookDelivery({
      clock,
      random: seededRandom(5),
      requestFor: (job) => ({
        url,
        id: `evt_${job.id}`,
        body: JSON.parse(job.payload).body,
        secrets: [first],
        allowLoopback: true,
      }),
    }),
  });
  const stateOf = async () => (await findJob(store.db, id!))?.state;
  while ((await stateOf()) !== 'done') {
    await new Promise((resolve) => setImmediate(resolve));
    if ((await stateOf()) === 'pending') await clock.advance(1_000);
  }
  stop.abort();
  await worker;
  expect(received).toHaveLength(3);
  expect(new Set(received.map((request) => `${request.headers['webhook-id']} ${request.body}`)).size).toBe(1);
  const times = received.map(({ headers }) => Number(headers['webhook-timestamp']));
  expect(times[2]! - times[0]!).toBeGreaterThanOrEqual(4);
  for (const { headers } of received) {
    const nowSeconds = Number(headers['webhook-timestamp']);
    expect(verifyWebhook(headers as Record<string, string>, body, { secrets: [first], nowSeconds })).toBe(
      true,
    );
  }
  expect(await findJob(store.db, id!)).toMatchObject({ attempts: 3, lastStatus: 200 });
});
