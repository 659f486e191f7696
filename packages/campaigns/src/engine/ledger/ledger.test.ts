import { describeEngines } from '@postern/store/testing';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { DeliveryState } from '../../tables.ts';
import { campaignsBench } from '../../testing/bench.ts';
import { freezeAudience } from '../audience/freeze.ts';
import { deliveryStates } from '../deliveries.ts';
import { countsOf, ledgerOf, makeCampaign, makeSuppression, tally } from '../testing/campaigns.ts';
import { claimDeliveries } from './claim.ts';
import { dropOpenRows } from './drop.ts';
import { mayLeave } from './gate.ts';
import { moveRows } from './moves.ts';
import { recoverRows } from './recover.ts';

describeEngines('the ledger', (engine) => {
  async function frozen(people: number) {
    const bench = await campaignsBench(engine);
    const project = await bench.makeProject();
    const list = await bench.makeList(project.project_id);
    const subscribers = [];
    for (let index = 0; index < people; index += 1) subscribers.push(await bench.makeSubscriber(list));
    const campaign = await makeCampaign(bench.ports, project.project_id, [list.list_id]);
    const audience = {
      projectId: project.project_id,
      listIds: [list.list_id],
      segment: null,
      untilUs: bench.clock.nowMicroseconds(),
    };
    await freezeAudience(bench.ports, campaign.campaign_id, audience, new AbortController().signal);
    const claim = (worker: string, limit = 10, state: 'pending' | 'deferred' = 'pending') =>
      claimDeliveries(bench.ports, { campaignId: campaign.campaign_id, worker, limit, state });
    return { ...bench, project, list, subscribers, campaignId: campaign.campaign_id, claim };
  }

  test('gives each row to one worker', async () => {
    const { claim, again, ports, campaignId } = await frozen(30);
    const other = await again();
    const claims = await Promise.all([
      claim('one'),
      claimDeliveries(other.ports, { campaignId, worker: 'two', limit: 10, state: 'pending' }),
      claim('one'),
    ]);
    const ids = claims.flatMap((claimed) => claimed.deliveries.map((one) => one.recipient.deliveryId));
    expect(new Set(ids).size).toBe(30);
    expect(await countsOf(ports, campaignId)).toEqual({ claimed: 30 });
  });

  test('skips at the claim whom it may no longer mail, and says that rows were there', async () => {
    const { claim, ports, project, subscribers, campaignId } = await frozen(2);
    await makeSuppression(ports, project.project_id, subscribers[0]!.email_key);
    await ports.store.db
      .updateTable('mail_subscribers')
      .set({ status: 'unsubscribed' })
      .where('subscriber_id', '=', subscribers[1]!.subscriber_id)
      .execute();
    expect(await claim('one')).toEqual({ taken: 2, deliveries: [] });
    const ledger = await ledgerOf(ports, campaignId);
    expect([...ledger.values()].map((row) => row.reason).sort()).toEqual(['suppressed', 'unsubscribed']);
    expect(await countsOf(ports, campaignId)).toEqual({ skipped: 2 });
  });

  test('gives rows although the clock was set back', async () => {
    const { claim, clock } = await frozen(2);
    clock.set(clock.nowMicroseconds() - 3_600_000_000);
    expect((await claim('one')).taken).toBe(2);
  });

  test('gives nothing of a campaign that does not run', async () => {
    const { claim, ports, campaignId } = await frozen(2);
    await ports.store.db
      .updateTable('mail_campaigns')
      .set({ state: 'paused' })
      .where('campaign_id', '=', campaignId)
      .execute();
    expect(await claim('one')).toEqual({ taken: 0, deliveries: [] });
  });

  test('looks once more before a mail leaves', async () => {
    const { claim, ports, project, list, campaignId } = await frozen(4);
    const { deliveries } = await claim('one');
    const [gone, left, blocked, fine] = deliveries.map((one) => ({
      ledger: 'campaign' as const,
      id: one.recipient.deliveryId,
      projectId: project.project_id,
      campaignId,
      subscriberId: one.recipient.subscriberId,
      emailKey: one.recipient.emailKey,
    }));
    await ports.store.db
      .deleteFrom('mail_subscribers')
      .where('subscriber_id', '=', gone!.subscriberId)
      .execute();
    await ports.store.db
      .updateTable('mail_subscribers')
      .set({ status: 'unsubscribed' })
      .where('subscriber_id', '=', left!.subscriberId)
      .execute();
    await makeSuppression(ports, project.project_id, blocked!.emailKey, 'complaint');
    const asked = [gone!, left!, blocked!, fine!];
    expect(await mayLeave(ports, asked)).toEqual(['erased', 'unsubscribed', 'suppressed', 'go']);
    await ports.store.db
      .updateTable('mail_lists')
      .set({ deleted_us: 1 })
      .where('list_id', '=', list.list_id)
      .execute();
    expect(await mayLeave(ports, [fine!])).toEqual(['list_deleted']);
    await ports.store.db
      .updateTable('mail_campaigns')
      .set({ state: 'paused' })
      .where('campaign_id', '=', campaignId)
      .execute();
    expect(await mayLeave(ports, asked)).toEqual(['stop', 'stop', 'stop', 'stop']);
  });

  test('takes rows back from dead workers: what was claimed waits again, what was submitted is unknown', async () => {
    const { claim, clock, ports, campaignId } = await frozen(3);
    const { deliveries } = await claim('one', 2);
    const id = deliveries[0]!.recipient.deliveryId;
    await ports.store.transaction((tx) =>
      moveRows(tx, engine, 'campaign', 'one', clock.nowMicroseconds(), [
        { id, campaignId, from: 'claimed', event: 'submit' },
      ]),
    );
    await recoverRows(ports, 'expired');
    expect(await countsOf(ports, campaignId)).toEqual({ pending: 1, claimed: 1, submitted: 1 });
    await clock.advance(60_000);
    await recoverRows(ports, 'expired');
    expect(await countsOf(ports, campaignId)).toEqual({ pending: 2, unknown: 1 });
    const ledger = await ledgerOf(ports, campaignId);
    expect([...ledger.values()].find((row) => row.delivery_id === id)).toMatchObject({
      state: 'unknown',
      reason: 'no_answer',
      attempts: 1,
    });
  });

  test('does not move what somebody else holds, and a late answer settles what was unknown', async () => {
    const { claim, clock, ports, campaignId } = await frozen(1);
    const { deliveries } = await claim('one');
    const id = deliveries[0]!.recipient.deliveryId;
    const move = (worker: string, from: DeliveryState, event: 'submit' | 'accept') =>
      ports.store.transaction((tx) =>
        moveRows(tx, engine, 'campaign', worker, clock.nowMicroseconds(), [{ id, campaignId, from, event }]),
      );
    expect((await move('two', 'claimed', 'submit')).size).toBe(0);
    expect((await move('one', 'claimed', 'submit')).size).toBe(1);
    expect((await move('one', 'claimed', 'submit')).size).toBe(0);
    await recoverRows(ports, 'all');
    expect((await move('one', 'unknown', 'accept')).size).toBe(1);
    expect(await countsOf(ports, campaignId)).toEqual({ sent: 1 });
  });

  test('keeps every counter equal to its rows, whatever happens in whatever order', async () => {
    const people = 12;
    const { claim, clock, ports, campaignId } = await frozen(people);
    const events = ['submit', 'release', 'defer', 'fail', 'skip', 'accept', 'lose', 'cancel'] as const;
    const workers = ['one', 'two'] as const;
    const steps = fc.array(
      fc.oneof(
        {
          weight: 3,
          arbitrary: fc.record({
            act: fc.constant('claim' as const),
            worker: fc.constantFrom(...workers),
            limit: fc.integer({ min: 1, max: 5 }),
          }),
        },
        {
          weight: 6,
          arbitrary: fc.record({
            act: fc.constantFrom(...events),
            worker: fc.constantFrom(...workers),
            row: fc.nat(people - 1),
          }),
        },
        { weight: 1, arbitrary: fc.record({ act: fc.constantFrom('recover' as const, 'wait' as const) }) },
      ),
      { maxLength: 25 },
    );
    await fc.assert(
      fc.asyncProperty(steps, async (wanted) => {
        for (const step of wanted) {
          const before = await ledgerOf(ports, campaignId);
          if ('limit' in step) {
            await claim(step.worker, step.limit);
            await claim(step.worker, step.limit, 'deferred');
          } else if ('row' in step) {
            const row = [...before.values()][step.row]!;
            if (!deliveryStates.can(row.state, step.act)) continue;
            const moves = [{ id: row.delivery_id, campaignId, from: row.state, event: step.act }];
            const moved = await ports.store.transaction((tx) =>
              moveRows(tx, engine, 'campaign', step.worker, clock.nowMicroseconds(), moves),
            );
            expect(moved.size).toBe(row.claimed_by === step.worker ? 1 : 0);
          } else if (step.act === 'recover') await recoverRows(ports, 'expired');
          else await clock.advance(70_000);
          const after = await ledgerOf(ports, campaignId);
          expect(await countsOf(ports, campaignId)).toEqual(tally(after.values()));
          expect(after.size).toBe(people);
          for (const [key, row] of after) {
            const was = before.get(key)!;
            if (deliveryStates.isFinal(was.state)) expect(row.state).toBe(was.state);
          }
        }
        await dropOpenRows(ports, campaignId);
        expect(await countsOf(ports, campaignId)).toEqual(
          tally((await ledgerOf(ports, campaignId)).values()),
        );
        await ports.store.db
          .updateTable('mail_deliveries')
          .set({ state: 'pending', claimed_by: null, lease_until_us: null })
          .where('campaign_id', '=', campaignId)
          .execute();
        await ports.store.db
          .deleteFrom('mail_campaign_counts')
          .where('campaign_id', '=', campaignId)
          .execute();
        await ports.store.db
          .insertInto('mail_campaign_counts')
          .values({ campaign_id: campaignId, state: 'pending', total: people })
          .execute();
      }),
      { numRuns: engine === 'sqlite' ? 40 : 10 },
    );
  });
});
