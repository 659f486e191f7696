import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import { allScopes } from '../context.ts';
import { campaignsBench, dumpTables } from '../testing/index.ts';

describeEngines('suppressions', (engine) => {
  async function start() {
    const bench = await campaignsBench(engine);
    const project = await bench.makeProject();
    const http = await bench.http();
    return { ...bench, project, http, key: await http.makeKey(project.project_id, allScopes) };
  }

  test('are added by hand, once', async () => {
    const { key, project, makeList, makeSubscriber, ports } = await start();
    const list = await makeList(project.project_id);
    await makeSubscriber(list, { email: 'ana@example.org' });
    const given = { email: 'Ana@Example.org', note: 'Called us' };
    const before = await dumpTables(ports.store);
    const dry = await key.tool('add_suppression', given);
    expect(dry.structured).toEqual({
      outcome: 'would_add',
      effect: 'Would suppress the address in this project: its 1 subscription would get no more mail.',
      suppression: null,
    });
    expect(await dumpTables(ports.store)).toEqual(before);
    const real = await key.tool('add_suppression', { ...given, confirm: true });
    expect(real.structured).toEqual({
      outcome: 'added',
      effect: 'Suppressed the address in this project: its 1 subscription will get no more mail.',
      suppression: {
        id: expect.stringMatching(/^sup_/),
        project_id: project.project_id,
        email: 'Ana@Example.org',
        reason: 'manual',
        source: 'api',
        note: 'Called us',
        created_at: '2026-05-01T00:00:00.000Z',
      },
    });
    const { suppression } = real.structured;
    const again = { email: 'ana@EXAMPLE.org', note: 'Once more' };
    for (const line of ['POST /suppressions?dry_run=true', 'POST /suppressions']) {
      expect(await key.rest(line, again)).toMatchObject({
        status: 200,
        body: { outcome: 'already_suppressed', suppression },
      });
    }
    expect((await key.rest(`GET /suppressions/${suppression.id}`)).body).toEqual(suppression);
    const { body } = await key.rest(`GET /lists/${list.list_id}`);
    expect(body.counts.subscribed).toBe(1);
  });

  test('are removed for good, and restore no status', async () => {
    const { key, project, makeList, makeSubscriber } = await start();
    const list = await makeList(project.project_id);
    const { subscriber_id } = await makeSubscriber(list, { email: 'ana@example.org', status: 'bounced' });
    const { body } = await key.rest('POST /suppressions', { email: 'ana@example.org' });
    const path = `/suppressions/${body.suppression.id}`;
    expect((await key.rest(`DELETE ${path}?dry_run=true`)).body).toEqual({
      outcome: 'would_remove',
      effect:
        'Would remove the suppression with reason manual: its 0 subscriptions can be mailed again; no status on a list changes.',
      suppression: body.suppression,
    });
    expect(await key.rest(`DELETE ${path}`)).toMatchObject({
      status: 200,
      body: { outcome: 'removed', suppression: null },
    });
    for (const line of [`DELETE ${path}`, `DELETE ${path}?dry_run=true`, `GET ${path}`]) {
      expect(await key.rest(line)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    }
    expect((await key.rest(`GET /subscribers/${subscriber_id}`)).body.status).toBe('bounced');
  });

  test('are found by reason and by address, and hold in one project alone', async () => {
    const { key, http, makeProject } = await start();
    for (const email of ['ana@example.org', 'bo@example.org'])
      await key.rest('POST /suppressions', { email });
    const emails = async (query: string) => {
      const { body } = await key.rest(`GET /suppressions${query}`);
      return body.data.map((one: { email: string }) => one.email);
    };
    expect(await emails('')).toEqual(['ana@example.org', 'bo@example.org']);
    expect(await emails('?email=BO%40example.org')).toEqual(['bo@example.org']);
    expect(await emails('?reason=complaint')).toEqual([]);
    expect(await emails('?reason=manual&limit=1')).toEqual(['ana@example.org']);
    const stranger = await http.makeKey((await makeProject()).project_id, allScopes);
    expect((await stranger.rest('GET /suppressions')).body.data).toEqual([]);
    const { body } = await key.rest('GET /suppressions');
    expect((await stranger.rest(`GET /suppressions/${body.data[0].id}`)).status).toBe(404);
    expect((await stranger.rest(`DELETE /suppressions/${body.data[0].id}`)).status).toBe(404);
  });

  test('added at the same time are one', async () => {
    const { key } = await start();
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => key.rest('POST /suppressions', { email: 'ana@example.org' })),
    );
    const outcomes = answers.map(({ body }) => body.outcome).sort();
    expect(outcomes).toEqual(['added', ...Array.from({ length: 5 }, () => 'already_suppressed')].sort());
    expect(new Set(answers.map(({ body }) => body.suppression.id)).size).toBe(1);
  });
});
