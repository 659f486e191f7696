import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import { campaignsBench } from '../testing/index.ts';

describeEngines('lists', (engine) => {
  async function start() {
    const bench = await campaignsBench(engine);
    const { project_id } = await bench.makeProject();
    const http = await bench.http();
    return { bench, http, project_id, key: await http.makeKey(project_id, ['lists:read', 'lists:write']) };
  }

  test('begin empty, with their defaults', async () => {
    const { key, project_id } = await start();
    const { status, body } = await key.rest('POST /lists', { name: 'News' });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^lst_/),
      project_id,
      name: 'News',
      description: null,
      opt_in: 'single',
      from: null,
      public: false,
      counts: { subscribed: 0, unconfirmed: 0, unsubscribed: 0, bounced: 0, complained: 0 },
      created_at: '2026-05-01T00:00:00.000Z',
      updated_at: '2026-05-01T00:00:00.000Z',
      deleted_at: null,
    });
    expect((await key.rest('POST /lists', { name: 'News' })).status).toBe(201);
  });

  test('tell how many subscribers they have in each status', async () => {
    const { bench, key, project_id } = await start();
    const list = await bench.makeList(project_id);
    for (const status of ['subscribed', 'subscribed', 'bounced', 'complained', 'erased'] as const) {
      await bench.makeSubscriber(list, { status });
    }
    const counts = { subscribed: 2, unconfirmed: 0, unsubscribed: 0, bounced: 1, complained: 1 };
    expect((await key.rest(`GET /lists/${list.list_id}`)).body.counts).toEqual(counts);
    expect((await key.rest('GET /lists')).body.data[0].counts).toEqual(counts);
  });

  test('keep what a change leaves out, and clear what it nulls', async () => {
    const { bench, key, project_id } = await start();
    const { list_id } = await bench.makeList(project_id, { description: 'old' });
    const path = `PATCH /lists/${list_id}`;
    const changed = await key.rest(path, {
      from: { email: 'Ana@Example.org' },
      opt_in: 'double',
      public: true,
    });
    expect(changed.body).toMatchObject({
      description: 'old',
      opt_in: 'double',
      from: { name: null, email: 'Ana@Example.org' },
      public: true,
    });
    expect((await key.rest(path, { from: null, description: null })).body).toMatchObject({
      from: null,
      description: null,
      public: true,
    });
  });

  test('refuse senders that would break a header', async () => {
    const { key } = await start();
    for (const [from, field] of [
      [{ email: 'no at' }, 'from.email'],
      [{ email: 'a@b' }, 'from.email'],
      [{ name: 'Ana\r\nBcc: x@y.example', email: 'ana@example.org' }, 'from.name'],
    ] as const) {
      const { status, body } = await key.rest('POST /lists', { name: 'x', from });
      expect({ status, field: body.errors?.[0]?.field }).toEqual({ status: 422, field });
    }
  });

  test('once deleted are still answered, but left out of the list', async () => {
    const { bench, key, project_id } = await start();
    const list = await bench.makeList(project_id, { name: 'News' });
    await bench.makeSubscriber(list);
    const path = `/lists/${list.list_id}`;
    const dry = await key.tool('delete_list', { list_id: list.list_id });
    expect(dry.structured).toMatchObject({
      outcome: 'would_delete',
      effect: 'Would delete the list "News" with 1 subscriber.',
      list: { deleted_at: null },
    });
    const real = await key.tool('delete_list', { list_id: list.list_id, confirm: true });
    expect(real.structured).toMatchObject({ outcome: 'deleted', list: { deleted_at: expect.any(String) } });
    const again = await key.rest(`DELETE ${path}?dry_run=true`);
    expect(again.body).toMatchObject({ outcome: 'already_deleted', list: real.structured.list });
    expect((await key.rest(`GET ${path}`)).body).toEqual(real.structured.list);
    expect((await key.rest(`PATCH ${path}`, { name: 'x' })).status).toBe(404);
    expect((await key.rest('GET /lists')).body.data).toEqual([]);
  });

  test('are not deleted while a campaign that mails them is running', async () => {
    const { bench, key, project_id } = await start();
    const list = await bench.makeList(project_id);
    const other = await bench.makeList(project_id);
    await bench.makeCampaign(project_id, { list_ids_json: JSON.stringify([list.list_id]), state: 'running' });
    const { status, body } = await key.rest(`DELETE /lists/${list.list_id}`);
    expect({ status, errors: body.errors }).toEqual({
      status: 422,
      errors: [{ field: 'list_id', code: 'in_use', message: expect.any(String) }],
    });
    expect((await key.rest(`DELETE /lists/${other.list_id}`)).status).toBe(200);
  });

  test('come in pages that new lists do not disturb', async () => {
    const { bench, key, project_id } = await start();
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) ids.push((await bench.makeList(project_id)).list_id);
    const first = await key.rest('GET /lists?limit=2');
    expect(first.body.next_cursor).toEqual(expect.any(String));
    ids.push((await bench.makeList(project_id)).list_id);
    const second = await key.rest(`GET /lists?limit=4&cursor=${first.body.next_cursor}`);
    expect(second.body.next_cursor).toBeNull();
    expect([...first.body.data, ...second.body.data].map((list) => list.id)).toEqual(ids);
  });
});
