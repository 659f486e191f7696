import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Benchmark, BenchmarkContext, Report } from './lib/benchmark.ts';
import { median, percentile } from './lib/statistics.ts';
import { CHANNEL, startThreadsHub, Thread } from './lib/thread.ts';

export const benchmark: Benchmark = {
  shows:
    'From the request that adds a reaction in the local chat until the agent program has the decision and says so in its thread; beside a reaction that decides nothing.',
  deadlineSeconds: 180,
  heapMegabytes: 256,
  run,
};

/** Rounds that are thrown away. */
const WARM_UP = 2;
const PATIENCE_MS = 20_000;

async function run({ quick, folder, stack, say }: BenchmarkContext): Promise<Report> {
  const rounds = quick ? 5 : 40;
  const hub = await startThreadsHub({ folder, stack }, 1);
  const thread = await Thread.start(hub, CHANNEL, '@postern [[say ready]]');
  await thread.hears('ready');

  const stamps = join(folder, 'stamps');
  const decided: number[] = [];
  const plain: number[] = [];
  for (let round = -WARM_UP; round < rounds; round += 1) {
    if (round === 0) say('measuring');
    const name = `round ${round}`;
    await thread.say(`[[ask Bash {"command":"echo ${name}"}]] [[stamp ${stamps}]]`);
    const card = await thread.hears(name, 3);
    const stray = performance.now();
    await thread.react(card.id, 'eyes');
    const strayMs = performance.now() - stray;
    const begun = now();
    await thread.react(card.id, '+1');
    const decidedMs = (await stampOf(stamps, round + WARM_UP)) - begun;
    if (round < 0) continue;
    plain.push(strayMs);
    decided.push(decidedMs);
  }
  const row = (name: string, samples: readonly number[]) => [
    name,
    percentile(samples, 50).toFixed(1),
    percentile(samples, 99).toFixed(1),
  ];
  return {
    tables: [
      {
        title: `${rounds} permissions, one after the other`,
        columns: ['', 'p50 ms', 'p99 ms'],
        rows: [
          row('a reaction that decides nothing, stored', plain),
          row('reaction to decision at the CLI', decided),
        ],
      },
    ],
    targets: quick ? [] : [{ what: 'ms from reaction to decision', found: median(decided), atMost: 50 }],
    rounds: { plain, decided },
  };
}

/** Milliseconds since 1970, with parts: the same clock in every process. */
const now = () => performance.timeOrigin + performance.now();

/** The time the agent program wrote down when it had its decision. @throws Error after a while. */
async function stampOf(file: string, index: number): Promise<number> {
  for (const until = now() + PATIENCE_MS; now() < until; await sleep(20)) {
    const stamp = existsSync(file) ? readFileSync(file, 'utf8').split('\n')[index] : undefined;
    if (stamp !== undefined && stamp !== '') return Number(stamp);
  }
  throw new Error('the agent program got no decision');
}
