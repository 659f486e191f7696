import type { RunningInbox } from '@postern/inbox';
import { databaseBlobs } from '@postern/store';
import type { Benchmark, BenchmarkContext, Report, Table, Target } from './lib/benchmark.ts';
import { type Database, databaseMaker, ENGINE_NAMES, ENGINES, type Engine } from './lib/databases.ts';
import {
  BUSY_CHANNEL,
  type History,
  historyOf,
  isInFeed,
  QUIET_CHANNEL,
  refreshStatistics,
  storeAgent,
  storeHistory,
  storeLateAgent,
  storeSlowAgent,
  unmark,
} from './lib/history.ts';
import { HttpClient } from './lib/http-client.ts';
import { startHub } from './lib/hub.ts';
import { benchInbox } from './lib/inbox.ts';
import { median, percentile, short, shuffled, timed, times } from './lib/statistics.ts';

export const benchmark: Benchmark = {
  shows:
    'list_unread_messages (a page of up to 50) and mark_read (20 ids) over 1,000 to 1,000,000 stored messages: what is unread must cost the same, however much history lies behind it.',
  deadlineSeconds: 900,
  heapMegabytes: 512,
  run,
};

const UNREAD = 50;
const MARKED = 20;
/** The contract's bounds of largest to smallest, for each case of listing. */
const P50_RATIO = 1.5;
const P99_RATIO = 2;
/** Seeding a million rows is one statement. */
const SEEDING = { statementMs: 600_000, transactionMs: 600_000 };

interface Plan {
  readonly sizes: readonly number[];
  readonly rounds: number;
  readonly calls: number;
}

const FULL: Plan = { sizes: [1_000, 100_000, 1_000_000], rounds: 5, calls: 300 };
const QUICK: Plan = { sizes: [1_000, 20_000], rounds: 3, calls: 40 };

/** A database of one size, ready to be asked. */
interface Filled {
  readonly size: number;
  readonly history: History;
  readonly database: Database;
}

interface Asked extends Filled {
  list(filter: Partial<Parameters<RunningInbox['listUnread']>[0]>): Promise<number>;
  markRead(agentId: string, positions: readonly number[]): Promise<void>;
  unmark(agentId: string, positions: readonly number[]): Promise<void>;
  close(): Promise<void>;
}

interface Case {
  readonly name: string;
  /** Messages the page must hold, so that nothing else is measured by mistake. */
  readonly page: number;
  readonly hasTarget: boolean;
  run(asked: Asked): Promise<number>;
  after?(asked: Asked): Promise<void>;
}

/** Positions of 50 unread messages spread over the past, five in each busy channel. */
const spread = ({ size }: History) =>
  Array.from({ length: UNREAD }, (_, index) => Math.floor((index * size) / UNREAD) + (index % 10));
/** The 25 oldest and the 25 newest of the feed. */
const edges = ({ size }: History) => {
  const all = Array.from({ length: 2 * UNREAD }, (_, index) =>
    index < UNREAD ? index : size - 2 * UNREAD + index,
  );
  const inFeed = all.filter(isInFeed);
  return [...inFeed.slice(0, UNREAD / 2), ...inFeed.slice(-UNREAD / 2)];
};
const newestTenth = ({ size }: History) =>
  Array.from({ length: UNREAD }, (_, index) => size * 0.9 + index).filter(isInFeed);
const firstOf = (positions: readonly number[]) => positions.slice(0, MARKED);

