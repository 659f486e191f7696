import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import { allScopes } from '../context.ts';
import { type CampaignsBench, campaignsBench, type KeyHolder } from '../testing/index.ts';
import { subscriberIdOf } from './id.ts';

describeEngines('subscribers', (engine) => {
  async function start(list: Parameters<CampaignsBench['makeList']>[1] = {}) {
    const bench = await campaignsBench(engine);
    const project = await bench.makeProject();
    const http = await bench.http();
    const key = await http.makeKey(project.project_id, allScopes);
    const on = await bench.makeList(project.project_id, list);
    const add = (body: object) => key.rest(`POST /lists/${on.list_id}/subscribers`, body);
    const counts = async () => (await key.rest(`GET /lists/${on.list_id}`)).body.counts;
    return { ...bench, project, http, key, list: on, add, counts };
  }

  const confirmations = ({ ports }: Pick<CampaignsBench, 'ports'>) =>
    ports.store.db.selectFrom('mail_emails').selectAll().where('kind', '=', 'confirm').execute();

  test('are added once, whatever the spelling, by an id that anybody with the key can tell', async () => {
    const { ports, list, project, add, counts } = await start();
    const first = await add({ email: ' Ana@BÜCHER.example ', name: 'Ana', attributes: { b: 2, a: null } });
    expect(first).toMatchObject({ status: 201 });
    expect(first.body).toEqual({
      id: subscriberIdOf(ports, list.list_id, 'ana@xn--bcher-kva.example'),
      project_id: project.project_id,
      list_id: list.list_id,
      email: 'Ana@BÜCHER.example',
      name: 'Ana',
      attributes: { b: 2 },
      status: 'subscribed',
      consent: { source: 'api', at: '2026-05-01T00:00:00.000Z', evidence: null },
      created_at: '2026-05-01T00:00:00.000Z',
      updated_at: '2026-05-01T00:00:00.000Z',
    });
    const again = await add({ email: 'ana@xn--bcher-kva.EXAMPLE', attributes: { c: 'x' } });
    expect(again).toMatchObject({ status: 200, body: { ...first.body, attributes: { b: 2, c: 'x' } } });
    expect((await add({ email: 'ana+news@bücher.example' })).status).toBe(201);
    expect(await counts()).toMatchObject({ subscribed: 2 });
  });

  test('are other people on another list and in another project', async () => {
    const { makeList, makeProject, key, http, project, list, add } = await start();
    const here = await add({ email: 'ana@example.org' });
    const other = await makeList(project.project_id);
    const there = await key.rest(`POST /lists/${other.list_id}/subscribers`, { email: 'ana@example.org' });
    expect(there.status).toBe(201);
    expect(there.body.id).not.toBe(here.body.id);
    const stranger = await http.makeKey((await makeProject()).project_id, allScopes);
    for (const line of [
      `GET /subscribers/${here.body.id}`,
      `PATCH /subscribers/${here.body.id}`,
      `GET /lists/${list.list_id}/subscribers`,
      `GET /lists/${list.list_id}/subscribers/find?email=ana%40example.org`,
      `POST /lists/${list.list_id}/subscribers/import`,
    ]) {
      const body = line.startsWith('POST') ? { records: [{ email: 'x@example.org' }] } : undefined;
      expect((await stranger.rest(line, line.startsWith('PATCH') ? {} : body)).status).toBe(404);
    }
  });

  test('keep attributes that are left out, and lose those that are null', async () => {
    const { key, add } = await start();
    const { body } = await add({
      email: 'ana@example.org',
      attributes: { city: 'Porto', 'odd key "\'.$[0]': { deep: [1, null, 'x'] }, constructor: 'own' },
    });
    const path = `PATCH /subscribers/${body.id}`;
    const changed = await key.rest(path, { name: 'Ana', attributes: { city: null, orders: 1.5 } });
    expect(changed.body.attributes).toEqual({
      'odd key "\'.$[0]': { deep: [1, null, 'x'] },
      constructor: 'own',
      orders: 1.5,
    });
    expect((await key.rest(path, {})).body).toEqual(changed.body);
    expect((await key.rest(path, { name: null })).body).toMatchObject({
      name: null,
      attributes: { orders: 1.5 },
    });
  });

  test('cannot get another address, nor attributes of the wrong form', async () => {
    const { key, add } = await start();
    const { body } = await add({ email: 'ana@example.org' });
    for (const [patch, field, code] of [
      [{ email: 'bo@example.org' }, 'email', 'immutable'],
      [{ attributes: null }, 'attributes', 'invalid_type'],
      [{ attributes: ['a'] }, 'attributes', 'invalid_type'],
      [{ attributes: { x: 'a\u0007b' } }, 'attributes.x', 'invalid_format'],
      [{ attributes: { 'a\nb': 1 } }, 'attributes', 'invalid_format'],
      [{ attributes: { ['k'.repeat(101)]: 1 } }, 'attributes', 'too_long'],
      [{ attributes: { x: 'y'.repeat(32_001) } }, 'attributes', 'too_long'],
      [
        { attributes: Object.fromEntries(Array.from({ length: 201 }, (_, i) => [`k${i}`, i])) },
        'attributes',
        'too_many',
      ],
      [{ name: '' }, 'name', 'too_short'],
      [{ name: 'Ana\r\nBcc: x@y.example' }, 'name', 'invalid_format'],
      [{ status: 'subscribed' }, 'status', 'unknown_field'],
      [{ resubscribe: true }, 'evidence', 'required'],
      [{ resubscribe: true, evidence: ' ' }, 'evidence', 'too_short'],
    ] as const) {
      const answer = await key.rest(`PATCH /subscribers/${body.id}`, patch);
      expect({ patch, status: answer.status, error: answer.body.errors?.[0] }).toMatchObject({
        patch,
        status: 422,
        error: { field, code },
      });
    }
    const many = Array.from({ length: 150 }, (_, index) => [`k${index}`, index] as const);
    const path = `PATCH /subscribers/${body.id}`;
    expect((await key.rest(path, { attributes: Object.fromEntries(many) })).status).toBe(200);
    const more = many.map(([name, value]) => [`m${name}`, value]);
    const refused = await key.rest(path, { attributes: Object.fromEntries(more) });
    expect(refused).toMatchObject({ status: 422, body: { code: 'validation_failed' } });
  });

  test.each(['unsubscribed', 'bounced', 'complained'] as const)(
    'who are %s stay so, unless there is evidence that they want to come back',
    async (status) => {
      const { key, list, makeSubscriber, add, counts } = await start();
      const { subscriber_id } = await makeSubscriber(list, { email: 'ana@example.org', status });
      const path = `PATCH /subscribers/${subscriber_id}`;
      expect((await add({ email: 'ana@example.org', name: 'Ana' })).body).toMatchObject({
        status,
        name: 'Ana',
      });
      expect((await key.rest(path, { name: 'Bo' })).body).toMatchObject({ status, name: 'Bo' });
      const record = { records: [{ email: 'ana@example.org', name: 'Cy' }] };
      const imported = await key.rest(`POST /lists/${list.list_id}/subscribers/import`, record);
      expect(imported.body).toMatchObject({ updated: 1 });
      const back = await key.rest(path, { resubscribe: true, evidence: 'Wrote to us on 2026-04-30' });
      expect(back.body).toMatchObject({
        status: 'subscribed',
        name: 'Cy',
        consent: { source: 'api', evidence: 'Wrote to us on 2026-04-30' },
      });
      expect(await counts()).toMatchObject({ subscribed: 1, [status]: 0 });
    },
  );

  test('who are taken back by an import have its evidence', async () => {
    const { key, list, makeSubscriber, ports } = await start();
    const { subscriber_id } = await makeSubscriber(list, {
      email: 'ana@example.org',
      status: 'unsubscribed',
    });
    const answer = await key.rest(`POST /lists/${list.list_id}/subscribers/import`, {
      records: [{ email: 'ana@example.org' }],
      resubscribe: true,
      evidence: 'Form of the fair',
    });
    expect(answer.body).toMatchObject({ updated: 1, unchanged: 0 });
    const { body } = await key.rest(`GET /subscribers/${subscriber_id}`);
    expect(body).toMatchObject({
      status: 'subscribed',
      consent: { source: 'import', evidence: 'Form of the fair' },
    });
    const events = await ports.store.db.selectFrom('mail_events').selectAll().execute();
    expect(events).toMatchObject([{ type: 'resubscribed', subscriber_id, campaign_id: null }]);
  });

  test('of a double opt-in list are asked once, and subscribed when they confirm', async () => {
    const bench = await start({ opt_in: 'double', name: 'Ana & friends' });
    const { add, counts, clock } = bench;
    const added = await add({ email: 'Ana@example.org' });
    expect(added).toMatchObject({ status: 201, body: { status: 'unconfirmed' } });
    expect((await add({ email: 'ana@example.org', name: 'Ana' })).body.status).toBe('unconfirmed');
    const [mail, ...more] = await confirmations(bench);
    expect(more).toEqual([]);
    expect(mail).toMatchObject({
      recipient: 'Ana@example.org',
      state: 'pending',
      email_key: 'ana@example.org',
    });
    const { from, subject, html, text } = JSON.parse(mail!.request_json);
    expect(from).toEqual({ name: 'News', email: 'news@example.com' });
    expect(subject).toBe('Please confirm: Ana & friends');
    expect(html).toContain('<b>Ana &amp; friends</b>');
    expect(text).toMatch(/^http:\/\/127\.0\.0\.1:8080\/p\/confirm\/\S+$/m);
    expect(await counts()).toMatchObject({ unconfirmed: 1, subscribed: 0 });
    await clock.advance(24 * 3_600_000);
    await add({ email: 'ana@example.org' });
    expect(await confirmations(bench)).toHaveLength(2);
  });

  test('of a double opt-in list need its sender, and are never taken past the confirmation', async () => {
    const bench = await start({ opt_in: 'double', from_email: null, from_name: null });
    const { add, key, list, makeSubscriber, counts } = bench;
    const refused = await add({ email: 'ana@example.org' });
    expect(refused).toMatchObject({
      status: 422,
      body: { code: 'precondition_failed', errors: [{ field: 'list_id', code: 'invalid_state' }] },
    });
    expect(await counts()).toMatchObject({ unconfirmed: 0 });
    const records = { records: [{ email: 'ana@example.org' }, { email: 'bo@example.org' }] };
    const path = `POST /lists/${list.list_id}/subscribers/import`;
    expect((await key.rest(path, records)).body).toMatchObject({ created: 2 });
    expect(await counts()).toMatchObject({ unconfirmed: 2, subscribed: 0 });
    expect(await confirmations(bench)).toEqual([]);
    await key.rest(`PATCH /lists/${list.list_id}`, { from: { email: 'news@example.com' } });
    expect((await add({ email: 'ana@example.org' })).status).toBe(200);
    const { subscriber_id } = await makeSubscriber(list, { email: 'cy@example.org', status: 'unsubscribed' });
    const back = await key.rest(`PATCH /subscribers/${subscriber_id}`, {
      resubscribe: true,
      evidence: 'Telephone',
    });
    expect(back.body.status).toBe('unconfirmed');
    expect((await confirmations(bench)).map((mail) => mail.recipient).sort()).toEqual([
      'ana@example.org',
      'cy@example.org',
    ]);
  });

  test('of a double opt-in list are not asked from a domain that may not send by SMTP', async () => {
    const bench = await campaignsBench(engine, { config: { smtp: [{ url: 'smtp://127.0.0.1:2525' }] } });
    const { project_id } = await bench.makeProject();
    const key = await (await bench.http()).makeKey(project_id, allScopes);
    const [single, double] = [
      await bench.makeList(project_id),
      await bench.makeList(project_id, { opt_in: 'double' }),
    ];
    const add = ({ list_id }: { list_id: string }) =>
      key.rest(`POST /lists/${list_id}/subscribers`, { email: 'ana@example.org' });
    expect((await add(single)).status).toBe(201);
    expect(await add(double)).toMatchObject({
      status: 422,
      body: { code: 'precondition_failed', errors: [{ field: 'from', code: 'domain_unverified' }] },
    });
    expect(await confirmations(bench)).toEqual([]);
  });

  test('with a suppressed address are not added, nor taken back', async () => {
    const { key, add, list, makeSubscriber } = await start();
    const { subscriber_id } = await makeSubscriber(list, {
      email: 'ana@example.org',
      status: 'unsubscribed',
    });
    for (const email of ['Ana@example.org', 'bo@example.org'])
      await key.rest('POST /suppressions', { email });
    for (const answer of [
      await add({ email: 'ana@example.org', resubscribe: true, evidence: 'x' }),
      await add({ email: 'bo@example.org' }),
      await key.rest(`PATCH /subscribers/${subscriber_id}`, { resubscribe: true, evidence: 'x' }),
    ]) {
      expect(answer).toMatchObject({
        status: 422,
        body: { code: 'precondition_failed', errors: [{ field: 'email', code: 'invalid_state' }] },
      });
    }
    const path = `PATCH /subscribers/${subscriber_id}`;
    expect((await key.rest(path, { name: 'Ana' })).body).toMatchObject({
      name: 'Ana',
      status: 'unsubscribed',
    });
  });

  test('unsubscribe once, with an event for those who asked', async () => {
    const { key, list, makeSubscriber, ports, project, counts } = await start();
    await ports.store.db
      .insertInto('mail_webhooks')
      .values({
        webhook_id: ports.newId('whk'),
        project_id: project.project_id,
        url: 'https://hooks.example/x',
        events: 'subscriber.unsubscribed',
        enabled: 1,
        secret_sealed: 'x',
        created_us: 1,
        updated_us: 1,
      })
      .execute();
    const { subscriber_id } = await makeSubscriber(list, { email: 'ana@example.org' });
    const complained = await makeSubscriber(list, { status: 'complained' });
    const path = `POST /subscribers/${subscriber_id}/unsubscribe`;
    const first = await key.rest(path, { reason: 'Too many' });
    expect(first).toMatchObject({ status: 200, body: { id: subscriber_id, status: 'unsubscribed' } });
    expect((await key.rest(path, {})).body).toEqual(first.body);
    expect((await key.rest(path)).body).toEqual(first.body);
    const stays = await key.rest(`POST /subscribers/${complained.subscriber_id}/unsubscribe`, {});
    expect(stays.body.status).toBe('complained');
    expect(await counts()).toMatchObject({ subscribed: 0, unsubscribed: 1, complained: 1 });
    const [delivery, ...others] = await ports.store.db
      .selectFrom('mail_webhook_deliveries')
      .selectAll()
      .execute();
    expect(others).toEqual([]);
    expect(JSON.parse(delivery!.body)).toEqual({
      type: 'subscriber.unsubscribed',
      timestamp: '2026-05-01T00:00:00.000Z',
      data: {
        subscriber_id,
        list_id: list.list_id,
        email: 'ana@example.org',
        campaign_id: null,
        source: 'api',
        reason: 'Too many',
      },
    });
    const events = await ports.store.db.selectFrom('mail_events').selectAll().execute();
    expect(events).toMatchObject([{ type: 'unsubscribed', subscriber_id }]);
  });

  test('are found by status, and by part of address and name in any case', async () => {
    const { key, list, makeSubscriber } = await start();
    const rows = [
      { email: 'ana@example.org', name: 'Ana Müller' },
      { email: 'bo@example.org', name: null, status: 'unsubscribed' },
      { email: 'cy.ana@beispiel.example', name: 'CÝ' },
      { email: null, status: 'erased' },
    ] as const;
    const ids: string[] = [];
    for (const row of rows) ids.push((await makeSubscriber(list, row)).subscriber_id);
    const found = async (query: string) => {
      const { status, body } = await key.rest(`GET /lists/${list.list_id}/subscribers?${query}`);
      expect({ query, status }).toEqual({ query, status: 200 });
      return body.data.map(({ id }: { id: string }) => ids.indexOf(id)).sort();
    };
    expect(await found('')).toEqual([0, 1, 2]);
    expect(await found('status=unsubscribed')).toEqual([1]);
    expect(await found('status=erased')).toEqual([3]);
    expect(await found('email=ANA')).toEqual([0, 2]);
    expect(await found('email=%40example.org')).toEqual([0, 1]);
    expect(await found('email=ana%40EXAMPLE.org')).toEqual([0]);
    expect(await found(`name=${encodeURIComponent('MÜLL')}`)).toEqual([0]);
    expect(await found(`name=${encodeURIComponent('cý')}&status=subscribed&email=ana`)).toEqual([2]);
    expect(await found('name=nobody')).toEqual([]);
    expect(await found('search=ANA')).toEqual([0, 2]);
    expect(await found(`search=${encodeURIComponent('cý')}`)).toEqual([2]);
    expect(await found('search=bo&status=subscribed')).toEqual([]);
    expect(await found('search=ana%40EXAMPLE.org&name=ana')).toEqual([0]);
    const find = await key.rest(`GET /lists/${list.list_id}/subscribers/find?email=ANA%40example.org`);
    expect(find.body.id).toBe(ids[0]);
    const none = await key.rest(`GET /lists/${list.list_id}/subscribers/find?email=zoe%40example.org`);
    expect(none).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  test('come in pages that additions do not disturb, searched or not', async () => {
    const { key, list, makeSubscriber } = await start();
    const here = async (count: number) => {
      const ids = [];
      for (let index = 0; index < count; index += 1) ids.push((await makeSubscriber(list)).subscriber_id);
      return ids;
    };
    const before = await here(7);
    for (const filter of ['', '&email=person']) {
      const seen: string[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const from: string = cursor === '' ? '' : `&cursor=${cursor}`;
        const { body } = await key.rest(`GET /lists/${list.list_id}/subscribers?limit=3${filter}${from}`);
        seen.push(...body.data.map(({ id }: { id: string }) => id));
        cursor = body.next_cursor;
        await here(1);
      }
      expect(seen).toEqual([...new Set(seen)].sort());
      expect(seen).toEqual(expect.arrayContaining(before));
    }
  });

  test('of a deleted list are out of reach', async () => {
    const { key, list, makeSubscriber } = await start();
    const { subscriber_id } = await makeSubscriber(list, { email: 'ana@example.org' });
    await key.rest(`DELETE /lists/${list.list_id}`);
    const lines: [string, unknown?][] = [
      [`GET /subscribers/${subscriber_id}`],
      [`PATCH /subscribers/${subscriber_id}`, {}],
      [`DELETE /subscribers/${subscriber_id}`],
      [`POST /subscribers/${subscriber_id}/unsubscribe`, {}],
      [`GET /lists/${list.list_id}/subscribers`],
      [`POST /lists/${list.list_id}/subscribers`, { email: 'bo@example.org' }],
      [`POST /lists/${list.list_id}/subscribers/import`, { records: [{ email: 'bo@example.org' }] }],
    ];
    for (const [line, body] of lines)
      expect({ line, status: (await key.rest(line, body)).status }).toEqual({ line, status: 404 });
  });

  test('added at the same time are one, and counted once', async () => {
    const { add, counts, key, list } = await start();
    const importOne = (keyHolder: KeyHolder) =>
      keyHolder.rest(`POST /lists/${list.list_id}/subscribers/import`, {
        records: [{ email: 'ana@example.org' }],
      });
    const answers = await Promise.all([
      ...Array.from({ length: 6 }, (_, index) =>
        add({ email: 'ana@example.org', attributes: { [`k${index}`]: 1 } }),
      ),
      importOne(key),
      importOne(key),
    ]);
    for (const { status } of answers) expect([200, 201]).toContain(status);
    expect(await counts()).toMatchObject({ subscribed: 1 });
    const { body } = await key.rest(`GET /lists/${list.list_id}/subscribers`);
    expect(Object.keys(body.data[0].attributes).sort()).toEqual(['k0', 'k1', 'k2', 'k3', 'k4', 'k5']);
  });
});
