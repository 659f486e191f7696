import { createServer, problemDialect } from '@postern/http';
import { describeEngines } from '@postern/store/testing';
import { expect, onTestFinished, test } from 'vitest';
import { mountForOperators } from '../operator-routes.ts';
import { BENCH_ADMIN_KEY, campaignsBench } from '../testing/index.ts';
import { recordEvents } from './events.ts';

interface Answered {
  readonly data: readonly { readonly type: string }[];
  readonly next_cursor: string | null;
  readonly code?: string;
}

describeEngines('the history of a subscriber', (engine) => {
  async function start() {
    const bench = await campaignsBench(engine);
    const { ports, log } = bench;
    const dialect = problemDialect({ publicUrl: ports.publicUrl });
    const app = createServer({ log, publicUrl: ports.publicUrl, dialectFor: () => dialect });
    mountForOperators(app, { ports, dialect, log, operatorOf: async () => null });
    const url = await app.listen({ port: 0, host: '127.0.0.1' });
    onTestFinished(() => app.close());
    const project = await bench.makeProject();
    const list = await bench.makeList(project.project_id);
    const ana = await bench.makeSubscriber(list, { email: 'ana@example.org' });
    const happen = async (type: 'confirmed' | 'unsubscribed' | 'resubscribed') => {
      await ports.store.transaction((tx) =>
        recordEvents(tx, ports, [
          {
            projectId: project.project_id,
            subscriberId: ana.subscriber_id,
            type,
            details: { reason: `for ${type}` },
          },
        ]),
      );
      bench.clock.advance(1_000);
    };
    const ask = async (query = '', key: string = BENCH_ADMIN_KEY, projectId = project.project_id) => {
      const path = `/campaigns/api/subscribers/${ana.subscriber_id}/events?project_id=${projectId}${query}`;
      const answer = await fetch(url + path, { headers: { authorization: `Bearer ${key}` } });
      return { status: answer.status, body: (await answer.json()) as Answered };
    };
    return { bench, happen, ask };
  }

  test('is told newest first, page by page', async () => {
    const { happen, ask } = await start();
    for (const type of ['confirmed', 'unsubscribed', 'resubscribed'] as const) await happen(type);
    const first = await ask('&limit=2');
    expect(first.body.data.map(({ type }) => type)).toEqual(['resubscribed', 'unsubscribed']);
    expect(first.body.data[0]).toEqual({
      id: expect.stringMatching(/^evt_/),
      type: 'resubscribed',
      campaign_id: null,
      campaign_name: null,
      details: { reason: 'for resubscribed' },
      at: expect.stringMatching(/Z$/),
    });
    const rest = await ask(`&limit=2&cursor=${first.body.next_cursor}`);
    expect(rest.body).toMatchObject({ data: [{ type: 'confirmed' }], next_cursor: null });
  });

  test('is for operators, and for the project the person is in', async () => {
    const { bench, happen, ask } = await start();
    await happen('confirmed');
    expect((await ask('', 'wrong')).status).toBe(401);
    const other = await bench.makeProject();
    expect((await ask('', BENCH_ADMIN_KEY, other.project_id)).body.code).toBe('not_found');
  });
});
