import { buryJob, claimJobs, completeJob, enqueue } from '@postern/store';
import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import { type InboxBench, inboxBench, messageEvent } from '../testing/index.ts';
import { listDeliveries, replayDelivery } from './deliveries.ts';
import { WEBHOOK_TOPIC, type WebhookJob } from './enqueue.ts';

const secrets = [`whsec_${'a'.repeat(32)}`];
const one = { url: 'https://one.example/', secrets };
const two = { url: 'https://two.example/', secrets };

async function settle(bench: InboxBench, how: 'done' | 'dead'): Promise<void> {
  for (const job of await claimJobs(bench.ports.store, WEBHOOK_TOPIC, { limit: 100, leaseMs: 1_000 })) {
    if (how === 'done') await completeJob(bench.ports.store.db, job, 204);
    else await buryJob(bench.ports.store.db, job, { error: 'HTTP 410', status: 410 });
  }
}

const page = { limit: 50, cursor: null };

describeEngines('webhook deliveries', (engine) => {
  test('each accepted message is put in the outbox for each target, with its envelope, in its own transaction', async () => {
    const bench = await inboxBench(engine, { config: { webhooks: [one, two] } });
    await bench.allow('ana', { displayName: 'Ana', personId: 'p1' });
    const event = messageEvent({ text: 'hi' });
    await bench.accept(event);
    const rows = await bench.ports.store.db.selectFrom('outbox').selectAll().orderBy('id').execute();
    const jobs: WebhookJob[] = rows.map((row) => JSON.parse(row.payload));
    expect(jobs.map(({ url }) => url)).toEqual(['https://one.example/', 'https://two.example/']);
    const { message_id } = await bench.stored(event.platformId);
    for (const { body } of jobs) {
      expect(Object.keys(body)).toEqual(['type', 'timestamp', 'data']);
      expect(body).toMatchObject({
        type: 'message.received',
        timestamp: '2026-05-01T00:00:00.000Z',
        data: { ...(await bench.inbox().message(message_id)), sender: { id: 'ana', person_id: 'p1' } },
      });
    }
  });

  test('are listed by state, newest first, in pages, with what became of them', async () => {
    const bench = await inboxBench(engine, { config: { webhooks: [one] } });
    await bench.allow('ana');
    await bench.accept(messageEvent(), messageEvent(), messageEvent());
    expect((await listDeliveries(bench.ports, { ...page, state: 'pending' })).deliveries).toHaveLength(3);
    await settle(bench, 'dead');
    await bench.accept(messageEvent());
    await settle(bench, 'done');
    await bench.accept(messageEvent());
    const [pending] = (await listDeliveries(bench.ports, { ...page, state: 'pending' })).deliveries;
    expect(pending).toEqual({
      id: expect.stringMatching(/^\d+$/),
      event: 'message.received',
      url: 'https://one.example/',
      message_id: expect.stringMatching(/^msg_/),
      channel_id: 'local:team',
      sender: 'Ana',
      state: 'pending',
      attempts: 0,
      response_status: null,
      last_error: null,
      created_at: '2026-05-01T00:00:00.000000Z',
      next_attempt_at: '2026-05-01T00:00:00.000000Z',
    });
    expect((await listDeliveries(bench.ports, { ...page, state: 'done' })).deliveries).toMatchObject([
      { state: 'done', attempts: 1, response_status: 204, next_attempt_at: null },
    ]);
    const first = await listDeliveries(bench.ports, { state: 'dead', limit: 2, cursor: null });
    expect(first.deliveries).toMatchObject([
      { last_error: 'HTTP 410', response_status: 410 },
      { state: 'dead' },
    ]);
    const rest = await listDeliveries(bench.ports, { state: 'dead', limit: 2, cursor: first.next_cursor });
    expect([rest.deliveries.length, rest.next_cursor]).toEqual([1, null]);
    const ids = [...first.deliveries, ...rest.deliveries].map(({ id }) => Number(id));
    expect(ids).toEqual([...ids].sort((a, b) => b - a));
  });

  test('one that a worker holds right now counts as pending', async () => {
    const bench = await inboxBench(engine, { config: { webhooks: [one] } });
    await bench.allow('ana');
    await bench.accept(messageEvent());
    await claimJobs(bench.ports.store, WEBHOOK_TOPIC, { limit: 1, leaseMs: 1_000 });
    expect((await listDeliveries(bench.ports, { ...page, state: 'pending' })).deliveries).toMatchObject([
      { state: 'pending', attempts: 1 },
    ]);
  });

  test('a dead one is due again when replayed, its attempts counted anew, once, and on record', async () => {
    const bench = await inboxBench(engine, { config: { webhooks: [one] } });
    await bench.allow('ana');
    await bench.accept(messageEvent());
    await settle(bench, 'dead');
    const [dead] = (await listDeliveries(bench.ports, { ...page, state: 'dead' })).deliveries;
    const tries = await Promise.allSettled([1, 2, 3].map(() => replayDelivery(bench.ports, dead!.id, 'cli')));
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const result of tries)
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'NOT_FOUND' });
    expect((await listDeliveries(bench.ports, { ...page, state: 'pending' })).deliveries).toMatchObject([
      { id: dead!.id, attempts: 0, next_attempt_at: '2026-05-01T00:00:00.000000Z' },
    ]);
    const acts = await bench.ports.store.db.selectFrom('inbox_audit').selectAll().execute();
    expect(acts.map(({ actor, action, target }) => [actor, action, target])).toEqual([
      ['cli', 'webhook.replay', dead!.id],
    ]);
  });

  test('a job of another kind, or one that is not dead, cannot be replayed', async () => {
    const bench = await inboxBench(engine, { config: { webhooks: [one] } });
    await bench.allow('ana');
    await bench.accept(messageEvent());
    const [waiting] = (await listDeliveries(bench.ports, { ...page, state: 'pending' })).deliveries;
    const other = await bench.ports.store.transaction((tx) => enqueue(tx, { topic: 'other', payload: '{}' }));
    const [job] = await claimJobs(bench.ports.store, 'other', { limit: 1, leaseMs: 1_000 });
    await buryJob(bench.ports.store.db, job!, { error: 'x' });
    for (const id of [waiting!.id, String(other), '999999999999999'])
      await expect(replayDelivery(bench.ports, id, 'cli')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
