import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Benchmark, Report } from './lib/benchmark.ts';
import { commit, machineFacts, versions } from './lib/machine.ts';
import { printed } from './lib/print.ts';

/** `npm run bench [name…]`: runs benchmarks one after the other; see README.md. */

const HERE = fileURLToPath(new URL('.', import.meta.url));
const USAGE = `Usage: npm run bench -- [name…] [--quick | --full] [--check] [--list]

  name…    benchmarks to run; all of them without one
  --quick  fewer and smaller rounds
  --full   also what takes minutes by itself, such as a million recipients
  --check  exit code 1 when a target is missed
  --list   lists the benchmarks`;
/** A benchmark that was told to end gets this long to stop what it started. */
const GRACE_MS = 15_000;

const names = readdirSync(HERE)
  .filter((file) => file.endsWith('.ts') && file !== 'run.ts')
  .map((file) => file.replace(/\.ts$/, ''))
  .sort();

let running: ChildProcess | undefined;
let interrupted = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    interrupted = true;
    running?.kill('SIGTERM');
    setTimeout(() => running?.kill('SIGKILL'), GRACE_MS).unref();
  });
}
process.exitCode = await main(process.argv.slice(2));

async function main(argv: string[]): Promise<number> {
  let options: ReturnType<typeof parse>;
  try {
    options = parse(argv);
  } catch (error) {
    return misused((error as Error).message);
  }
  const { values, positionals } = options;
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  if (values.list) {
    for (const name of names) console.log(`${name}: ${(await load(name)).shows}`);
    return 0;
  }
  const unknown = positionals.find((name) => !names.includes(name));
  if (unknown !== undefined) return misused(`there is no benchmark ${unknown}; --list names them`);
  if (values.quick && values.full) return misused('--quick and --full exclude each other');
  const mode = values.quick ? 'quick' : values.full ? 'full' : 'usual';
  let failed = false;
  let missed = false;
  for (const name of positionals.length > 0 ? positionals : names) {
    if (interrupted) return 130;
    const report = await run(name, mode);
    if (report === null) failed = true;
    else missed ||= report.targets.some(({ found, atMost }) => found > atMost);
  }
  if (interrupted) return 130;
  return failed || (values.check && missed) ? 1 : 0;
}

function parse(argv: string[]) {
  const flag = { type: 'boolean', default: false } as const;
  return parseArgs({
    args: argv,
    allowPositionals: true,
    options: { list: flag, quick: flag, full: flag, check: flag, help: { ...flag, short: 'h' } },
  });
}

function misused(reason: string): number {
  console.error(`bench: ${reason}\n\n${USAGE}`);
  return 2;
}

async function load(name: string): Promise<Benchmark> {
  const module = (await import(new URL(`${name}.ts`, import.meta.url).href)) as { benchmark: Benchmark };
  return module.benchmark;
}

type Mode = 'quick' | 'usual' | 'full';

/** Runs one benchmark, prints its tables and writes its results; null when it failed. */
async function run(name: string, mode: Mode): Promise<Report | null> {
  let benchmark: Benchmark;
  try {
    benchmark = await load(name);
  } catch (error) {
    console.error(`bench: ${name} cannot be loaded: ${(error as Error).message}`);
    return null;
  }
  console.log(`\n# ${name}${mode === 'usual' ? '' : ` (${mode})`}\n${benchmark.shows}\n`);
  const before = machineFacts();
  const startedAt = new Date();
  const folder = await mkdtemp(join(tmpdir(), `postern-bench-${name}-`));
  let report: Report | null;
  try {
    report = await runInChild(name, benchmark, folder, mode);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
  if (report === null) return null;
  const results = {
    name,
    mode,
    startedAt: startedAt.toISOString(),
    seconds: Math.round((Date.now() - startedAt.getTime()) / 1_000),
    ...commit(),
    versions: versions(),
    machine: before,
    loadAverageAfter: (machineFacts() as { loadAverage: number[] }).loadAverage,
    ...report,
  };
  mkdirSync(join(HERE, 'results'), { recursive: true });
  writeFileSync(join(HERE, 'results', `${name}.json`), `${JSON.stringify(results, null, 1)}\n`);
  console.log(`${printed(report)}\n\n${results.seconds} s; all rounds are in bench/results/${name}.json`);
  return report;
}

function runInChild(
  name: string,
  { heapMegabytes, deadlineSeconds }: Benchmark,
  folder: string,
  mode: Mode,
): Promise<Report | null> {
  const program = join(HERE, 'lib/child.ts');
  const child = spawn(
    process.execPath,
    [
      `--max-old-space-size=${heapMegabytes}`,
      '--disable-warning=ExperimentalWarning',
      program,
      name,
      folder,
      mode,
    ],
    { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], serialization: 'advanced' },
  );
  running = child;
  const late = setTimeout(() => {
    console.error(`bench: ${name} has not ended within ${deadlineSeconds} s and is stopped`);
    child.kill('SIGTERM');
  }, deadlineSeconds * 1_000);
  const tooLate = setTimeout(() => child.kill('SIGKILL'), deadlineSeconds * 1_000 + GRACE_MS);
  return new Promise((resolve) => {
    let report: Report | null = null;
    child.on('message', (message) => {
      report = message as Report;
    });
    child.once('error', (error) => console.error(`bench: ${name} could not be started: ${error.message}`));
    child.once('close', (code) => {
      clearTimeout(late);
      clearTimeout(tooLate);
      running = undefined;
      resolve(code === 0 ? report : null);
    });
  });
}
