import { setTimeout as sleep } from 'node:timers/promises';
import type { Benchmark, BenchmarkContext, Report } from './lib/benchmark.ts';
import { processorMilliseconds, residentMegabytes } from './lib/processes.ts';
import { median } from './lib/statistics.ts';
import { CHANNEL, startThreadsHub, Thread } from './lib/thread.ts';

export const benchmark: Benchmark = {
  shows:
    'Agent sessions that each stream 200 lines a second into their threads of the local chat: processor time and memory of the bot, beside the same sessions idle.',
  deadlineSeconds: 300,
  heapMegabytes: 256,
  run,
};

const EVERY_MS = 5;

async function run({ quick, folder, stack, say }: BenchmarkContext): Promise<Report> {
  const sessions = quick ? 5 : 20;
  const seconds = quick ? 4 : 15;
  const hub = await startThreadsHub({ folder, stack }, sessions);
  const before = residentMegabytes(hub.pid);

  say(`starting ${sessions} sessions`);
  const threads: Thread[] = [];
  for (let index = 0; index < sessions; index += 1) {
    const thread = await Thread.start(hub, CHANNEL, '@postern [[say ready]]');
    await thread.hears('ready');
    threads.push(thread);
  }
  const idle = await shareOfACore(hub.pid, 3);
  const started = residentMegabytes(hub.pid);

  say(`streaming for ${seconds} s`);
  const lines = (seconds * 1_000) / EVERY_MS;
  await Promise.all(threads.map((thread) => thread.say(`[[stream ${lines} ${EVERY_MS}]]`)));
  await sleep(1_000);
  const memory: number[] = [];
  const begun = performance.now();
  const used = processorMilliseconds(hub.pid) ?? Number.NaN;
  while (performance.now() - begun < (seconds - 2) * 1_000) {
    await sleep(250);
    memory.push(residentMegabytes(hub.pid));
  }
  const took = performance.now() - begun;
  const busy = ((processorMilliseconds(hub.pid) ?? Number.NaN) - used) / took;
  say('counting what arrived');
  const arrived = await Promise.all(threads.map((thread) => thread.lines(lines)));
  const peak = Math.max(...memory);
  const perSession = (peak - before) / sessions;
  const lost = arrived.reduce((sum, count) => sum + lines - count, 0);
  return {
    tables: [
      {
        title: `${sessions} sessions, ${1_000 / EVERY_MS} lines a second each, for ${seconds} s`,
        columns: ['', 'share of a core', 'MB', 'MB a session', 'lines lost'],
        rows: [
          ['idle', percent(idle), started.toFixed(0), ((started - before) / sessions).toFixed(1), ''],
          ['streaming', percent(busy), median(memory).toFixed(0), perSession.toFixed(1), lost],
        ],
      },
    ],
    targets: quick
      ? []
      : [
          { what: 'share of one core in the bot', found: busy, atMost: 0.6 },
          { what: 'MB a session in the bot', found: perSession, atMost: 40 },
          { what: 'lines lost', found: lost, atMost: 0 },
        ],
    rounds: { before, started, memory, busy, idle, arrived },
  };
}

async function shareOfACore(pid: number, seconds: number): Promise<number> {
  const begun = performance.now();
  const used = processorMilliseconds(pid) ?? Number.NaN;
  await sleep(seconds * 1_000);
  return ((processorMilliseconds(pid) ?? Number.NaN) - used) / (performance.now() - begun);
}

const percent = (share: number) => `${(share * 100).toFixed(0)} %`;
