import { systemClock } from '@postern/kit';
import { type SinkMoment, type SmtpSink, startSmtpSink } from '@postern/mail/testing';
import { describeEngines } from '@postern/store/testing';
import { sql } from 'kysely';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { LaunchedContent } from '../src/campaigns/launched.ts';
import { campaignsConfigSchema } from '../src/config.ts';
import { compileContent } from '../src/content/compile.ts';
import { moveCampaign } from '../src/engine/control/campaign-state.ts';
import { createCampaignEngine } from '../src/engine/engine.ts';
import { countsOf, ledgerOf, makeCampaign, tally } from '../src/engine/testing/campaigns.ts';
import { campaignsBench } from '../src/testing/bench.ts';
import type { ChildEngine } from './child-engine.ts';
import { startEngine } from './children.ts';

const PEOPLE = 150;
/** Engines are started as processes, which may take their time on a busy machine. */
vi.setConfig({ testTimeout: 120_000 });
const eventually = <T>(look: () => T) => expect.poll(look, { timeout: 60_000, interval: 50 });

async function launchedContent(listId: string): Promise<LaunchedContent> {
  const { content } = await compileContent(
    {
      subject: 'Hello {{ subscriber.email }}',
      preheader: null,
      html: `<p>Hello {{ subscriber.email }}</p><p>${'x'.repeat(2_000)}</p><a href="{{ unsubscribe_url }}">Leave</a>`,
      mjml: null,
      text: null,
    },
    { clicks: false, opens: false, strict: false },
  );
  return {
    version: 1,
    content,
    from: { name: 'News', email: 'news@example.com' },
    reply_to: null,
    campaign: { name: 'Spring' },
    project: { name: 'Project', sender_address: null },
    lists: { [listId]: 'Friends' },
  };
}

