import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import { campaignsBench } from '../testing/index.ts';
import { confirmSubscriber, subscribeAgain } from './confirm.ts';
import { unsubscribeEverywhere, unsubscribeFromCampaign, unsubscribeFromList } from './unsubscribe.ts';

describeEngines('what people do on the public pages', (engine) => {
  async function start() {
    const bench = await campaignsBench(engine);
    const project = await bench.makeProject();
    const [one, two, three] = [
      await bench.makeList(project.project_id),
      await bench.makeList(project.project_id),
      await bench.makeList(project.project_id),
    ];
    const { db } = bench.ports.store;
    const statuses = async () => {
      const rows = await db.selectFrom('mail_subscribers').select(['list_id', 'status']).execute();
      return new Map(rows.map((row) => [row.list_id, row.status]));
    };
    const counts = async () => {
      const rows = await db.selectFrom('mail_list_counts').selectAll().where('total', '!=', 0).execute();
      return rows.map((row) => `${row.list_id} ${row.status} ${row.total}`).sort();
    };
    const suppressions = () => db.selectFrom('mail_suppressions').selectAll().execute();
    const events = () => db.selectFrom('mail_events').selectAll().orderBy('event_id').execute();
    return { ...bench, project, one, two, three, statuses, counts, suppressions, events };
  }

  test('one-click takes them off the lists that mail went to, and no others', async () => {
    const { ports, project, one, two, three, statuses, counts, events, suppressions, ...bench } =
      await start();
    const email = 'ana@example.org';
    const mailed = await bench.makeSubscriber(one, { email });
    await bench.makeSubscriber(two, { email });
    await bench.makeSubscriber(three, { email });
    const { campaign_id } = await bench.makeCampaign(project.project_id, {
      list_ids_json: JSON.stringify([one.list_id, two.list_id]),
    });
    const mail = { campaignId: campaign_id, subscriberId: mailed.subscriber_id };
    for (let times = 0; times < 2; times += 1) {
      await unsubscribeFromCampaign(ports, mail, { source: 'one_click', reason: null });
    }
    expect(await statuses()).toEqual(
      new Map([
        [one.list_id, 'unsubscribed'],
        [two.list_id, 'unsubscribed'],
        [three.list_id, 'subscribed'],
      ]),
    );
    expect(await counts()).toEqual(
      [
        `${one.list_id} unsubscribed 1`,
        `${two.list_id} unsubscribed 1`,
        `${three.list_id} subscribed 1`,
      ].sort(),
    );
    expect((await events()).map((event) => [event.type, event.campaign_id])).toEqual([
      ['unsubscribed', campaign_id],
      ['unsubscribed', null],
    ]);
    expect(await suppressions()).toEqual([]);
  });

  test('one-click works after the campaign is gone, and for nobody it does not know', async () => {
    const { ports, one, statuses, makeSubscriber } = await start();
    const { subscriber_id } = await makeSubscriber(one);
    const campaignId = `cmp_${'0'.repeat(26)}`;
    const how = { source: 'one_click', reason: null } as const;
    await unsubscribeFromCampaign(ports, { campaignId, subscriberId: `sub_${'0'.repeat(26)}` }, how);
    expect([...(await statuses()).values()]).toEqual(['subscribed']);
    await unsubscribeFromCampaign(ports, { campaignId, subscriberId: subscriber_id }, how);
    expect([...(await statuses()).values()]).toEqual(['unsubscribed']);
  });

  test('they leave one list, or all of them with a suppression, and may come back from both', async () => {
    const { ports, one, two, statuses, suppressions, makeSubscriber } = await start();
    const email = 'Ana@example.org';
    const { subscriber_id } = await makeSubscriber(one, { email });
    await makeSubscriber(two, { email });
    const how = { source: 'preferences', reason: null, campaignId: null } as const;
    await unsubscribeFromList(ports, subscriber_id, two.list_id, how);
    expect([...(await statuses()).values()].sort()).toEqual(['subscribed', 'unsubscribed']);
    await unsubscribeEverywhere(ports, subscriber_id, how);
    expect([...(await statuses()).values()]).toEqual(['unsubscribed', 'unsubscribed']);
    expect(await suppressions()).toMatchObject([{ email, reason: 'unsubscribe', source: 'preferences' }]);
    expect(await subscribeAgain(ports, subscriber_id, two.list_id, 'page')).toBe(true);
    expect((await statuses()).get(two.list_id)).toBe('subscribed');
    expect((await statuses()).get(one.list_id)).toBe('unsubscribed');
    expect(await suppressions()).toEqual([]);
  });

  test('they do not come back by themselves from what others decided', async () => {
    const { ports, one, two, three, makeSubscriber, http, project } = await start();
    const { admin } = await http();
    const { subscriber_id } = await makeSubscriber(one, { email: 'ana@example.org', status: 'complained' });
    await makeSubscriber(two, { email: 'ana@example.org', status: 'unsubscribed' });
    expect(await subscribeAgain(ports, subscriber_id, one.list_id, null)).toBe(false);
    expect(await subscribeAgain(ports, subscriber_id, three.list_id, null)).toBe(false);
    await admin.rest('POST /suppressions', { project_id: project.project_id, email: 'ana@example.org' });
    expect(await subscribeAgain(ports, subscriber_id, two.list_id, null)).toBe(false);
  });

  test('they confirm once, and only who has not left since', async () => {
    const { ports, one, two, three, makeSubscriber, statuses, counts, events } = await start();
    const ana = await makeSubscriber(one, { status: 'unconfirmed' });
    expect(await confirmSubscriber(ports, ana.subscriber_id, 'from 192.0.2.1')).toMatchObject({
      outcome: 'confirmed',
      list: { list_id: one.list_id },
    });
    expect(await confirmSubscriber(ports, ana.subscriber_id, null)).toMatchObject({ outcome: 'subscribed' });
    const row = await ports.store.db.selectFrom('mail_subscribers').selectAll().executeTakeFirstOrThrow();
    expect(row).toMatchObject({ consent_source: 'confirmation', consent_evidence: 'from 192.0.2.1' });
    expect(await counts()).toEqual([`${one.list_id} subscribed 1`]);
    expect((await events()).map((event) => event.type)).toEqual(['confirmed']);

    const bo = await makeSubscriber(two, { status: 'unsubscribed' });
    expect(await confirmSubscriber(ports, bo.subscriber_id, null)).toEqual({ outcome: 'left' });
    const cy = await makeSubscriber(three, { status: 'unconfirmed' });
    await ports.store.db
      .updateTable('mail_lists')
      .set({ deleted_us: 1 })
      .where('list_id', '=', three.list_id)
      .execute();
    expect(await confirmSubscriber(ports, cy.subscriber_id, null)).toEqual({ outcome: 'gone' });
    expect(await confirmSubscriber(ports, `sub_${'0'.repeat(26)}`, null)).toEqual({ outcome: 'gone' });
    expect((await statuses()).get(three.list_id)).toBe('unconfirmed');
  });

  test('a suppressed address is not confirmed', async () => {
    const { ports, one, makeSubscriber, http, project } = await start();
    const { admin } = await http();
    const { subscriber_id } = await makeSubscriber(one, { email: 'ana@example.org', status: 'unconfirmed' });
    await admin.rest('POST /suppressions', { project_id: project.project_id, email: 'ana@example.org' });
    expect(await confirmSubscriber(ports, subscriber_id, null)).toEqual({ outcome: 'left' });
  });
});
