import { join } from 'node:path';
import process from 'node:process';
import { imessageConnector } from '@postern/inbox';
import { systemClock } from '@postern/kit';
import { ChatDb } from '../packages/inbox/src/testing/fakes/imessage/chat-db.ts';
import type { Benchmark, BenchmarkContext, Report } from './lib/benchmark.ts';
import { median, percentile, short } from './lib/statistics.ts';

export const benchmark: Benchmark = {
  shows:
    'From a message in a chat.db of 1,000,000 rows until the connector hands it over, at a look each second; what looking costs while nothing comes, beside a loop that only sleeps.',
  deadlineSeconds: 300,
  heapMegabytes: 512,
  run,
};

const POLL_MS = 1_000;
/** A look begins when the sleep after the last one is over, and takes its own time. */
const ONE_POLL_MS = POLL_MS + 250;
const CHATS = 200;

interface Plan {
  readonly rows: number;
  readonly messages: number;
  readonly idleMs: number;
}

const FULL: Plan = { rows: 1_000_000, messages: 20, idleMs: 30_000 };
const QUICK: Plan = { rows: 20_000, messages: 3, idleMs: 3_000 };

async function run(context: BenchmarkContext): Promise<Report> {
  const plan = context.quick ? QUICK : FULL;
  const chatDb = join(context.folder, 'chat.db');
  const db = new ChatDb(chatDb);
  context.stack.defer(() => db.close());
  context.say(`writing ${plan.rows.toLocaleString('en')} rows`);
  const chat = fill(db, plan.rows);

  const seen = new Map<string, () => void>();
  const sink = {
    async accept(events: readonly { readonly platformId: string }[]) {
      for (const { platformId } of events) seen.get(platformId)?.();
    },
    channelCursors: async () => new Map<string, string | null>(),
    newestIn: async () => [],
  };
  const connector = imessageConnector(
    { chatDb, osascript: ['/usr/bin/osascript'], region: 'US', groups: true, pollMs: POLL_MS },
    systemClock,
  );
  const stop = new AbortController();
  const running = connector.run(null, sink, stop.signal);
  context.stack.defer(async () => {
    stop.abort();
    await running;
  });
  while (connector.health().status !== 'ok') await systemClock.sleep(10);

  context.say('looking while nothing comes');
  const idle = await processorShare(plan.idleMs);

  context.say('looking while messages come');
  const milliseconds: number[] = [];
  for (let index = 0; index < plan.messages; index += 1) {
    // At another moment between two looks each time.
    await systemClock.sleep((index * 137) % POLL_MS);
    const { promise, resolve } = Promise.withResolvers<void>();
    const guid = `new-${index}`;
    seen.set(guid, resolve);
    const written = performance.now();
    db.message({ chat, from: addressOf(0), text: `message ${index}`, guid });
    await promise;
    milliseconds.push(performance.now() - written);
  }

  stop.abort();
  await running;
  const bare = await processorShare(plan.idleMs, async () => {
    await systemClock.sleep(POLL_MS);
  });
  const slowest = Math.max(...milliseconds);
  return {
    tables: [
      {
        title: `chat.db of ${plan.rows.toLocaleString('en')} rows, a look each ${POLL_MS} ms`,
        columns: ['what', 'found'],
        rows: [
          ['seen after ms, p50', short(median(milliseconds))],
          ['seen after ms, p99', short(percentile(milliseconds, 99))],
          ['seen after ms, slowest', short(slowest)],
          ['processor % while nothing comes', idle.toFixed(3)],
          ['processor % of a process that only sleeps', bare.toFixed(3)],
        ],
      },
    ],
    targets: context.quick
      ? []
      : [
          { what: 'ms until a new row is seen (one poll)', found: slowest, atMost: ONE_POLL_MS },
          { what: 'processor % at idle', found: idle, atMost: 1 },
        ],
    rounds: { milliseconds, idle, bare },
  };
}

/** The share of a processor, in percent, that this process takes for a while. */
async function processorShare(ms: number, step = () => systemClock.sleep(ms)): Promise<number> {
  const started = performance.now();
  const before = process.cpuUsage();
  while (performance.now() - started < ms) await step();
  const { user, system } = process.cpuUsage(before);
  return ((user + system) / 1_000 / (performance.now() - started)) * 100;
}

/** Writes a past in one statement a table. @returns the first chat. */
function fill(db: ChatDb, rows: number): number {
  const first = db.directChat(addressOf(0));
  for (let index = 1; index < CHATS; index += 1) db.directChat(addressOf(index));
  db.run('BEGIN');
  db.run(
    `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?)
     INSERT INTO message (guid, text, service, date, handle_id, is_from_me, is_finished)
     SELECT 'old-' || i, 'message number ' || i, 'iMessage', 700000000000000000 + i * 60000000000, i % ${CHATS} + 1, i % 3 = 0, 1
     FROM n`,
    rows,
  );
  db.run(
    `INSERT INTO chat_message_join (chat_id, message_id, message_date) SELECT handle_id, ROWID, date FROM message`,
  );
  db.run('COMMIT');
  db.all('PRAGMA wal_checkpoint(TRUNCATE)');
  return first;
}

function addressOf(index: number): string {
  return `+1555123${String(index).padStart(4, '0')}`;
}
