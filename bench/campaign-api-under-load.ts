import { startSinkProcess } from '@postern/mail/testing';
import type { Benchmark, BenchmarkContext, Report, Table } from './lib/benchmark.ts';
import {
  type CampaignsHub,
  makeCampaign,
  makeList,
  startCampaignsHub,
  UNSIGNED_DOMAIN,
} from './lib/campaigns.ts';
import { databaseMaker, ENGINE_NAMES, ENGINES, type Engine } from './lib/databases.ts';
import { HttpClient } from './lib/http-client.ts';
import { type Importer, startImporter } from './lib/importer.ts';
import { samplePerson } from './lib/sample-mail.ts';
import { median, percentile, short, times } from './lib/statistics.ts';

export const benchmark: Benchmark = {
  shows:
    'Latency of a few API calls while the hub sends a campaign and imports subscribers, beside the same calls while it has nothing else to do; and how long its event loop was held.',
  deadlineSeconds: 420,
  heapMegabytes: 512,
  run,
};

interface Plan {
  readonly rounds: number;
  /** How long calls are made in each state, in milliseconds. */
  readonly windowMs: number;
  /** Recipients of a campaign; more than can be sent in a window. */
  readonly audience: number;
}

const FULL: Plan = { rounds: 5, windowMs: 5_000, audience: 40_000 };
const QUICK: Plan = { rounds: 2, windowMs: 1_500, audience: 10_000 };
/** Records of an import; they follow each other without a pause. */
const RECORDS = 5_000;
/** Lists of people who have not been imported yet are many times longer than what a run imports. */
const IMPORTED_FROM = 10_000_000;
const CONNECTIONS = 10;
/** Between two calls: people and agents do not call as fast as they can. */
const PAUSE_MS = 5;
const CALLS = ['GET', 'POST'] as const;
type Method = (typeof CALLS)[number];

const STATES = ['idle', 'busy'] as const;
type State = (typeof STATES)[number];

interface Sample {
  readonly engine: Engine;
  readonly state: State;
  readonly round: number;
  readonly milliseconds: Readonly<Record<Method, readonly number[]>>;
  /** The longest that the event loop was held. */
  readonly heldMs: number;
  /** Mails and records a second meanwhile. */
  readonly mails: number;
  readonly records: number;
}

async function run(context: BenchmarkContext): Promise<Report> {
  const plan = context.quick ? QUICK : FULL;
  const sink = await startSinkProcess({ keep: 0 });
  context.stack.defer(() => sink.close());
  const samples: Sample[] = [];
  for (const engine of ENGINES) {
    context.say(`${ENGINE_NAMES[engine]}: importing`);
    const database = await (await databaseMaker(engine, context))('load');
    const options = { database, relayPort: sink.port, connections: CONNECTIONS };
    const hub = await startCampaignsHub(options, context.stack);
    const listId = await makeList(hub, plan.audience);
    const importer = startImporter(context.stack);
    let importedTo = IMPORTED_FROM;
    context.say(`${ENGINE_NAMES[engine]}: calling`);
    // The first round warms up and is thrown away.
    for (let round = -1; round < plan.rounds; round += 1) {
      for (const state of STATES) {
        const load = state === 'busy' ? await startLoad(hub, listId, importer, importedTo) : null;
        const [before, started] = [await sink.count(), performance.now()];
        await heldMilliseconds(hub);
        const milliseconds = await call(hub, listId, plan.windowMs);
        const heldMs = await heldMilliseconds(hub);
        const seconds = (performance.now() - started) / 1_000;
        const mails = ((await sink.count()) - before) / seconds;
        const imported = (await load?.stop()) ?? 0;
        importedTo += imported;
        const records = imported / seconds;
        if (round >= 0) samples.push({ engine, state, round, milliseconds, heldMs, mails, records });
      }
    }
    await hub.hub.stop();
  }
  return {
    tables: [tableOf(plan, samples)],
    targets: context.quick
      ? []
      : ENGINES.flatMap((engine) => [
          {
            what: `${ENGINE_NAMES[engine]}: p99 while sending and importing to p99 of an idle hub`,
            found: median(ratios(samples, engine, CALLS, 99)),
            atMost: 3,
          },
          {
            what: `${ENGINE_NAMES[engine]}: ms the event loop was held at most, sending and importing`,
            found: median(ofCase(samples, engine, 'busy').map(({ heldMs }) => heldMs)),
            atMost: 50,
          },
        ]),
    rounds: samples,
  };
}

