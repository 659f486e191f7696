import { systemClock } from '@postern/kit';
import { describeEngines } from '@postern/store/testing';
import { expect, onTestFinished, test } from 'vitest';
import type { CampaignTable } from '../../tables.ts';
import { campaignsBench } from '../../testing/bench.ts';
import { freezeAudience } from '../audience/freeze.ts';
import { moveCampaign } from '../control/campaign-state.ts';
import { dropOpenRows } from '../ledger/drop.ts';
import { recoverRows } from '../ledger/recover.ts';
import { countsOf, ledgerOf, makeCampaign, makeSuppression, tally } from '../testing/campaigns.ts';
import { fakeMailers } from '../testing/fake-mailers.ts';
import { type Behaviour, FakeTransport } from '../testing/fake-transport.ts';
import { runSender } from './sender.ts';

const reply = (line: string) => {
  const [, code = '', enhanced = null, text = ''] = /^(\d+) (\d\.\d+\.\d+)? ?(.*)$/.exec(line) ?? [];
  return { code: Number(code), enhanced, text };
};

/** Looks until it is so, or has waited far too long. */
const eventually = <T>(look: () => T) => expect.poll(look, { timeout: 20_000 });

describeEngines('sending', (engine) => {
  /** A campaign on the system's clock, frozen, and nobody at work on it yet. */
  async function launched(
    people: number,
    options: {
      campaign?: Partial<CampaignTable>;
      config?: object;
      attributes?: (index: number) => object;
    } = {},
  ) {
    const bench = await campaignsBench(engine, {
      ports: { clock: systemClock },
      config: options.config ?? {},
    });
    const { ports } = bench;
    const project = await bench.makeProject();
    const list = await bench.makeList(project.project_id);
    const subscribers = [];
    for (let index = 0; index < people; index += 1) {
      const attributes_json = JSON.stringify(options.attributes?.(index) ?? {});
      subscribers.push(await bench.makeSubscriber(list, { email: `p${index}@example.org`, attributes_json }));
    }
    const campaign = await makeCampaign(ports, project.project_id, [list.list_id], options.campaign);
    const audience = {
      projectId: project.project_id,
      listIds: [list.list_id],
      segment: null,
      untilUs: systemClock.nowMicroseconds(),
    };
    await freezeAudience(ports, campaign.campaign_id, audience, new AbortController().signal);
    const campaignId = campaign.campaign_id;
    return {
      ...bench,
      project,
      list,
      subscribers,
      campaignId,
      counts: () => countsOf(ports, campaignId),
      ledger: () => ledgerOf(ports, campaignId),
      move: (event: 'pause' | 'resume' | 'cancel') =>
        ports.store.transaction((tx) => moveCampaign(tx, ports, campaignId, event, 'requested')),
      state: async () =>
        ports.store.db
          .selectFrom('mail_campaigns')
          .select(['state', 'state_reason'])
          .where('campaign_id', '=', campaignId)
          .executeTakeFirstOrThrow(),
      async send(behaviour?: Behaviour, worker = 'worker') {
        const transport = new FakeTransport(behaviour);
        const stop = new AbortController();
        const running = runSender(
          { ports, transport, mailers: fakeMailers, worker, graceMs: 500 },
          stop.signal,
        );
        const end = async () => {
          stop.abort();
          await running;
        };
        onTestFinished(end);
        return { transport, end };
      },
    };
  }

  const settled = async (counts: () => Promise<Record<string, number>>, expected: Record<string, number>) =>
    eventually(counts).toEqual(expected);

  test('gives every mail once, and writes down what the server said', async () => {
    const { send, counts, ledger } = await launched(60);
    const { transport } = await send();
    await settled(counts, { sent: 60 });
    expect(new Set(transport.recipients).size).toBe(60);
    expect(transport.taken).toHaveLength(60);
    const rows = [...(await ledger()).values()];
    expect(rows[0]).toMatchObject({
      state: 'sent',
      smtp_reply: '250 2.0.0 queued',
      attempts: 1,
      reason: null,
    });
    for (const row of rows) expect(row.message_id).toBe(`${row.delivery_id}@example.com`);
  });

  test('takes back what broke off while its mark was being written', async () => {
    const { send, counts, ledger } = await launched(12);
    const { transport } = await send((_mail, attempt) => (attempt === 1 ? 'interrupted_in_data' : undefined));
    await settled(counts, { sent: 12 });
    expect(transport.taken).toHaveLength(12);
    expect([...(await ledger()).values()].map((row) => row.state)).toEqual(Array(12).fill('sent'));
  });

  test('sorts answers: later, never again, not our business', async () => {
    const { send, counts, ledger, ports, project, list } = await launched(6, {
      attributes: (index) => (index === 5 ? { broken: true } : {}),
    });
    await send((mail) => {
      if (mail.to.startsWith('p0@')) return { rcpt: reply('550 5.1.1 unknown') };
      if (mail.to.startsWith('p1@')) return { rcpt: reply('450 4.2.0 later') };
      if (mail.to.startsWith('p2@')) return { dot: reply('554 5.7.1 not from you') };
      if (mail.to.startsWith('p3@')) return { rcpt: reply('552 5.2.2 full') };
      return undefined;
    });
    await settled(counts, { sent: 1, deferred: 1, failed: 4 });
    const rows = await ledger();
    const outcome = (name: string) => {
      const row = rows.get(`${name}@example.org`)!;
      return [row.state, row.reason, row.attempts];
    };
    expect(outcome('p0')).toEqual(['failed', 'hard_bounce', 1]);
    expect(outcome('p1')).toEqual(['deferred', 'temporary', 1]);
    expect(outcome('p2')).toEqual(['failed', 'sender_fault', 1]);
    expect(outcome('p3')).toEqual(['failed', 'soft_bounce', 1]);
    expect(outcome('p5')).toEqual(['failed', 'render_error', 0]);
    const suppressions = await ports.store.db
      .selectFrom('mail_suppressions')
      .select(['email', 'reason', 'source'])
      .where('project_id', '=', project.project_id)
      .execute();
    expect(suppressions).toEqual([{ email: 'p0@example.org', reason: 'hard_bounce', source: 'smtp' }]);
    const statuses = await ports.store.db
      .selectFrom('mail_list_counts')
      .select(['status', 'total'])
      .where('list_id', '=', list.list_id)
      .where('total', '>', 0)
      .orderBy('status')
      .execute();
    expect(statuses).toEqual([
      { status: 'bounced', total: 1 },
      { status: 'subscribed', total: 5 },
    ]);
    const deferred = rows.get('p1@example.org')!;
    expect(deferred.due_us).toBeGreaterThan(systemClock.nowMicroseconds() + 30_000_000);
  });

  test('what left without an answer is unknown, and is not sent again', async () => {
    const { send, counts, ports } = await launched(3);
    const { transport } = await send((mail) => (mail.to.startsWith('p0@') ? 'unknown' : undefined));
    await settled(counts, { sent: 2, unknown: 1 });
    await recoverRows(ports, 'all');
    expect(await counts()).toEqual({ sent: 2, unknown: 1 });
    expect(transport.taken).toHaveLength(2);
  });

  test('a connection that breaks before the end costs nothing: the mail goes again', async () => {
    const { send, counts, ledger } = await launched(3);
    await send((_mail, attempt) => (attempt === 1 ? 'interrupted' : undefined));
    await settled(counts, { sent: 3 });
    expect([...(await ledger()).values()].map((row) => row.attempts)).toEqual([1, 1, 1]);
  });

  test('while no relay can be reached, rows stay pending and nothing counts as sent; then it goes on', async () => {
    const { send, counts, state } = await launched(20);
    let isAway = true;
    let tries = 0;
    const { transport } = await send(() => {
      tries += 1;
      return isAway ? 'unreachable' : undefined;
    });
    await eventually(() => tries).toBeGreaterThan(4);
    await eventually(async () => (await counts()).pending ?? 0).toBeGreaterThan(10);
    expect((await counts()).sent).toBeUndefined();
    expect((await state()).state).toBe('running');
    isAway = false;
    await settled(counts, { sent: 20 });
    expect(new Set(transport.recipients).size).toBe(20);
  });

  test('a relay that refuses us holds the campaign', async () => {
    const { send, state, counts } = await launched(3);
    await send(() => 'misconfigured');
    await eventually(state).toEqual({ state: 'paused', state_reason: 'relay_refused' });
    await settled(counts, { pending: 3 });
  });

  test('looks once more at every person, and at the campaign, right before the mail leaves', async () => {
    const { send, counts, ledger, ports, subscribers, project } = await launched(8);
    const { transport } = await send();
    transport.beforeMail = async ({ to }) => {
      const { subscriber_id, email_key } = subscribers.find((one) => one.email === to)!;
      if (email_key.startsWith('p0@')) await makeSuppression(ports, project.project_id, email_key);
      if (email_key.startsWith('p1@')) {
        await ports.store.db
          .updateTable('mail_subscribers')
          .set({ status: 'unsubscribed' })
          .where('subscriber_id', '=', subscriber_id)
          .execute();
      }
    };
    await settled(counts, { sent: 6, skipped: 2 });
    const rows = await ledger();
    expect(rows.get('p0@example.org')!.reason).toBe('suppressed');
    expect(rows.get('p1@example.org')!.reason).toBe('unsubscribed');
    expect(transport.recipients).toHaveLength(6);
  });

  test('a pause holds what has not left, and a resume goes on with that alone', async () => {
    const { send, counts, move } = await launched(120);
    const { transport } = await send(async () => {
      await systemClock.sleep(5);
      return undefined;
    });
    await transport.until(20);
    await move('pause');
    await eventually(async () => Object.keys(await counts()).sort()).toEqual(['pending', 'sent']);
    const { sent = 0, pending = 0 } = await counts();
    expect(sent + pending).toBe(120);
    expect(pending).toBeGreaterThan(0);
    expect(transport.taken).toHaveLength(sent);
    await move('resume');
    await settled(counts, { sent: 120 });
    expect(new Set(transport.recipients).size).toBe(120);
    expect(transport.taken).toHaveLength(120);
  });

  test('a cancel drops all that was not handed over, mails at the door too', async () => {
    const { send, counts, move, ports, campaignId, ledger } = await launched(80);
    const { transport } = await send();
    let cancelled: Promise<unknown> | undefined;
    transport.beforeEnd = async () => {
      if (transport.taken.length < 10) return;
      cancelled ??= move('cancel').then(() => dropOpenRows(ports, campaignId));
      await cancelled;
    };
    await eventually(() => cancelled !== undefined).toBe(true);
    await cancelled;
    await eventually(async () => Object.keys(await counts()).sort()).toEqual(['cancelled', 'sent']);
    expect(transport.taken).toHaveLength((await counts()).sent!);
    expect(await counts()).toEqual(tally((await ledger()).values()));
  });

  test('too many answers that blame us hold the campaign, and suppress nobody', async () => {
    const { send, state, counts, ports, project } = await launched(200, {
      config: { errorShareToPause: 0.2 },
    });
    await send((mail) =>
      Number(/\d+/.exec(mail.to)![0]) % 2 === 0 ? { rcpt: reply('550 5.7.1 blocked') } : undefined,
    );
    await eventually(state).toEqual({ state: 'paused', state_reason: 'error_share' });
    await eventually(async () => (await counts()).submitted ?? 0).toBe(0);
    const { failed = 0, sent = 0 } = await counts();
    expect(failed + sent).toBeGreaterThanOrEqual(50);
    expect(failed + sent).toBeLessThan(200);
    const suppressions = await ports.store.db
      .selectFrom('mail_suppressions')
      .select('email')
      .where('project_id', '=', project.project_id)
      .execute();
    expect(suppressions).toEqual([]);
  });

  test('five soft bounces in a row suppress an address; a delivery between them forgives', async () => {
    const { ports, project, list, subscribers, send } = await launched(2);
    const [unlucky, lucky] = [subscribers[0]!, subscribers[1]!];
    let round = 0;
    await send((mail) =>
      mail.to === lucky.email && round === 2 ? undefined : { rcpt: reply('552 5.2.2 full') },
    );
    const suppressed = async () => {
      const rows = await ports.store.db
        .selectFrom('mail_suppressions')
        .select('email')
        .where('project_id', '=', project.project_id)
        .execute();
      return rows.map((row) => row.email);
    };
    // The first campaign was the first round.
    for (round = 1; round < 5; round += 1) {
      const { campaign_id } = await makeCampaign(ports, project.project_id, [list.list_id]);
      const audience = {
        projectId: project.project_id,
        listIds: [list.list_id],
        segment: null,
        untilUs: systemClock.nowMicroseconds(),
      };
      expect(await suppressed()).toEqual([]);
      await freezeAudience(ports, campaign_id, audience, new AbortController().signal);
      await eventually(async () => (await countsOf(ports, campaign_id)).failed ?? 0).toBe(
        round === 2 ? 1 : 2,
      );
    }
    await eventually(suppressed).toEqual([unlucky.email]);
  });

  test('stopping gives back what has not left', async () => {
    const { send, counts } = await launched(60);
    const { transport, end } = await send(async () => {
      await systemClock.sleep(5);
      return undefined;
    });
    await transport.until(10);
    await end();
    const left = await counts();
    expect(Object.keys(left).sort()).toEqual(['pending', 'sent']);
    expect(left.sent).toBe(transport.taken.length);
    const next = await send(undefined, 'another');
    await settled(counts, { sent: 60 });
    expect(new Set([...transport.recipients, ...next.transport.recipients]).size).toBe(60);
    expect(transport.taken.length + next.transport.taken.length).toBe(60);
  });

  test('two workers share a campaign, and nobody gets it twice', async () => {
    const { send, counts } = await launched(200);
    const [one, two] = await Promise.all([send(undefined, 'one'), send(undefined, 'two')]);
    await settled(counts, { sent: 200 });
    const all = [...one.transport.recipients, ...two.transport.recipients];
    expect(all).toHaveLength(200);
    expect(new Set(all).size).toBe(200);
  });
});