const CASES: readonly Case[] = [
  {
    name: 'no filter',
    page: 50,
    hasTarget: true,
    run: ({ list }) => list({ agentId: 'spread' }),
  },
  {
    name: '25 oldest + 25 newest',
    page: 50,
    hasTarget: true,
    run: ({ list }) => list({ agentId: 'edges' }),
  },
  {
    name: 'since, half-way',
    page: 25,
    hasTarget: true,
    run: ({ list, history }) =>
      list({ agentId: 'spread', sinceMicroseconds: history.receivedUs(history.size / 2 - 1) }),
  },
  {
    name: 'source',
    page: 20,
    hasTarget: true,
    run: ({ list }) => list({ agentId: 'spread', source: 'discord' }),
  },
  {
    name: 'channel_id',
    page: 5,
    hasTarget: true,
    run: ({ list }) => list({ agentId: 'spread', channelId: BUSY_CHANNEL }),
  },
  {
    name: 'agent never seen',
    page: 50,
    hasTarget: true,
    run: ({ list }) => list({ agentId: 'new' }),
  },
  {
    name: 'never seen, channel_id',
    page: 50,
    hasTarget: true,
    run: ({ list }) => list({ agentId: 'new', channelId: BUSY_CHANNEL }),
  },
  {
    name: 'never seen, quiet channel',
    page: 50,
    hasTarget: true,
    run: ({ list }) => list({ agentId: 'new', channelId: QUIET_CHANNEL }),
  },
  {
    name: 'the same, and source',
    page: 50,
    hasTarget: true,
    run: ({ list }) => list({ agentId: 'new', channelId: QUIET_CHANNEL, source: 'local' }),
  },
  {
    name: 'history half copied',
    page: 50,
    hasTarget: true,
    run: ({ list }) => list({ agentId: 'late' }),
  },
  {
    name: 'half copied, since beyond',
    page: 50,
    hasTarget: true,
    run: ({ list, history }) =>
      list({ agentId: 'late', sinceMicroseconds: history.receivedUs(Math.floor(history.size * 0.75)) }),
  },
  {
    name: 'mark_read of 20',
    page: MARKED,
    hasTarget: false,
    run: async ({ markRead, history }) => {
      await markRead('spread', firstOf(spread(history)));
      return MARKED;
    },
    after: ({ unmark: undo, history }) => undo('spread', firstOf(spread(history))),
  },
  {
    name: 'mark_read, a tenth unread',
    page: MARKED,
    hasTarget: false,
    run: async ({ markRead, history }) => {
      await markRead('slow', firstOf(newestTenth(history)));
      return MARKED;
    },
    after: ({ unmark: undo, history }) => undo('slow', firstOf(newestTenth(history))),
  },
];

/** By case, size and round, what each call took. */
type Samples = Map<string, Map<number, number[][]>>;

async function run(context: BenchmarkContext): Promise<Report> {
  const plan = context.quick ? QUICK : FULL;
  const tables: Table[] = [];
  const targets: Target[] = [];
  const rounds: Record<string, unknown> = {};
  for (const engine of ENGINES) {
    const filled = await fill(engine, plan, context);
    const samples: Samples = new Map();
    context.say(`${ENGINE_NAMES[engine]}: asking`);
    await askInProcess(filled, plan, samples);
    await askOverHttp(filled, plan, samples, context.stack);
    tables.push(tableOf(engine, plan, samples));
    // A few calls to small databases say nothing about bounds.
    if (!context.quick) targets.push(...targetsOf(engine, plan, samples));
    rounds[engine] = Object.fromEntries(
      [...samples].map(([name, bySize]) => [name, Object.fromEntries(bySize)]),
    );
  }
  return { tables, targets, rounds };
}

async function fill(engine: Engine, plan: Plan, context: BenchmarkContext): Promise<Filled[]> {
  const create = await databaseMaker(engine, context);
  const filled: Filled[] = [];
  for (const size of plan.sizes) {
    context.say(`${ENGINE_NAMES[engine]}: storing ${size.toLocaleString('en-US')} messages`);
    const database = await create(`of_${size}`);
    const history = historyOf(size, Date.now() * 1_000);
    const store = await database.open(SEEDING);
    try {
      await storeHistory(store, history);
      await storeAgent(store, history, 'spread', spread(history));
      await storeAgent(store, history, 'edges', edges(history));
      await storeSlowAgent(store, history, 'slow');
      await storeLateAgent(store, history, 'late');
      await refreshStatistics(store);
    } finally {
      await store.close();
    }
    filled.push({ size, history, database });
  }
  return filled;
}

async function ask(filled: Filled): Promise<Asked> {
  const store = await filled.database.open();
  const inbox = benchInbox(store, databaseBlobs(store));
  const never = new AbortController().signal;
  return {
    ...filled,
    async list(filter) {
      const page = await inbox.listUnread(
        {
          agentId: '',
          sinceMicroseconds: null,
          source: null,
          channelId: null,
          limit: UNREAD,
          ...filter,
        },
        0,
        never,
      );
      return page.messages.length;
    },
    markRead: (agentId, positions) => inbox.markRead(agentId, positions.map(filled.history.messageId)),
    unmark: (agentId, positions) => unmark(store, filled.history, agentId, positions),
    close: () => store.close(),
  };
}

