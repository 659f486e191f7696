import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { verifyWebhook } from '@postern/http';
import { describeEngines } from '@postern/store/testing';
import { expect, onTestFinished, test } from 'vitest';
import { type InboxBench, inboundFile, inboxBench, messageEvent } from '../testing/index.ts';
import { WEBHOOK_TOPIC } from './enqueue.ts';
import { runWebhooks } from './run.ts';

const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A receiver on this machine that answers with the given statuses, then with 204. */
async function receiver(...statuses: number[]) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    received.push({ headers: request.headers, body: await text(request) });
    response.writeHead(statuses.shift() ?? 204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` };
}

function work(bench: InboxBench, ports = bench.ports): void {
  const stop = new AbortController();
  const done = runWebhooks(ports, stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await done;
  });
}

async function until(bench: InboxBench, state: 'done' | 'dead', count: number) {
  for (;;) {
    const jobs = await bench.ports.store.db
      .selectFrom('outbox')
      .select(['state', 'last_status', 'last_error', 'attempts'])
      .where('topic', '=', WEBHOOK_TOPIC)
      .where('state', '=', state)
      .execute();
    if (jobs.length >= count) return jobs;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Lets time pass until the receiver has had so many, but none while one is under way: it would run out of time. */
async function untilReceived(bench: InboxBench, received: readonly Received[], count: number) {
  while (received.length < count) {
    const { state } = await bench.ports.store.db
      .selectFrom('outbox')
      .select('state')
      .where('topic', '=', WEBHOOK_TOPIC)
      .executeTakeFirstOrThrow();
    if (state === 'pending') await bench.clock.advance(10_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describeEngines('pushing to a webhook', (engine) => {
  test('an accepted message arrives signed, with its envelope; a stranger’s does not', async () => {
    const { received, url } = await receiver();
    const bench = await inboxBench(engine, {
      config: { webhooks: [{ url, secrets: [SECRET], allowLoopback: true }] },
    });
    await bench.allow('ana');
    const event = messageEvent({ text: 'hello', attachments: [inboundFile('a.txt', 'x')] });
    await bench.accept(messageEvent({ sender: { id: 'eve', displayName: 'Eve' } }), event);
    work(bench);
    await until(bench, 'done', 1);
    expect(received).toHaveLength(1);
    const [{ headers, body }] = received as [Received];
    const nowSeconds = bench.clock.nowMicroseconds() / 1_000_000;
    const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    expect(verifyWebhook(given, body, { secrets: [SECRET], nowSeconds })).toBe(true);
    expect(headers['content-type']).toBe('application/json');
    const { message_id } = await bench.stored(event.platformId);
    expect(JSON.parse(body)).toEqual({
      type: 'message.received',
      timestamp: '2026-05-01T00:00:00.000Z',
      data: await bench.inbox().message(message_id),
    });
  });

  test('a delivery that is given up is told in the log, without its address', async () => {
    const { url, received } = await receiver(503, 410);
    const bench = await inboxBench(engine, {
      config: { webhooks: [{ url, secrets: [SECRET], allowLoopback: true }] },
    });
    await bench.allow('ana');
    const event = messageEvent();
    await bench.accept(event);
    work(bench);
    await untilReceived(bench, received, 2);
    await until(bench, 'dead', 1);
    const { message_id } = await bench.stored(event.platformId);
    await expect
      .poll(() => bench.log.lines)
      .toEqual([
        {
          level: 'warn',
          message: 'a webhook was given up; postern webhooks replay sends it again',
          fields: {
            delivery: expect.stringMatching(/^\d+$/),
            event: 'message.received',
            messageId: message_id,
            attempts: 2,
            reason: 'The receiver answered 410.',
          },
        },
      ]);
  });

  test('a late attempt carries attachment addresses that are still good, under the same id', async () => {
    const { received, url } = await receiver(503);
    const bench = await inboxBench(engine, {
      config: { webhooks: [{ url, secrets: [SECRET], allowLoopback: true }] },
    });
    await bench.allow('ana');
    await bench.accept(messageEvent({ attachments: [inboundFile('a.txt', 'x')] }));
    work(bench);
    while (received.length < 1) await new Promise((resolve) => setImmediate(resolve));
    bench.clock.set(bench.clock.nowMicroseconds() + 2 * 3_600_000_000);
    await untilReceived(bench, received, 2);
    await until(bench, 'done', 1);
    expect(received[1]!.headers['webhook-id']).toBe(received[0]!.headers['webhook-id']);
    const address = new URL(JSON.parse(received[1]!.body).data.attachments[0].url);
    const audience = bench
      .inbox()
      .attachmentAudience(
        address.pathname.split('/').at(-1) ?? '',
        Number(address.searchParams.get('expires')),
        address.searchParams.get('signature') ?? '',
      );
    expect(audience).toBe('agent');
  });

  test('a target that says no for good, is not public, or was taken out of the settings: dead at once', async () => {
    const { received, url } = await receiver(410);
    const webhooks = [
      { url, secrets: [SECRET], allowLoopback: true },
      { url: url.replace('/hook', '/not-allowed'), secrets: [SECRET] },
      { url: 'https://removed.example/', secrets: [SECRET] },
    ];
    const bench = await inboxBench(engine, { config: { webhooks } });
    await bench.allow('ana');
    await bench.accept(messageEvent());
    const config = { ...bench.ports.config, webhooks: bench.ports.config.webhooks.slice(0, 2) };
    work(bench, { ...bench.ports, config });
    const dead = await until(bench, 'dead', 3);
    expect(dead.map(({ last_status, attempts }) => `${last_status} ${attempts}`).sort()).toEqual([
      '410 1',
      'null 1',
      'null 1',
    ]);
    expect(received).toHaveLength(1);
  });
});
