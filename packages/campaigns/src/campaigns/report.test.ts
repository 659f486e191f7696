import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import { addToCampaignCounts } from '../counts.ts';
import { makeCampaign } from '../engine/testing/campaigns.ts';
import type { DeliveryState } from '../tables.ts';
import { campaignsBench } from '../testing/bench.ts';

describeEngines('reports', (engine) => {
  async function start() {
    const bench = await campaignsBench(engine);
    const { store, newId } = bench.ports;
    const { clock } = bench;
    const project = await bench.makeProject();
    const list = await bench.makeList(project.project_id);
    const http = await bench.http();
    const key = await http.makeKey(project.project_id, ['reports:read']);
    const campaign = await makeCampaign(bench.ports, project.project_id, [list.list_id], {
      content_json: JSON.stringify({
        content: { links: ['https://example.org/a', 'https://example.org/b'] },
      }),
    });
    const { campaign_id } = campaign;
    async function delivery(state: DeliveryState, reason: string | null = null) {
      const now = clock.nowMicroseconds();
      const row = {
        delivery_id: newId('dlv'),
        project_id: project.project_id,
        campaign_id,
        email_key: newId('key').toLowerCase(),
        subscriber_id: newId('sub'),
        list_id: list.list_id,
        email: `${state}@example.org`,
        state,
        reason,
        attempts: 1,
        due_us: now,
        lease_until_us: null,
        claimed_by: null,
        smtp_reply: '250 ok',
        message_id: null,
        sent_us: state === 'sent' ? now : null,
        updated_us: now,
      };
      await store.transaction(async (tx) => {
        await tx.insertInto('mail_deliveries').values(row).execute();
        await addToCampaignCounts(tx, campaign_id, { [state]: 1 });
      });
      return row;
    }
    const event = (type: string, subscriber_id: string | null, details: object = {}) =>
      store.db
        .insertInto('mail_events')
        .values({
          event_id: newId('evt'),
          project_id: project.project_id,
          campaign_id,
          subscriber_id,
          type,
          details_json: JSON.stringify(details),
          at_us: clock.nowMicroseconds(),
        })
        .execute();
    return { bench, clock, key, campaign_id, delivery, event, http };
  }

  test('tell what became of the mails and what people did, over time', async () => {
    const { clock, key, campaign_id, delivery, event } = await start();
    const { subscriber_id: ana } = await delivery('sent');
    const { subscriber_id: bo } = await delivery('sent');
    await delivery('skipped', 'unsubscribed');
    await delivery('skipped', 'unsubscribed');
    await delivery('failed', 'hard_bounce');
    await delivery('claimed');
    clock.advance(3_600_000);
    await event('opened', ana);
    await event('opened', ana);
    await event('opened', null);
    await event('clicked', ana, { link: 1 });
    await event('clicked', bo, { link: 1 });
    await event('clicked', bo, { url: 'https://example.org/bo' });
    await event('bounced', bo, { kind: 'hard', reply: null });
    await event('bounced', bo, { kind: 'soft', reply: null });
    await event('unsubscribed', bo);
    const { status, body } = await key.rest(`GET /campaigns/${campaign_id}/report`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      campaign_id,
      state: 'running',
      missed_send_time: false,
      counts: { audience: 6, pending: 1, sent: 2, skipped: 2, failed: 1 },
      reasons: [
        { state: 'skipped', reason: 'unsubscribed', total: 2 },
        { state: 'failed', reason: 'hard_bounce', total: 1 },
      ],
      opens: { total: 3, people: 1 },
      clicks: { total: 3, people: 2 },
      bounces: { hard: 1, soft: 1 },
      complaints: 0,
      unsubscribes: 1,
      links: [
        { url: 'https://example.org/b', total: 2, people: 2 },
        { url: 'https://example.org/bo', total: 1, people: 1 },
      ],
      timeline: {
        step_seconds: 60,
        points: [
          { sent: 2, deferred: 0, failed: 1, opens: 0, clicks: 0 },
          { sent: 0, deferred: 0, failed: 0, failures: [], opens: 3, clicks: 3 },
        ],
      },
    });
    expect((await key.tool('get_campaign_report', { campaign_id })).structured).toEqual(body);
  });

  test('of a draft are empty', async () => {
    const { bench, key, campaign_id } = await start();
    await bench.ports.store.db
      .updateTable('mail_campaigns')
      .set({ state: 'scheduled', launched_us: null, content_json: null, state_reason: 'missed_send_time' })
      .execute();
    const { body } = await key.rest(`GET /campaigns/${campaign_id}/report`);
    expect(body).toMatchObject({
      missed_send_time: true,
      counts: { audience: 0 },
      reasons: [],
      bounces: { hard: 0, soft: 0 },
      links: [],
      timeline: { points: [] },
    });
  });

  test('go down to each recipient', async () => {
    const { key, campaign_id, delivery, bench, http } = await start();
    const rows = [];
    for (const state of ['sent', 'claimed', 'pending', 'failed'] as const) rows.push(await delivery(state));
    const first = (await key.rest(`GET /campaigns/${campaign_id}/deliveries?limit=3`)).body;
    expect(first.data.map((row: { state: string }) => row.state)).toEqual(['sent', 'pending', 'pending']);
    expect(first.data[0]).toEqual({
      id: rows[0]?.delivery_id,
      campaign_id,
      subscriber_id: rows[0]?.subscriber_id,
      email: 'sent@example.org',
      state: 'sent',
      reason: null,
      attempts: 1,
      smtp_reply: '250 ok',
      message_id: null,
      sent_at: expect.any(String),
    });
    const next = (
      await key.rest(`GET /campaigns/${campaign_id}/deliveries?limit=3&cursor=${first.next_cursor}`)
    ).body;
    expect(next).toMatchObject({ data: [{ state: 'failed' }], next_cursor: null });
    const pending = (await key.rest(`GET /campaigns/${campaign_id}/deliveries?state=pending`)).body;
    expect(pending.data.map((row: { id: string }) => row.id)).toEqual([
      rows[1]?.delivery_id,
      rows[2]?.delivery_id,
    ]);
    const other = await http.makeKey((await bench.makeProject()).project_id, ['reports:read']);
    for (const part of ['report', 'deliveries']) {
      expect((await other.rest(`GET /campaigns/${campaign_id}/${part}`)).body.code).toBe('not_found');
    }
  });
});