async function askInProcess(filled: readonly Filled[], plan: Plan, samples: Samples): Promise<void> {
  const all = await Promise.all(filled.map(ask));
  try {
    // The first round warms up and is thrown away.
    for (let round = -1; round < plan.rounds; round += 1) {
      for (const { name, page, run: call, after } of CASES) {
        for (let turn = 0; turn < plan.calls; turn += 1) {
          // One call to each size, in any order: whatever else the machine does meets all of them, and what
          // comes at a steady beat, such as a collection of garbage, does not always meet the same one.
          for (const asked of shuffled(all)) {
            let found = 0;
            const took = await timed(async () => {
              found = await call(asked);
            });
            if (found !== page)
              throw new Error(`${name}: ${found} messages of ${asked.size}, not the ${page} that are unread`);
            if (after) await after(asked);
            if (round >= 0) note(samples, name, asked.size, round, took);
          }
        }
      }
    }
  } finally {
    for (const asked of all) await asked.close();
  }
}

const OVER_HTTP = 'no filter, GET /messages/unread';

async function askOverHttp(
  filled: readonly Filled[],
  plan: Plan,
  samples: Samples,
  stack: AsyncDisposableStack,
): Promise<void> {
  using client = new HttpClient(filled.length);
  const hubs: { size: number; hub: Awaited<ReturnType<typeof startHub>> }[] = [];
  for (const { size, database } of filled) {
    const hub = await startHub(database);
    stack.defer(() => hub.stop());
    hubs.push({ size, hub });
  }
  for (let round = -1; round < plan.rounds; round += 1) {
    for (let turn = 0; turn < plan.calls; turn += 1) {
      for (const { size, hub } of shuffled(hubs)) {
        let text = '';
        const took = await timed(async () => {
          text = await client.call({
            method: 'GET',
            url: `${hub.url}/messages/unread?limit=${UNREAD}`,
            headers: { authorization: `Bearer ${hub.bearer}`, 'x-agent-id': 'spread' },
          });
        });
        const { messages } = JSON.parse(text) as { messages: unknown[] };
        if (messages.length !== UNREAD) throw new Error(`${OVER_HTTP}: ${messages.length} messages`);
        if (round >= 0) note(samples, OVER_HTTP, size, round, took);
      }
    }
  }
  for (const { hub } of hubs) await hub.stop();
}

function note(samples: Samples, name: string, size: number, round: number, milliseconds: number): void {
  const bySize = samples.get(name) ?? new Map<number, number[][]>();
  samples.set(name, bySize);
  const rounds = bySize.get(size) ?? [];
  bySize.set(size, rounds);
  rounds[round] ??= [];
  rounds[round].push(Math.round(milliseconds * 1_000) / 1_000);
}

/** The middle of the rounds' own percentiles. */
function ofRounds(rounds: readonly number[][], p: number): number {
  return median(rounds.map((samples) => percentile(samples, p)));
}

/** Largest to smallest, round by round, and of that the middle. */
function ratioOf(bySize: ReadonlyMap<number, number[][]>, plan: Plan, p: number): number {
  const smallest = bySize.get(plan.sizes[0]!) ?? [];
  const largest = bySize.get(plan.sizes.at(-1)!) ?? [];
  return median(largest.map((samples, round) => percentile(samples, p) / percentile(smallest[round]!, p)));
}

function tableOf(engine: Engine, plan: Plan, samples: Samples): Table {
  const label = (size: number) => (size >= 1_000_000 ? `${size / 1_000_000}M` : `${size / 1_000}k`);
  const [first = 0, last = 0] = [plan.sizes[0], plan.sizes.at(-1)];
  const ratio = `${label(last)}/${label(first)}`;
  return {
    title: `${ENGINE_NAMES[engine]}: ms, median of ${plan.rounds} rounds of ${plan.calls} calls`,
    columns: [
      'case',
      ...plan.sizes.map((size) => `p50 ${label(size)}`),
      ratio,
      ...plan.sizes.map((size) => `p99 ${label(size)}`),
      ratio,
    ],
    rows: [...samples].map(([name, bySize]) => [
      name,
      ...[50, 99].flatMap((p) => [
        ...plan.sizes.map((size) => short(ofRounds(bySize.get(size) ?? [], p))),
        times(ratioOf(bySize, plan, p)),
      ]),
    ]),
  };
}

function targetsOf(engine: Engine, plan: Plan, samples: Samples): Target[] {
  const isBound = (name: string) => CASES.find((entry) => entry.name === name)?.hasTarget ?? true;
  return [...samples]
    .filter(([name]) => isBound(name))
    .flatMap(([name, bySize]) => [
      {
        what: `${ENGINE_NAMES[engine]}, ${name}: p50 ratio`,
        found: ratioOf(bySize, plan, 50),
        atMost: P50_RATIO,
      },
      {
        what: `${ENGINE_NAMES[engine]}, ${name}: p99 ratio`,
        found: ratioOf(bySize, plan, 99),
        atMost: P99_RATIO,
      },
    ]);
}