describeEngines('kill -9', (engine) => {
  async function start(people = PEOPLE) {
    const bench = await campaignsBench(engine, { ports: { clock: systemClock } });
    const { ports } = bench;
    const project = await bench.makeProject();
    const list = await bench.makeList(project.project_id);
    const names: string[] = [];
    for (let index = 0; index < people; index += 1) {
      names.push((await bench.makeSubscriber(list, { email: `p${index}@example.org` })).email_key);
    }
    const sink = await startSmtpSink();
    onTestFinished(() => sink.close());
    const { campaign_id } = await makeCampaign(ports, project.project_id, [list.list_id], {
      content_json: JSON.stringify(await launchedContent(list.list_id)),
    });
    const child = (options: Partial<ChildEngine> = {}) =>
      startEngine({ place: ports.place, relayPort: sink.port, connections: 3, workers: 0, ...options });
    const state = async () => {
      const query = ports.store.db.selectFrom('mail_campaigns').select('state');
      return (await query.where('campaign_id', '=', campaign_id).executeTakeFirstOrThrow()).state;
    };
    /** On PostgreSQL the dead process's claims would run out by themselves in a minute. */
    async function leasesRunOut() {
      if (engine === 'sqlite') return;
      await sql`UPDATE mail_deliveries SET lease_until_us = 1 WHERE lease_until_us IS NOT NULL`.execute(
        ports.store.db,
      );
    }
    return { ...bench, names, sink, campaignId: campaign_id, child, state, leasesRunOut };
  }

  type Started = Awaited<ReturnType<typeof start>>;

  /** Ledger and sink, name by name. */
  async function compare({ ports, campaignId, names, sink }: Started): Promise<Record<string, number>> {
    const ledger = await ledgerOf(ports, campaignId);
    const received = receivedOf(sink);
    expect([...ledger.keys()].sort()).toEqual([...names].sort());
    for (const [name, row] of ledger) {
      const copies = received.get(name) ?? 0;
      if (row.state === 'sent') expect([name, copies]).toEqual([name, 1]);
      else if (row.state === 'unknown') expect(copies).toBeLessThanOrEqual(1);
      else expect([name, row.state, copies]).toEqual([name, row.state, 0]);
    }
    const counts = await countsOf(ports, campaignId);
    expect(counts).toEqual(tally(ledger.values()));
    // In flight and one batch, together.
    expect(counts.unknown ?? 0).toBeLessThanOrEqual(200);
    return counts;
  }

  /** Starts an engine, lets it die, starts another, and waits for the end of the campaign. */
  async function dieAndGoOn(started: Started, options: Partial<ChildEngine>, onMoment?: Moment) {
    const { sink, child, state, leasesRunOut } = started;
    let victim: string | undefined;
    const first = await child(options);
    if (onMoment) {
      sink.script = (moment) => {
        if (victim !== undefined || !onMoment(moment)) return undefined;
        victim = moment.to[0] ?? '';
        first.kill9();
        return { silent: true, take: moment.stage === 'dot' };
      };
    }
    await first.gone;
    sink.script = undefined;
    await leasesRunOut();
    await child();
    await eventually(state).toBe('finished');
    return { victim, counts: await compare(started) };
  }

  test.each([
    ['before it connects', 'before_connecting'],
    ['with a reply that it read and did not write down', 'reply_read'],
    ['with a result that it wrote down', 'result_written'],
  ] as const)('%s: nobody is lost and nobody gets two', async (_when, dieAt) => {
    const { counts } = await dieAndGoOn(await start(), { dieAt, dieAfter: 20 });
    if (dieAt === 'before_connecting') expect(counts.sent).toBeGreaterThanOrEqual(PEOPLE - 20);
    expect((counts.sent ?? 0) + (counts.unknown ?? 0)).toBe(PEOPLE);
  });

  test.each([
    ['when its recipient was accepted', (moment) => moment.stage === 'data' && moment.transaction >= 8, true],
    ['in the middle of a message', (moment) => moment.stage === 'body' && moment.transaction >= 8, true],
    [
      'when the end of a message is read',
      (moment) => moment.stage === 'dot' && moment.transaction >= 8,
      false,
    ],
  ] as [string, Moment, boolean][])(
    '%s: nobody is lost and nobody gets two',
    async (_when, moment, isSafe) => {
      const started = await start();
      const { victim, counts } = await dieAndGoOn(started, { connections: 2 }, moment);
      expect((counts.sent ?? 0) + (counts.unknown ?? 0)).toBe(PEOPLE);
      const row = (await ledgerOf(started.ports, started.campaignId)).get(victim ?? '');
      if (victim !== '') expect(row?.state).toBe(isSafe ? 'sent' : 'unknown');
    },
  );

  test('when it has connected, before its first command: nothing has happened', async () => {
    const started = await start();
    const { sink, child, state, leasesRunOut } = started;
    let connected: () => void = () => undefined;
    const connection = new Promise<void>((resolve) => {
      connected = resolve;
    });
    sink.script = ({ stage }) => {
      if (stage !== 'connect') return undefined;
      connected();
      return { hang: true };
    };
    const first = await child();
    await connection;
    first.kill9();
    await first.gone;
    sink.script = undefined;
    await leasesRunOut();
    await child();
    await eventually(state).toBe('finished');
    expect(await compare(started)).toEqual({ sent: PEOPLE });
  });

  test('while it is being paused, cancelled, or at its last mail: the counts add up', async () => {
    for (const event of ['pause', 'cancel'] as const) {
      const started = await start();
      const { ports, sink, child, campaignId, state, leasesRunOut } = started;
      const first = await child();
      await sink.until(30);
      const moving = ports.store.transaction((tx) => moveCampaign(tx, ports, campaignId, event, 'requested'));
      first.kill9();
      await Promise.all([moving, first.gone]);
      await leasesRunOut();
      const second = await child();
      if (event === 'pause') {
        await eventually(async () => (await countsOf(ports, campaignId)).claimed ?? 0).toBe(0);
        await eventually(async () => (await countsOf(ports, campaignId)).submitted ?? 0).toBe(0);
        await compare(started);
        await ports.store.transaction((tx) => moveCampaign(tx, ports, campaignId, 'resume', null));
        await eventually(state).toBe('finished');
      } else {
        await eventually(async () => {
          const { pending = 0, claimed = 0, submitted = 0 } = await countsOf(ports, campaignId);
          return pending + claimed + submitted;
        }).toBe(0);
        expect(await state()).toBe('cancelled');
      }
      await compare(started);
      second.terminate();
      expect(await second.gone).toBe(0);
    }
    const last = await start(20);
    const { counts } = await dieAndGoOn(last, {}, ({ stage }) => stage === 'dot' && last.sink.count >= 19);
    expect((counts.sent ?? 0) + (counts.unknown ?? 0)).toBe(20);
  });

  test('again and again, with senders on threads: nobody is lost and nobody gets two', async () => {
    const started = await start(400);
    const { sink, child, state, leasesRunOut } = started;
    for (const count of [40, 120, 220]) {
      const victim = await child({ workers: 2, connections: 6 });
      await sink.until(count);
      victim.kill9();
      await victim.gone;
      await leasesRunOut();
    }
    const last = await child({ workers: 2, connections: 6 });
    await eventually(state).toBe('finished');
    const counts = await compare(started);
    expect((counts.sent ?? 0) + (counts.unknown ?? 0)).toBe(400);
    last.terminate();
    expect(await last.gone).toBe(0);
  });

  test('a thread that dies gives its mails back at once, not when its leases run out', async () => {
    const started = await start(300);
    const { sink, child, state } = started;
    const engineOfOne = await child({ workers: 1, connections: 4 });
    await sink.until(60);
    engineOfOne.killThread();
    // A lease would hold them for a minute.
    await expect.poll(state, { timeout: 45_000, interval: 50 }).toBe('finished');
    const counts = await compare(started);
    expect((counts.sent ?? 0) + (counts.unknown ?? 0)).toBe(300);
    expect(counts.unknown ?? 0).toBeLessThanOrEqual(4);
    engineOfOne.terminate();
    expect(await engineOfOne.gone).toBe(0);
  });

  test('SIGTERM leaves nothing unknown', async () => {
    const started = await start();
    const { sink, child, state } = started;
    const first = await child();
    await sink.until(30);
    first.terminate();
    expect(await first.gone).toBe(0);
    expect(Object.keys(await compare(started)).sort()).toEqual(['pending', 'sent']);
    await child();
    await eventually(state).toBe('finished');
    expect(await compare(started)).toEqual({ sent: PEOPLE });
  });

  test.runIf(engine === 'sqlite')('a disk that is full for a while costs nobody anything', async () => {
    const started = await start(400);
    const { ports, log, sink, state } = started;
    const config = {
      smtp: [{ url: `smtp://127.0.0.1:${sink.port}` }],
      engine: { workers: 0, connections: 4 },
    };
    const sending = createCampaignEngine({
      ports: { ...ports, config: campaignsConfigSchema.parse(config), allowUnverifiedDomains: true },
      launcher: { prepare: async () => ({ unfit: 'template_error' }) },
    });
    onTestFinished(() => sending.stop());
    const limitPages = (pages: number) =>
      ports.store.transaction((tx) => sql`PRAGMA max_page_count = ${sql.lit(pages)}`.execute(tx));
    await sending.start();
    await sink.until(40);
    // SQLite takes the smallest limit that holds what there is.
    await limitPages(1);
    await eventually(() => log.lines.map(({ fields }) => String(Object(fields).err))).toContainEqual(
      expect.stringMatching(/full/i),
    );
    await limitPages(1_000_000);
    await eventually(state).toBe('finished');
    expect(await compare(started)).toEqual({ sent: 400 });
  });

  test.runIf(engine === 'postgres')('several processes share a campaign, and one of them dies', async () => {
    const started = await start(300);
    const { sink, child, state, leasesRunOut } = started;
    const [one] = await Promise.all([child(), child(), child()]);
    await sink.until(60);
    one.kill9();
    await one.gone;
    await leasesRunOut();
    await eventually(state).toBe('finished');
    const counts = await compare(started);
    expect((counts.sent ?? 0) + (counts.unknown ?? 0)).toBe(300);
  });

  test.runIf(engine === 'postgres')(
    'a database that drops every connection costs nobody anything',
    async () => {
      const started = await start(300);
      const { sink, child, state, ports } = started;
      await child();
      for (const count of [40, 120]) {
        await sink.until(count);
        await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()`.execute(ports.store.db);
      }
      await eventually(state).toBe('finished');
      const counts = await compare(started);
      expect((counts.sent ?? 0) + (counts.unknown ?? 0)).toBe(300);
    },
  );
});

type Moment = (moment: SinkMoment) => boolean;

function receivedOf(sink: SmtpSink): Map<string, number> {
  const received = new Map<string, number>();
  for (const { to } of sink.messages) {
    const name = to[0]!;
    received.set(name, (received.get(name) ?? 0) + 1);
  }
  return received;
}
