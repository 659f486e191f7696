import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifyWebhook } from '@postern/http';
import { systemClock } from '@postern/kit';
import { describeEngines } from '@postern/store/testing';
import { expect, onTestFinished, test } from 'vitest';
import { campaignsBench } from '../testing/bench.ts';
import { emitEvents } from './events.ts';
import { runWebhooks } from './run.ts';

const eventually = <T>(look: () => T) => expect.poll(look, { timeout: 15_000 });

interface Post {
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A receiver that answers what it is told. */
async function receiver(statuses: number[]): Promise<{ url: string; posts: Post[] }> {
  const posts: Post[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    posts.push({ headers: request.headers, body });
    response.writeHead(statuses.shift() ?? 204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/in`, posts };
}

describeEngines('webhooks', (engine) => {
  async function start(statuses: number[] = []) {
    const bench = await campaignsBench(engine, { ports: { clock: systemClock } });
    const project = await bench.makeProject();
    const { admin } = await bench.http();
    const { url, posts } = await receiver(statuses);
    const context = { project_id: project.project_id };
    const created = await admin.rest('POST /webhooks', { ...context, url, events: ['campaign.finished'] });
    const stop = new AbortController();
    const running = runWebhooks(bench.ports, stop.signal);
    onTestFinished(async () => {
      stop.abort();
      await running;
    });
    const query = `project_id=${project.project_id}`;
    return {
      ...bench,
      project,
      admin,
      posts,
      query,
      context,
      webhook: created.body as { id: string; secret: string },
      emit: (type: 'campaign.finished' | 'campaign.failed', projectId = project.project_id) =>
        bench.ports.store.transaction((tx) =>
          emitEvents(tx, bench.ports, [{ projectId, type, data: { campaign_id: 'c' } }]),
        ),
      deliveries: async () =>
        (await admin.rest(`GET /webhooks/${created.body.id}/deliveries?${query}`)).body.data,
    };
  }

  test('go to addresses without line breaks or spaces', async () => {
    const { admin, context } = await start();
    for (const url of ['https://example.org/\r\nX: y', 'https://example.org/a b', 'https://example.org/\t']) {
      const { status, body } = await admin.rest('POST /webhooks', {
        ...context,
        url,
        events: ['delivery.sent'],
      });
      expect([status, body.errors?.[0].field]).toEqual([422, 'url']);
    }
  });

  test('get what they asked for, signed, and nothing else', async () => {
    const { posts, webhook, emit, deliveries, makeProject } = await start();
    await emit('campaign.failed');
    await emit('campaign.finished', (await makeProject()).project_id);
    await emit('campaign.finished');
    await eventually(() => posts.length).toBe(1);
    const [post] = posts;
    expect(JSON.parse(post!.body)).toEqual({
      type: 'campaign.finished',
      timestamp: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      data: { campaign_id: 'c' },
    });
    const nowSeconds = Math.floor(systemClock.nowMicroseconds() / 1_000_000);
    const headers = post!.headers as Record<string, string>;
    expect(verifyWebhook(headers, post!.body, { secrets: [webhook.secret], nowSeconds })).toBe(true);
    await eventually(deliveries).toMatchObject([
      { state: 'done', attempts: 1, response_status: 204, next_attempt_at: null, event: 'campaign.finished' },
    ]);
    expect((await deliveries())[0].id).toBe(headers['webhook-id']);
  });

  test('are tried again when their receiver is busy, and dead when it refuses; a redelivery keeps the id', async () => {
    const { posts, emit, deliveries, admin, webhook, query, context } = await start([503, 200, 410]);
    await emit('campaign.finished');
    await eventually(deliveries).toMatchObject([{ state: 'done', attempts: 2 }]);
    await emit('campaign.finished');
    await eventually(deliveries).toMatchObject([
      { state: 'dead', attempts: 1, response_status: 410 },
      { state: 'done' },
    ]);
    const [dead] = await deliveries();
    const again = await admin.rest(`POST /webhooks/${webhook.id}/deliveries/${dead.id}/redeliver`, context);
    expect(again).toMatchObject({ status: 200, body: { state: 'pending', attempts: 0 } });
    await eventually(deliveries).toMatchObject([{ id: dead.id, state: 'done' }, {}]);
    expect(posts.at(-1)!.headers['webhook-id']).toBe(dead.id);
    const dead2 = await admin.rest(`GET /webhooks/${webhook.id}/deliveries?${query}&state=dead`);
    expect(dead2.body.data).toEqual([]);
  });

  test('that are switched off or deleted get nothing', async () => {
    const { posts, emit, admin, webhook, query, context } = await start();
    const change = { ...context, enabled: false };
    expect((await admin.rest(`PATCH /webhooks/${webhook.id}`, change)).body).toMatchObject({
      enabled: false,
      secret: null,
      events: ['campaign.finished'],
    });
    await emit('campaign.finished');
    await admin.rest(`PATCH /webhooks/${webhook.id}`, {
      ...context,
      enabled: true,
      events: ['campaign.failed'],
    });
    await emit('campaign.finished');
    expect((await admin.rest(`DELETE /webhooks/${webhook.id}?${query}`)).status).toBe(204);
    await emit('campaign.failed');
    expect((await admin.rest(`GET /webhooks/${webhook.id}?${query}`)).status).toBe(404);
    expect(posts).toEqual([]);
  });

  test('are refused where their address or events are none', async () => {
    const { admin, context } = await start();
    const answer = await admin.rest('POST /webhooks', {
      ...context,
      url: 'ftp://x',
      events: ['campaign.gone'],
    });
    expect(answer.status).toBe(422);
    expect(answer.body.errors.map((error: { field: string }) => error.field)).toEqual(['url', 'events.0']);
  });
});
