import { discordConnector } from '@postern/inbox';
import { type FakeDiscord, fakeDiscord } from '@postern/inbox/testing/discord';
import { systemClock } from '@postern/kit';
import { databaseBlobs } from '@postern/store';
import { sql } from 'kysely';
import type { Benchmark, BenchmarkContext, Report, Table } from './lib/benchmark.ts';
import { type Database, databaseMaker, ENGINE_NAMES, ENGINES, type Engine } from './lib/databases.ts';
import { benchInbox } from './lib/inbox.ts';
import { median, short, timed } from './lib/statistics.ts';

export const benchmark: Benchmark = {
  shows:
    'From the start of a hub until every message that was written on Discord while it was down is stored, beside the same messages written live, one session each.',
  deadlineSeconds: 900,
  heapMegabytes: 512,
  run,
};

interface Plan {
  readonly rounds: number;
  readonly channels: number;
  readonly messages: number;
}

const FULL: Plan = { rounds: 3, channels: 200, messages: 10_000 };
const QUICK: Plan = { rounds: 1, channels: 20, messages: 400 };
const TEXT = 'The delivery for the second floor came without its papers. Who can look into it before noon?';
const LOOK_MS = 20;

const WAYS = ['missed', 'live'] as const;
type Way = (typeof WAYS)[number];

interface Sample {
  readonly engine: Engine;
  readonly way: Way;
  readonly round: number;
  readonly milliseconds: number;
  readonly perSecond: number;
  /** Calls to Discord's REST. */
  readonly calls: number;
  readonly processorMs: number;
}

async function run(context: BenchmarkContext): Promise<Report> {
  const plan = context.quick ? QUICK : FULL;
  const samples: Sample[] = [];
  for (const engine of ENGINES) {
    const create = await databaseMaker(engine, context);
    for (const way of WAYS) {
      for (let round = 0; round < plan.rounds; round += 1) {
        context.say(`${ENGINE_NAMES[engine]}: ${way}, round ${round + 1}`);
        const database = await create(`${way}_${round}`);
        samples.push({ engine, way, round, ...(await measure(plan, way, database, context.stack)) });
      }
    }
  }
  return { tables: [tableOf(plan, samples)], targets: [], rounds: samples };
}

type FakeChannel = ReturnType<FakeDiscord['world']['addChannel']>;
type Measured = Pick<Sample, 'milliseconds' | 'perSecond' | 'calls' | 'processorMs'>;

async function measure(
  plan: Plan,
  way: Way,
  database: Database,
  stack: AsyncDisposableStack,
): Promise<Measured> {
  const fake = await fakeDiscord();
  stack.defer(() => fake.stop());
  const { world } = fake;
  const guildId = world.addGuild('Bench');
  const channels = Array.from({ length: plan.channels }, () => world.addChannel({ type: 0, guildId }));
  const ana = world.addUser('Ana');
  const store = await database.open();
  const startInbox = async () => {
    const inbox = benchInbox(store, databaseBlobs(store), [
      discordConnector({
        apiUrl: fake.apiUrl,
        token: fake.token,
        clock: systemClock,
        log: { debug() {}, info() {}, warn() {}, error: console.error },
        pauses: { identifyMs: 10 },
      }),
    ]);
    await inbox.allow({ source: 'discord', senderId: ana.id, release: false, actor: 'benchmark' });
    inbox.start();
    await until(() => inbox.health()[0]?.status === 'ok');
    return inbox;
  };
  const stored = async () => {
    const { rows } = await sql<{ n: number }>`SELECT count(*) AS n FROM inbox_messages`.execute(store.db);
    return Number(rows[0]?.n);
  };

  const first = await startInbox();
  // So that each channel is known, and its first message out of the way.
  talk(fake, channels, ana, plan.channels);
  await until(async () => (await stored()) === plan.channels);
  if (way === 'missed') {
    await first.stop();
    fake.gateway.forgetSessions();
    talk(fake, channels, ana, plan.messages);
  }
  const callsBefore = fake.rest.calls.length;
  const processorBefore = process.cpuUsage();
  let inbox = first;
  const milliseconds = await timed(async () => {
    if (way === 'missed') inbox = await startInbox();
    else talk(fake, channels, ana, plan.messages);
    await until(async () => (await stored()) === plan.channels + plan.messages);
  });
  const { user, system } = process.cpuUsage(processorBefore);
  await inbox.stop();
  await store.close();
  await fake.stop();
  return {
    milliseconds,
    perSecond: (plan.messages * 1_000) / milliseconds,
    calls: fake.rest.calls.length - callsBefore,
    processorMs: (user + system) / 1_000,
  };
}

/** The same number of messages in each channel, in turn. */
function talk(
  fake: FakeDiscord,
  channels: readonly FakeChannel[],
  author: Parameters<FakeDiscord['say']>[1],
  count: number,
): void {
  for (let index = 0; index < count; index += 1) {
    const channel = channels[index % channels.length];
    if (channel) fake.say(channel, author, `${TEXT} (${index})`);
  }
}

async function until(isIt: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isIt())) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
}

function tableOf(plan: Plan, samples: readonly Sample[]): Table {
  const rows = ENGINES.flatMap((engine) =>
    WAYS.map((way) => {
      const own = samples.filter((sample) => sample.engine === engine && sample.way === way);
      const middle = (of: (sample: Sample) => number) => median(own.map(of));
      return [
        `${ENGINE_NAMES[engine]}, ${way}`,
        short(middle((sample) => sample.milliseconds / 1_000)),
        short(middle((sample) => sample.perSecond)),
        middle((sample) => sample.calls),
        short(middle((sample) => sample.processorMs)),
      ];
    }),
  );
  return {
    title: `Median of ${plan.rounds} rounds of ${plan.messages} messages in ${plan.channels} channels; Discord's own limits (50 calls a second) are the library's`,
    columns: ['case', 's', 'messages/s', 'REST calls', 'processor ms'],
    rows,
  };
}
