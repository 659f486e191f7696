import { localConnector } from '@postern/inbox';
import { systemClock, systemRandom } from '@postern/kit';
import { type ChatService, createChatService } from '@postern/local-chat';
import { databaseBlobs } from '@postern/store';
import { sql } from 'kysely';
import type { Benchmark, BenchmarkContext, Report, Table } from './lib/benchmark.ts';
import { type BenchStore, databaseMaker, ENGINE_NAMES, ENGINES, type Engine } from './lib/databases.ts';
import { benchInbox } from './lib/inbox.ts';
import { median, percentile, short, timed, times } from './lib/statistics.ts';
import { Watchers } from './lib/watchers.ts';

export const benchmark: Benchmark = {
  shows:
    'From a post in the local chat until every agent has the message in its unread, one at a time and fifty at once, beside a loop that inserts one row and commits.',
  deadlineSeconds: 420,
  heapMegabytes: 512,
  run,
};

interface Plan {
  readonly rounds: number;
  /** Messages of a round that are posted one after the other, each when the last one was seen. */
  readonly singles: number;
  /** Messages of a round that are posted in batches, each when the last one was seen. */
  readonly batched: number;
}

const FULL: Plan = { rounds: 5, singles: 100, batched: 500 };
const QUICK: Plan = { rounds: 3, singles: 20, batched: 100 };
const BATCH = 50;
const AGENTS = [1, 5] as const;
const CHANNEL = 'local:team';
const ANA = { id: 'ana', name: 'Ana' };
const TEXT = 'The delivery for the second floor came without its papers. Who can look into it before noon?';

const WAYS = ['single', 'batch'] as const;
type Way = (typeof WAYS)[number];

interface Sample {
  readonly engine: Engine;
  readonly agents: number;
  readonly way: Way;
  readonly round: number;
  /** Messages in a second, from the first post to the last sight. */
  readonly perSecond: number;
  /** Rows a second of the plain loop in the same round, as many rows as there were messages. */
  readonly plainPerSecond: number;
  /** For each message, from its post to the last agent's sight of it. */
  readonly milliseconds: readonly number[];
}

/** Chat and inbox on one database, as in a hub, and agents that wait for messages. */
interface Bench {
  readonly store: BenchStore;
  readonly chat: ChatService;
  readonly watchers: Watchers;
  stop(): Promise<void>;
}

async function run(context: BenchmarkContext): Promise<Report> {
  const plan = context.quick ? QUICK : FULL;
  const samples: Sample[] = [];
  for (const engine of ENGINES) {
    const create = await databaseMaker(engine, context);
    const benches = new Map<number, Bench>();
    for (const agents of AGENTS) {
      const database = await create(`with_${agents}`);
      benches.set(agents, await start(await database.open(), agents, context.stack));
    }
    context.say(`${ENGINE_NAMES[engine]}: posting`);
    // The first round warms up and is thrown away.
    for (let round = -1; round < plan.rounds; round += 1) {
      for (const way of WAYS) {
        for (const [agents, bench] of benches) {
          const count = way === 'single' ? plan.singles : plan.batched;
          const plainPerSecond = await insertPlainly(bench.store, count);
          const measured = await ingest(bench, way === 'single' ? 1 : BATCH, count);
          if (round >= 0) samples.push({ engine, agents, way, round, plainPerSecond, ...measured });
        }
      }
    }
    for (const bench of benches.values()) await bench.stop();
  }
  return { tables: [tableOf(plan, samples)], targets: [], rounds: samples };
}

async function start(store: BenchStore, agentCount: number, stack: AsyncDisposableStack): Promise<Bench> {
  const blobs = databaseBlobs(store);
  const ports = { store, blobs, clock: systemClock, random: systemRandom };
  const chat = createChatService({ ...ports, publicUrl: () => 'http://127.0.0.1:8080' });
  const inbox = benchInbox(store, blobs, [localConnector(chat.port(), systemClock)]);
  const watchers = new Watchers(inbox);
  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= (async () => {
      await Promise.all([watchers.stop(), inbox.stop(), chat.stop()]);
      await store.close();
    })();
    return stopping;
  };
  stack.defer(stop);

  await sql`
    CREATE TABLE plain_messages (
      message_id text PRIMARY KEY, sender text NOT NULL, text text NOT NULL, received_us bigint NOT NULL)
  `.execute(store.db);
  await chat.start();
  await chat.openChannel({ name: 'team', type: 'group', members: [ANA] });
  await inbox.allow({ source: 'local', senderId: ANA.id, release: false, actor: 'benchmark' });
  inbox.start();
  for (let index = 0; index < agentCount; index += 1) watchers.add(`agent-${index}`);
  // An agent is known, and messages get unread rows for it, from its first mark on.
  const hello = await chat.post({ channelId: CHANNEL, user: ANA, text: 'hello' });
  const { messageId } = await watchers.allSaw(hello.id);
  for (const agent of watchers.agents) await inbox.markRead(agent, [messageId]);
  return { store, chat, watchers, stop };
}

/** Posts messages, so many at once, and waits for each lot to be seen before the next. */
async function ingest(
  { chat, watchers }: Bench,
  atOnce: number,
  count: number,
): Promise<Pick<Sample, 'perSecond' | 'milliseconds'>> {
  const milliseconds: number[] = [];
  const post = async () => {
    const started = performance.now();
    const { id } = await chat.post({ channelId: CHANNEL, user: ANA, text: TEXT });
    const { at } = await watchers.allSaw(id);
    milliseconds.push(Math.round((at - started) * 1_000) / 1_000);
  };
  const took = await timed(async () => {
    for (let posted = 0; posted < count; posted += atOnce)
      await Promise.all(Array.from({ length: atOnce }, post));
  });
  return { perSecond: (count * 1_000) / took, milliseconds };
}

let plainRows = 0;

/** Rows a second that the simplest program could store: each inserted and committed by itself. */
async function insertPlainly(store: BenchStore, count: number): Promise<number> {
  const took = await timed(async () => {
    for (let index = 0; index < count; index += 1) {
      plainRows += 1;
      await sql`
        INSERT INTO plain_messages (message_id, sender, text, received_us)
        VALUES (${`msg_${plainRows}`}, ${ANA.id}, ${TEXT}, ${systemClock.nowMicroseconds()})
      `.execute(store.db);
    }
  });
  return (count * 1_000) / took;
}

function tableOf(plan: Plan, samples: readonly Sample[]): Table {
  const rows = ENGINES.flatMap((engine) =>
    WAYS.flatMap((way) =>
      AGENTS.map((agents) => {
        const own = samples.filter(
          (sample) => sample.engine === engine && sample.way === way && sample.agents === agents,
        );
        const middle = (of: (sample: Sample) => number) => median(own.map(of));
        return [
          `${ENGINE_NAMES[engine]}, ${way}, ${agents === 1 ? '1 agent' : `${agents} agents`}`,
          short(middle((sample) => sample.perSecond)),
          short(middle((sample) => sample.plainPerSecond)),
          times(middle((sample) => sample.perSecond / sample.plainPerSecond)),
          short(middle((sample) => percentile(sample.milliseconds, 50))),
          short(middle((sample) => percentile(sample.milliseconds, 99))),
        ];
      }),
    ),
  );
  return {
    title: `Median of ${plan.rounds} rounds of ${plan.singles} single messages, and of ${plan.batched} in batches of ${BATCH}`,
    columns: ['case', 'messages/s', 'plain rows/s', 'ratio', 'p50 ms', 'p99 ms'],
    rows,
  };
}
