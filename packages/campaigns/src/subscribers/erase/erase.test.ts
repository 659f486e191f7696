import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import { allScopes } from '../../context.ts';
import { type Settlement, settleRows } from '../../engine/ledger/settle.ts';
import { emailMail } from '../../engine/mail/email-mailer.ts';
import { countsOf, tally } from '../../engine/testing/campaigns.ts';
import type { CampaignsPorts } from '../../ports.ts';
import type { DeliveryTable, SubscriberTable } from '../../tables.ts';
import { campaignsBench, dumpTables } from '../../testing/index.ts';
import { captureTransport } from '../../transports/capture.ts';
import { emitEvents } from '../../webhooks/events.ts';

describeEngines('erasing a person', (engine) => {
  async function start() {
    const bench = await campaignsBench(engine);
    const project = await bench.makeProject();
    const http = await bench.http();
    const key = await http.makeKey(project.project_id, allScopes);
    const lists = [
      await bench.makeList(project.project_id),
      await bench.makeList(project.project_id),
    ] as const;
    return { ...bench, project, http, key, lists };
  }

  /** Somebody outside who is told of these events. */
  async function webhook({ store, newId }: CampaignsPorts, projectId: string, events: string) {
    await store.db
      .insertInto('mail_webhooks')
      .values({
        webhook_id: newId('whk'),
        project_id: projectId,
        url: 'https://hooks.example/x',
        events,
        enabled: 1,
        secret_sealed: 'x',
        created_us: 0,
        updated_us: 0,
      })
      .execute();
  }

  async function delivery(
    { store, newId, clock }: CampaignsPorts,
    campaignId: string,
    { project_id, subscriber_id, list_id, email, email_key }: SubscriberTable,
    row: Partial<DeliveryTable>,
  ) {
    const now = clock.nowMicroseconds();
    const full: DeliveryTable = {
      delivery_id: newId('dlv'),
      project_id,
      campaign_id: campaignId,
      email_key,
      subscriber_id,
      list_id,
      email: email ?? '',
      state: 'pending',
      reason: null,
      attempts: 0,
      due_us: now,
      lease_until_us: null,
      claimed_by: null,
      smtp_reply: null,
      message_id: null,
      sent_us: null,
      updated_us: now,
      ...row,
    };
    await store.db.insertInto('mail_deliveries').values(full).execute();
    await store.db
      .insertInto('mail_campaign_counts')
      .values({ campaign_id: campaignId, state: full.state, total: 1 })
      .execute();
    return full;
  }

  /** Ana wherever a person can be; her address is only ever written with this word in it. */
  async function anaEverywhere({
    ports,
    lists,
    project,
    key,
    makeSubscriber,
    makeCampaign,
  }: Awaited<ReturnType<typeof start>>) {
    const { store, newId, clock } = ports;
    const now = clock.nowMicroseconds();
    const [one, two] = lists;
    const ana = await makeSubscriber(one, {
      email: 'Zaubertrank@example.org',
      name: 'Zaubertrank One',
      attributes_json: '{"nick":"zaubertrank"}',
      consent_evidence: 'zaubertrank said so',
    });
    await makeSubscriber(two, { email: 'zaubertrank@EXAMPLE.org', status: 'unsubscribed' });
    for (const [index, state] of (
      ['pending', 'deferred', 'claimed', 'sent', 'submitted'] as const
    ).entries()) {
      const { campaign_id } = await makeCampaign(project.project_id, {
        name: `Campaign ${index}`,
        state: 'running',
      });
      await delivery(ports, campaign_id, ana, { state, smtp_reply: '250 zaubertrank ok' });
    }
    await webhook(ports, project.project_id, 'delivery.sent');
    await store.transaction((tx) =>
      emitEvents(tx, ports, [
        { projectId: project.project_id, type: 'delivery.sent', data: { email: 'Zaubertrank@example.org' } },
        { projectId: project.project_id, type: 'delivery.sent', data: { email: 'other@example.org' } },
      ]),
    );
    for (const [type, details] of [
      ['clicked', { url: 'https://x.example/?for=zaubertrank' }],
      ['clicked', { link: 3 }],
      ['bounced', { kind: 'soft', reply: '452 zaubertrank full' }],
    ] as const) {
      await store.db
        .insertInto('mail_events')
        .values({
          event_id: newId('evt'),
          project_id: project.project_id,
          campaign_id: null,
          subscriber_id: ana.subscriber_id,
          type,
          details_json: JSON.stringify(details),
          at_us: now,
        })
        .execute();
    }
    for (const state of ['pending', 'sent'] as const) {
      await store.db
        .insertInto('mail_emails')
        .values({
          email_id: newId('eml'),
          project_id: project.project_id,
          recipient: 'ZAUBERTRANK@example.org',
          email_key: 'zaubertrank@example.org',
          reference: 'welcome-zaubertrank',
          kind: 'api',
          request_json: '{"subject":"Dear Zaubertrank"}',
          state,
          reason: null,
          attempts: 0,
          due_us: now,
          lease_until_us: null,
          claimed_by: null,
          smtp_reply: null,
          message_id: null,
          sent_us: null,
          created_us: now,
          updated_us: now,
        })
        .execute();
    }
    for (const rcpt_to of ['Zaubertrank@example.org', 'ZAUBERTRANK@example.org', 'zaubertrank@example.org']) {
      await store.db
        .insertInto('mail_captured')
        .values({
          captured_id: newId('cap'),
          mail_from: 'news@example.com',
          rcpt_to,
          subject: 'Dear Zaubertrank',
          size_bytes: 1,
          raw: Buffer.from('Dear zaubertrank'),
          created_us: now,
        })
        .execute();
    }
    await key.rest('POST /suppressions', { email: 'zaubertrank@example.org', note: 'zaubertrank called' });
    // A keyed request whose answer is kept.
    await key.rest(`PATCH /subscribers/${ana.subscriber_id}`, { name: 'Zaubertrank Two' });
    await key.rest(
      `POST /subscribers/${ana.subscriber_id}/unsubscribe`,
      { reason: 'zaubertrank is tired' },
      { 'idempotency-key': 'zt' },
    );
    return ana;
  }

  test('leaves nothing that says who it was, in any table, and changes no count', async () => {
    const stage = await start();
    const { ports, key, lists } = stage;
    const ana = await anaEverywhere(stage);
    const path = `DELETE /subscribers/${ana.subscriber_id}`;
    const before = await dumpTables(ports.store);
    const dry = await key.rest(`${path}?dry_run=true`);
    expect(dry.body).toMatchObject({
      outcome: 'would_erase',
      effect:
        'Would erase the person from 2 lists, 5 deliveries of campaigns and 2 single e-mails; the address would stay suppressed as a hash.',
      subscriber: { name: 'Zaubertrank Two', status: 'unsubscribed' },
    });
    expect(await dumpTables(ports.store)).toEqual(before);
    const real = await key.rest(path);
    expect(real).toMatchObject({
      status: 200,
      body: { outcome: 'erased', effect: expect.stringMatching(/^Erased the person from 2 lists/) },
    });
    expect(real.body.subscriber).toMatchObject({
      id: ana.subscriber_id,
      email: null,
      name: null,
      attributes: null,
      consent: null,
      status: 'erased',
    });
    expect((await key.rest(`GET /subscribers/${ana.subscriber_id}`)).body).toEqual(real.body.subscriber);
    const after = await dumpTables(ports.store);
    expect(JSON.stringify(after).toLowerCase()).not.toContain('zaubertrank');
    expect(after.mail_captured).toEqual([]);
    expect(after.mail_webhook_deliveries).toHaveLength(1);
    expect(after.mail_deliveries).toHaveLength(5);
    for (const { list_id } of lists) {
      const { body } = await key.rest(`GET /lists/${list_id}`);
      expect(body.counts).toEqual({
        subscribed: 0,
        unconfirmed: 0,
        unsubscribed: 0,
        bounced: 0,
        complained: 0,
      });
      expect((await key.rest(`GET /lists/${list_id}/subscribers`)).body.data).toEqual([]);
    }
    const rows = await ports.store.db.selectFrom('mail_deliveries').selectAll().execute();
    expect(rows.map((row) => [row.state, row.reason]).sort()).toEqual([
      ['sent', null],
      ['skipped', 'erased'],
      ['skipped', 'erased'],
      ['skipped', 'erased'],
      ['submitted', null],
    ]);
    for (const row of rows) expect(await countsOf(ports, row.campaign_id)).toEqual(tally([row]));
    const events = await ports.store.db.selectFrom('mail_events').select('details_json').execute();
    const details = events.map((event) => event.details_json);
    expect(details.sort()).toEqual(['{"kind":"soft"}', '{"link":3}', '{}', '{}']);
    const emails = await ports.store.db.selectFrom('mail_emails').select(['state', 'reason']).execute();
    expect(emails.map((row) => [row.state, row.reason]).sort()).toEqual([
      ['failed', 'erased'],
      ['sent', null],
    ]);
  });

  test('takes what tests showed of them out of the mails to others', async () => {
    const { ports, key, lists, makeSubscriber } = await start();
    const { store } = ports;
    const ana = await makeSubscriber(lists[0], { email: 'zaubertrank@example.org', name: 'Zaubertrank' });
    const bo = await makeSubscriber(lists[0], { email: 'bo@example.org', name: 'Bo' });
    const { body: campaign } = await key.rest('POST /campaigns', {
      name: 'Spring',
      list_ids: [lists[0].list_id],
      subject: 'Dear {{ subscriber.name }}',
      text: '{{ subscriber.email }} {{ unsubscribe_url }}',
    });
    const show = (subscriber: SubscriberTable) =>
      key.rest(`POST /campaigns/${campaign.id}/test`, {
        to: ['Me@example.com'],
        subscriber_id: subscriber.subscriber_id,
      });
    const tests = () => store.db.selectFrom('mail_emails').selectAll().orderBy('email_id').execute();
    await show(ana);
    await show(bo);
    const transport = captureTransport(ports);
    for (const row of await tests()) {
      const hooks = { beforeMail: async () => true, beforeEnd: async () => true };
      await transport.send(await emailMail(ports, row), hooks, new AbortController().signal);
    }
    await store.db.updateTable('mail_emails').set({ state: 'sent' }).execute();
    await show(ana);
    await key.rest(`DELETE /subscribers/${ana.subscriber_id}`);
    expect((await tests()).map(({ recipient, state, reason }) => [recipient, state, reason])).toEqual([
      ['Me@example.com', 'sent', null],
      ['Me@example.com', 'sent', null],
      ['Me@example.com', 'failed', 'erased'],
    ]);
    const captured = await store.db.selectFrom('mail_captured').select('subject').execute();
    expect(captured).toEqual([{ subject: 'Dear Bo' }]);
    expect(JSON.stringify(await dumpTables(store)).toLowerCase()).not.toContain('zaubertrank');
  });

  test('is not undone by what a server says of a mail that was on its way', async () => {
    const { ports, key, lists, project, makeSubscriber, makeCampaign } = await start();
    const { store } = ports;
    await webhook(ports, project.project_id, 'delivery.sent delivery.bounced');
    const ana = await makeSubscriber(lists[0], { email: 'zaubertrank@example.org' });
    const bo = await makeSubscriber(lists[0], { email: 'bo@example.org' });
    const settlements: Settlement[] = [];
    const said = { isAttempt: true, answer: { isOurFault: false } } as const;
    const fates = [
      { event: 'accept', reply: '250 zaubertrank may have it' },
      { event: 'fail', reason: 'hard_bounce', reply: '550 5.1.1 no zaubertrank' },
      { event: 'fail', reason: 'expired', reply: '452 zaubertrank is full' },
    ] as const;
    const mail = { projectId: project.project_id, email: 'zaubertrank@example.org', ...said } as const;
    for (const fate of fates) {
      const { campaign_id } = await makeCampaign(project.project_id, { state: 'running' });
      const row = { state: 'submitted', claimed_by: 'w' } as const;
      const { delivery_id, email_key } = await delivery(ports, campaign_id, ana, row);
      settlements.push({
        ...mail,
        ...fate,
        ledger: 'campaign',
        id: delivery_id,
        campaignId: campaign_id,
        subscriberId: ana.subscriber_id,
        emailKey: email_key,
        from: 'submitted',
      });
      const { body } = await key.rest('POST /emails', {
        to: 'zaubertrank@example.org',
        from: { email: 'news@example.com' },
        subject: 'Dear Zaubertrank',
        text: 'Hello',
      });
      await store.db
        .updateTable('mail_emails')
        .set({ state: 'submitted', claimed_by: 'w' })
        .where('email_id', '=', body.id)
        .execute();
      settlements.push({
        ...mail,
        ...fate,
        ledger: 'email',
        id: body.id,
        campaignId: null,
        subscriberId: null,
        emailKey: email_key,
        from: 'submitted',
      });
    }
    const { campaign_id } = await makeCampaign(project.project_id, { state: 'running' });
    const other = await delivery(ports, campaign_id, bo, { state: 'submitted', claimed_by: 'w' });
    settlements.push({
      ...mail,
      event: 'accept',
      reply: '250 ok',
      ledger: 'campaign',
      id: other.delivery_id,
      campaignId: campaign_id,
      subscriberId: bo.subscriber_id,
      email: 'bo@example.org',
      emailKey: other.email_key,
      from: 'submitted',
    });
    await key.rest(`DELETE /subscribers/${ana.subscriber_id}`);
    const moved = await store.transaction((tx) => settleRows(tx, ports, 'w', settlements));
    expect(moved.size).toBe(7);
    const after = await dumpTables(store);
    expect(JSON.stringify(after).toLowerCase()).not.toContain('zaubertrank');
    const rows = await store.db.selectFrom('mail_deliveries').selectAll().orderBy('delivery_id').execute();
    expect(rows.map(({ state, reason, smtp_reply }) => [state, reason, smtp_reply])).toEqual([
      ['sent', null, null],
      ['failed', 'hard_bounce', null],
      ['failed', 'expired', null],
      ['sent', null, '250 ok'],
    ]);
    expect(after.mail_webhook_deliveries).toHaveLength(1);
    expect(after.mail_suppressions).toHaveLength(1);
    const events = await store.db.selectFrom('mail_events').select('details_json').execute();
    expect(events.map((event) => event.details_json).sort()).toEqual([
      '{"kind":"hard","reply":null}',
      '{"kind":"soft","reply":null}',
    ]);
  });

  test('keeps them from being added or imported again, until their suppression is removed', async () => {
    const { key, lists, makeSubscriber } = await start();
    const [list] = lists;
    const { subscriber_id } = await makeSubscriber(list, { email: 'ana@example.org', name: 'Ana' });
    await key.rest(`DELETE /subscribers/${subscriber_id}`);
    const add = () => key.rest(`POST /lists/${list.list_id}/subscribers`, { email: 'ANA@example.org' });
    expect(await add()).toMatchObject({ status: 422, body: { code: 'precondition_failed' } });
    const records = {
      records: [{ email: 'Ana@Example.org', name: 'Ana' }],
      resubscribe: true,
      evidence: 'x',
    };
    const imported = await key.rest(`POST /lists/${list.list_id}/subscribers/import`, records);
    expect(imported.body).toEqual({
      created: 0,
      updated: 0,
      unchanged: 0,
      skipped: 1,
      results: [{ index: 0, outcome: 'skipped', reason: 'suppressed', subscriber_id: null }],
    });
    for (const line of [
      `PATCH /subscribers/${subscriber_id}`,
      `POST /subscribers/${subscriber_id}/unsubscribe`,
    ]) {
      expect(await key.rest(line, {})).toMatchObject({ status: 422, body: { code: 'precondition_failed' } });
    }
    const find = await key.rest(`GET /lists/${list.list_id}/subscribers/find?email=ana%40example.org`);
    expect(find.status).toBe(404);
    const { body } = await key.rest('GET /suppressions?email=ana%40example.org');
    expect(body.data).toMatchObject([{ email: null, reason: 'erased', note: null }]);
    await key.rest(`DELETE /suppressions/${body.data[0].id}`);
    const back = await add();
    expect(back).toMatchObject({
      status: 201,
      body: { id: subscriber_id, name: null, status: 'subscribed' },
    });
    expect((await key.rest(`GET /lists/${list.list_id}`)).body.counts.subscribed).toBe(1);
  });

  test('may be repeated, and stays within the project', async () => {
    const { key, http, lists, makeSubscriber, makeProject, makeList } = await start();
    const { subscriber_id } = await makeSubscriber(lists[0], { email: 'ana@example.org' });
    const elsewhere = await makeProject();
    const other = await makeSubscriber(await makeList(elsewhere.project_id), { email: 'ana@example.org' });
    const dry = await key.tool('erase_subscriber', { subscriber_id });
    expect(dry.structured.outcome).toBe('would_erase');
    const first = await key.tool('erase_subscriber', { subscriber_id, confirm: true });
    expect(first.structured.outcome).toBe('erased');
    const second = await key.tool('erase_subscriber', { subscriber_id, confirm: true });
    expect(second.structured).toMatchObject({
      outcome: 'erased',
      effect: 'The person was erased before; nothing changes.',
      subscriber: first.structured.subscriber,
    });
    const stranger = await http.makeKey(elsewhere.project_id, allScopes);
    const { body } = await stranger.rest(`GET /subscribers/${other.subscriber_id}`);
    expect(body).toMatchObject({ email: 'ana@example.org', status: 'subscribed' });
    expect((await stranger.rest('GET /suppressions')).body.data).toEqual([]);
  });

  test('is not undone by an import that runs at the same time', async () => {
    const { key, lists, makeSubscriber, ports } = await start();
    const [list] = lists;
    const { subscriber_id } = await makeSubscriber(list, { email: 'ana@example.org' });
    const records = Array.from({ length: 300 }, (_, index) => ({ email: `p${index}@example.org` }));
    await Promise.all([
      key.rest(`POST /lists/${list.list_id}/subscribers/import`, {
        records: [...records, { email: 'ana@example.org', name: 'Ana' }],
      }),
      key.rest(`DELETE /subscribers/${subscriber_id}`),
      key.rest(`POST /lists/${list.list_id}/subscribers`, { email: 'ana@example.org', name: 'Ana' }),
    ]);
    const rows = await ports.store.db
      .selectFrom('mail_subscribers')
      .selectAll()
      .where('subscriber_id', '=', subscriber_id)
      .execute();
    expect(rows).toMatchObject([{ status: 'erased', email: null, name: null }]);
    expect((await key.rest(`GET /lists/${list.list_id}`)).body.counts.subscribed).toBe(300);
  });
});
