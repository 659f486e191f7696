import { systemClock } from '@postern/kit';
import { describeEngines } from '@postern/store/testing';
import { expect, onTestFinished, test } from 'vitest';
import type { CampaignTable } from '../tables.ts';
import { campaignsBench } from '../testing/bench.ts';
import { moveCampaign } from './control/campaign-state.ts';
import { startDue } from './control/due.ts';
import { createCampaignEngine } from './engine.ts';
import type { Launcher } from './ports.ts';
import { countsOf, makeCampaign } from './testing/campaigns.ts';
import { fakeMailers } from './testing/fake-mailers.ts';
import { type Behaviour, FakeTransport } from './testing/fake-transport.ts';

const eventually = <T>(look: () => T) => expect.poll(look, { timeout: 20_000 });
const ready: Launcher = { prepare: async () => ({ contentJson: '{}' }) };

describeEngines('the engine', (engine) => {
  async function start(
    people: number,
    { behaviour, launcher = ready }: { behaviour?: Behaviour; launcher?: Launcher } = {},
  ) {
    const bench = await campaignsBench(engine, { ports: { clock: systemClock } });
    const { ports } = bench;
    const project = await bench.makeProject();
    const list = await bench.makeList(project.project_id);
    for (let index = 0; index < people; index += 1) await bench.makeSubscriber(list);
    await ports.store.db
      .insertInto('mail_webhooks')
      .values({
        webhook_id: ports.newId('whk'),
        project_id: project.project_id,
        url: 'https://hooks.invalid/',
        events: 'campaign.finished campaign.failed campaign.paused',
        enabled: 1,
        secret_sealed: 'none',
        created_us: 0,
        updated_us: 0,
      })
      .execute();
    const transport = new FakeTransport(behaviour);
    const campaignEngine = createCampaignEngine({ ports, launcher, transport, mailers: fakeMailers });
    onTestFinished(() => campaignEngine.stop());
    await campaignEngine.start();
    const campaign = async (id: string) =>
      ports.store.db
        .selectFrom('mail_campaigns')
        .select(['state', 'state_reason', 'launched_us', 'frozen_us', 'finished_us', 'content_json'])
        .where('campaign_id', '=', id)
        .executeTakeFirstOrThrow();
    return {
      ...bench,
      project,
      list,
      transport,
      campaignEngine,
      campaign,
      state: async (id: string) => (await campaign(id)).state,
      events: async () => {
        const rows = await ports.store.db.selectFrom('mail_webhook_deliveries').select('event').execute();
        return rows.map((row) => row.event);
      },
      launch: (row: Partial<CampaignTable> = {}) =>
        makeCampaign(ports, project.project_id, [list.list_id], row),
    };
  }

  test('takes a launched campaign to its end, and tells webhooks', async () => {
    const { launch, state, transport, ports, events, campaign } = await start(40);
    const { campaign_id } = await launch();
    await eventually(() => state(campaign_id)).toBe('finished');
    expect(await countsOf(ports, campaign_id)).toEqual({ sent: 40 });
    expect(new Set(transport.recipients).size).toBe(40);
    expect(await campaign(campaign_id)).toMatchObject({ finished_us: expect.any(Number) });
    expect(await events()).toEqual(['campaign.finished']);
  });

  test('finishes a campaign that nobody gets', async () => {
    const { launch, state } = await start(0);
    const { campaign_id } = await launch();
    await eventually(() => state(campaign_id)).toBe('finished');
  });

  test('fails nothing that somebody has changed or started meanwhile', async () => {
    const { ports, makeProject } = await campaignsBench(engine);
    const { project_id } = await makeProject();
    const due = { state: 'scheduled', launched_us: null, send_at_us: 1 } as const;
    const states = ['draft', 'running', 'scheduled'] as const;
    for (const state of states) {
      await makeCampaign(ports, project_id, [], { ...due, name: state, max_lateness_seconds: 2_000_000_000 });
    }
    await startDue(ports, {
      async prepare({ campaign_id, name, updated_us }) {
        const state = states.find((one) => one === name) ?? 'draft';
        await ports.store.db
          .updateTable('mail_campaigns')
          .set({ state, updated_us: updated_us + 1 })
          .where('campaign_id', '=', campaign_id)
          .execute();
        return { unfit: 'domain_unverified' };
      },
    });
    const rows = await ports.store.db.selectFrom('mail_campaigns').select(['name', 'state']).execute();
    expect(rows.map(({ name, state }) => `${name} ${state}`).sort()).toEqual([
      'draft draft',
      'running running',
      'scheduled scheduled',
    ]);
  });

  test('starts what is due, leaves what is too late, and fails what can not go', async () => {
    const unfit: Launcher = {
      prepare: async ({ name }) =>
        name === 'Unfit' ? { unfit: 'domain_unverified' } : { contentJson: '{}' },
    };
    const { launch, state, campaign, transport } = await start(3, { launcher: unfit });
    const now = systemClock.nowMicroseconds();
    const scheduled = { state: 'scheduled', launched_us: null } as const;
    const due = await launch({ ...scheduled, send_at_us: now - 1_000_000 });
    const late = await launch({ ...scheduled, send_at_us: now - 10_000_000, max_lateness_seconds: 5 });
    const bad = await launch({ ...scheduled, send_at_us: now - 1_000_000, name: 'Unfit' });
    const future = await launch({ ...scheduled, send_at_us: now + 3_600_000_000 });
    await eventually(() => state(due.campaign_id)).toBe('finished');
    await eventually(() => campaign(late.campaign_id)).toMatchObject({
      state: 'scheduled',
      state_reason: 'missed_send_time',
    });
    await eventually(() => campaign(bad.campaign_id)).toMatchObject({
      state: 'failed',
      state_reason: 'domain_unverified',
    });
    expect(await state(future.campaign_id)).toBe('scheduled');
    expect(transport.taken).toHaveLength(3);
    expect((await campaign(due.campaign_id)).launched_us).toBeGreaterThanOrEqual(now - 1_000_000);
  });

  test('counts what a cancel dropped, to the last row', async () => {
    const { launch, ports, transport } = await start(60, {
      behaviour: async () => {
        await systemClock.sleep(10);
        return undefined;
      },
    });
    const { campaign_id } = await launch();
    await transport.until(10);
    await ports.store.transaction((tx) => moveCampaign(tx, ports, campaign_id, 'cancel', 'requested'));
    await eventually(async () => Object.keys(await countsOf(ports, campaign_id)).sort()).toEqual([
      'cancelled',
      'sent',
    ]);
    const { sent = 0, cancelled = 0 } = await countsOf(ports, campaign_id);
    expect(sent + cancelled).toBe(60);
    expect(sent).toBe(transport.taken.length);
  });

  test('stops the campaigns of a project that is gone', async () => {
    const { launch, ports, project, state } = await start(30, { behaviour: () => 'unreachable' });
    const { campaign_id } = await launch();
    await eventually(async () => (await countsOf(ports, campaign_id)).pending ?? 0).toBeGreaterThan(0);
    await ports.store.db
      .updateTable('mail_projects')
      .set({ deleted_us: 1 })
      .where('project_id', '=', project.project_id)
      .execute();
    await eventually(() => state(campaign_id)).toBe('cancelled');
    await eventually(() => countsOf(ports, campaign_id)).toEqual({ cancelled: 30 });
  });

  test('says how it is', async () => {
    const { campaignEngine } = await start(0);
    await eventually(() => campaignEngine.health()).toEqual({
      transport: 'capture',
      state: 'running',
      senders: 1,
    });
    await campaignEngine.stop();
    expect(campaignEngine.health().state).toBe('stopped');
  });
});