/** A campaign on its way, and one import after the other. */
async function startLoad(hub: CampaignsHub, listId: string, importer: Importer, from: number) {
  const { id: otherList } = await hub.api('POST /lists', { name: 'Imported' });
  const campaignId = await makeCampaign(hub, listId, UNSIGNED_DOMAIN);
  await hub.api(`POST /campaigns/${campaignId}/launch`, {});
  const url = `${hub.hub.url}/api/v1/lists/${otherList}/subscribers/import`;
  importer.start({ url, secret: hub.secret, from, records: RECORDS });
  return {
    /** @returns how many records were imported. */
    async stop(): Promise<number> {
      const records = await importer.stop();
      const { state } = await hub.api(`GET /campaigns/${campaignId}`);
      if (state === 'running') await hub.api(`POST /campaigns/${campaignId}/cancel`, {});
      await untilQuiet(hub, campaignId);
      return records;
    },
  };
}

/** What a cancel drops is dropped a while after it. */
async function untilQuiet({ api }: CampaignsHub, campaignId: string): Promise<void> {
  for (;;) {
    const { counts } = await api(`GET /campaigns/${campaignId}`);
    if (counts.pending + counts.submitted + counts.deferred === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

let people = 0;

/** The calls of somebody who works with the hub, in turn, on a connection of their own. */
async function call(
  { hub, secret }: CampaignsHub,
  listId: string,
  windowMs: number,
): Promise<Record<Method, number[]>> {
  using client = new HttpClient(1);
  const ask = (method: string, path: string, body?: object) =>
    client.call({
      method,
      url: `${hub.url}/api/v1${path}`,
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const { id: ownList } = JSON.parse(await ask('POST', '/lists', { name: 'Own' }));
  const steps: [Method, () => Promise<string>][] = [
    ['GET', () => ask('GET', '/lists?limit=20')],
    ['POST', () => ask('POST', `/lists/${ownList}/subscribers`, samplePerson(people++))],
    ['GET', () => ask('GET', `/lists/${listId}/subscribers?limit=50`)],
    ['POST', () => ask('POST', '/templates', { name: 'Hello', subject: 'Hello', html: '<p>Hello</p>' })],
    ['GET', () => ask('GET', '/campaigns?limit=20')],
    ['GET', () => ask('GET', `/lists/${listId}/subscribers/find?email=person.7@provider7.example`)],
  ];
  const milliseconds: Record<Method, number[]> = { GET: [], POST: [] };
  const started = performance.now();
  while (performance.now() - started < windowMs) {
    for (const [method, step] of steps) {
      const before = performance.now();
      await step();
      milliseconds[method].push(Math.round((performance.now() - before) * 1_000) / 1_000);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
  return milliseconds;
}

/** The longest that the hub's event loop was held since the last time this was asked. */
async function heldMilliseconds({ hub }: CampaignsHub): Promise<number> {
  using client = new HttpClient(1);
  const text = await client.call({
    method: 'GET',
    url: `${hub.url}/metrics`,
    headers: { authorization: `Bearer ${hub.adminKey}` },
  });
  const longest = /^nodejs_eventloop_delay_seconds\{quantile="1"\} (\S+)$/m.exec(text)?.[1];
  if (longest === undefined) throw new Error('the hub does not tell how long its event loop was held');
  return Number(longest) * 1_000;
}

function ofCase(samples: readonly Sample[], engine: Engine, state: State): Sample[] {
  return samples.filter((sample) => sample.engine === engine && sample.state === state);
}

function latency({ milliseconds }: Sample, methods: readonly Method[], p: number): number {
  return percentile(
    methods.flatMap((method) => milliseconds[method]),
    p,
  );
}

/** Busy to idle, of each round. */
function ratios(samples: readonly Sample[], engine: Engine, methods: readonly Method[], p: number): number[] {
  const idle = ofCase(samples, engine, 'idle');
  return ofCase(samples, engine, 'busy').map(
    (sample) =>
      latency(sample, methods, p) / latency(idle.find(({ round }) => round === sample.round)!, methods, p),
  );
}

function tableOf(plan: Plan, samples: readonly Sample[]): Table {
  const rows = ENGINES.flatMap((engine) =>
    ([['GET'], ['POST'], CALLS] as const).flatMap((methods) =>
      STATES.map((state) => {
        const own = ofCase(samples, engine, state);
        const figure = (p: number) => short(median(own.map((sample) => latency(sample, methods, p))));
        const ratio = (p: number) =>
          state === 'idle' ? '' : times(median(ratios(samples, engine, methods, p)));
        return [
          `${ENGINE_NAMES[engine]}, ${methods.join(' and ')}, ${state}`,
          figure(50),
          ratio(50),
          figure(99),
          ratio(99),
          short(median(own.map(({ heldMs }) => heldMs))),
          short(median(own.map(({ mails }) => mails))),
          short(median(own.map(({ records }) => records))),
        ];
      }),
    ),
  );
  return {
    title: `Median of ${plan.rounds} rounds of ${plan.windowMs / 1_000} s each, one call every ${PAUSE_MS} ms or more`,
    columns: ['case', 'p50 ms', 'to idle', 'p99 ms', 'to idle', 'loop held ms', 'mails/s', 'records/s'],
    rows,
  };
}
