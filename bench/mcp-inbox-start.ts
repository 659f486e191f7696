import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { bundleStdio } from '../scripts/lib/stdio-bundle.ts';
import type { Benchmark, BenchmarkContext, Report, Table, Target } from './lib/benchmark.ts';
import { processorMilliseconds, residentMegabytes } from './lib/processes.ts';
import { ERAS, type Era } from './lib/rpc.ts';
import { samplePage } from './lib/sample-page.ts';
import { median, percentile, short, timed } from './lib/statistics.ts';
import { StdioSession } from './lib/stdio-session.ts';
import { ANSWER_VARIABLE } from './servers/bare-tools.ts';

export const benchmark: Benchmark = {
  shows:
    'postern mcp inbox over stdio: from its start until it has answered the opening and tools/list, and the memory it holds then and after 2,000 calls; beside the bare SDK.',
  deadlineSeconds: 300,
  heapMegabytes: 256,
  run,
};

const STARTS = 20;
const QUICK_STARTS = 4;
const CALLS = 2_000;
const QUICK_CALLS = 200;
/** Calls to one server before the next has its turn. */
const TURN = 100;
/** The contract's bounds, for the bundle. */
const START_MS = 250;
const START_MEGABYTES = 100;
const CALLED_MEGABYTES = 140;

/** What `npm run prepare` makes. */
const BUNDLE = new URL('../packages/inbox/dist/stdio.js', import.meta.url).href;

/** A way to start a server. */
interface Variant {
  readonly name: string;
  readonly command: readonly string[];
  readonly hasTargets: boolean;
}

interface Start {
  readonly variant: string;
  readonly era: Era;
  /** Milliseconds from the spawn to the answer of initialize or server/discover, and of tools/list. */
  readonly opened: number;
  readonly listed: number;
  /** Processor time until then; null where it cannot be told. */
  readonly processor: number | null;
  readonly megabytes: number;
}

interface Calls {
  readonly variant: string;
  readonly megabytesBefore: number;
  readonly megabytesAfter: number;
  readonly milliseconds: readonly number[];
}

async function run({ quick, folder, stack, say }: BenchmarkContext): Promise<Report> {
  say('bundling');
  await bundleStdio();
  const variants = await variantsIn(folder);
  const page = JSON.stringify(samplePage());
  const answerFile = join(folder, 'answer.json');
  writeFileSync(answerFile, page);
  const environment = {
    AMC_BASE_URL: await fakeHub(page, stack),
    AMC_BEARER_TOKEN: 'a-token-of-no-hub-in-particular',
    AMC_AGENT_ID: 'bench',
    [ANSWER_VARIABLE]: answerFile,
  };
  const open = (variant: Variant, era: Era) => {
    const session = new StdioSession(variant.command, environment, era);
    stack.defer(() => session.close());
    return session;
  };

  say('starting');
  const starts: Start[] = [];
  // The first turn only brings the files into memory.
  for (let turn = -1; turn < (quick ? QUICK_STARTS : STARTS); turn += 1) {
    for (const era of ERAS) {
      for (const variant of variants) {
        const start = await timeStart(variant.name, open(variant, era), era);
        if (turn >= 0) starts.push(start);
      }
    }
  }
  say('calling');
  const calls = await callAll(variants, (variant) => open(variant, 'legacy'), quick ? QUICK_CALLS : CALLS);
  return {
    tables: [startTable(variants, starts), callTable(calls)],
    targets: quick ? [] : targetsOf(variants, starts, calls),
    rounds: { starts, calls },
  };
}

async function variantsIn(folder: string): Promise<Variant[]> {
  const program = (name: string) => fileURLToPath(new URL(`servers/${name}.ts`, import.meta.url));
  const node = process.execPath;
  const bundled = (name: string) => join(folder, `${name}.mjs`);
  await build({
    entryPoints: [program('bare-stdio'), program('plain-stdio')],
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    legalComments: 'none',
    logLevel: 'warning',
  });
  const fromBundle = `const { runInboxStdio } = await import('${BUNDLE}'); process.exitCode = await runInboxStdio(process.env, process.cwd());`;
  const launcher = fileURLToPath(new URL('../bin/postern.js', import.meta.url));
  return [
    {
      name: 'inbox, bundle',
      command: [node, '--input-type=module', '--eval', fromBundle],
      hasTargets: true,
    },
    { name: 'postern mcp inbox', command: [node, launcher, 'mcp', 'inbox'], hasTargets: true },
    { name: 'inbox, sources', command: [node, program('inbox-stdio')], hasTargets: false },
    { name: 'bare SDK, bundle', command: [node, bundled('bare-stdio')], hasTargets: false },
    { name: 'bare SDK, sources', command: [node, program('bare-stdio')], hasTargets: false },
    { name: 'no SDK at all', command: [node, bundled('plain-stdio')], hasTargets: false },
  ];
}

/** A hub that answers everything with the same page. */
async function fakeHub(page: string, stack: AsyncDisposableStack): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    response.setHeader('content-type', 'application/json').end(page);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stack.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function timeStart(variant: string, session: StdioSession, era: Era): Promise<Start> {
  try {
    await session.open();
    const opened = performance.now() - session.startedAt;
    await session.request('tools/list');
    const listed = performance.now() - session.startedAt;
    const processor = processorMilliseconds(session.pid);
    return { variant, era, opened, listed, processor, megabytes: residentMegabytes(session.pid) };
  } finally {
    await session.close();
  }
}

async function callAll(
  variants: readonly Variant[],
  open: (variant: Variant) => StdioSession,
  count: number,
): Promise<Calls[]> {
  const servers = variants.map((variant) => ({
    variant: variant.name,
    session: open(variant),
    megabytesBefore: 0,
    milliseconds: [] as number[],
  }));
  for (const server of servers) {
    await server.session.open();
    await server.session.request('tools/list');
    server.megabytesBefore = residentMegabytes(server.session.pid);
  }
  for (let called = 0; called < count; called += TURN) {
    for (const { session, milliseconds } of servers) {
      for (let turn = 0; turn < TURN; turn += 1) {
        const call = { name: 'list_unread_messages', arguments: { limit: 20 } };
        let result: Record<string, unknown> = {};
        const took = await timed(async () => {
          result = await session.request('tools/call', call);
        });
        if (result.isError === true) throw new Error(`a call failed: ${JSON.stringify(result)}`);
        milliseconds.push(Math.round(took * 1_000) / 1_000);
      }
    }
  }
  return Promise.all(
    servers.map(async ({ session, ...server }) => {
      const megabytesAfter = residentMegabytes(session.pid);
      await session.close();
      return { ...server, megabytesAfter };
    }),
  );
}

const medianOf = (starts: readonly Start[], of: (start: Start) => number) => median(starts.map(of));

function startTable(variants: readonly Variant[], starts: readonly Start[]): Table {
  return {
    title: `${starts.length / variants.length / ERAS.length} starts each: ms to the answer, and processor ms used and MB held then`,
    columns: ['server', 'era', 'opened', 'min', 'max', 'tools listed', 'min', 'max', 'processor', 'MB'],
    rows: variants.flatMap(({ name }) =>
      ERAS.map((era) => {
        const own = starts.filter((start) => start.variant === name && start.era === era);
        const spread = (of: (start: Start) => number) => [
          short(medianOf(own, of)),
          short(Math.min(...own.map(of))),
          short(Math.max(...own.map(of))),
        ];
        return [
          name,
          era,
          ...spread((start) => start.opened),
          ...spread((start) => start.listed),
          own.some((start) => start.processor === null)
            ? '–'
            : short(medianOf(own, (start) => start.processor ?? 0)),
          short(medianOf(own, (start) => start.megabytes)),
        ];
      }),
    ),
  };
}

function callTable(calls: readonly Calls[]): Table {
  return {
    title: `${calls[0]?.milliseconds.length} calls of list_unread_messages each, one after the other (the inbox asks a hub that answers a constant)`,
    columns: ['server', 'p50 ms', 'p99 ms', 'MB before', 'MB after'],
    rows: calls.map((own) => [
      own.variant,
      short(percentile(own.milliseconds, 50)),
      short(percentile(own.milliseconds, 99)),
      short(own.megabytesBefore),
      short(own.megabytesAfter),
    ]),
  };
}

function targetsOf(
  variants: readonly Variant[],
  starts: readonly Start[],
  calls: readonly Calls[],
): Target[] {
  return variants
    .filter(({ hasTargets }) => hasTargets)
    .flatMap(({ name }) => {
      const own = starts.filter((start) => start.variant === name);
      const called = calls.find((entry) => entry.variant === name);
      return [
        ...ERAS.map((era) => ({
          what: `${name}, ${era}: ms to tools listed`,
          found: medianOf(
            own.filter((start) => start.era === era),
            (start) => start.listed,
          ),
          atMost: START_MS,
        })),
        {
          what: `${name}: MB at the start`,
          found: medianOf(own, (start) => start.megabytes),
          atMost: START_MEGABYTES,
        },
        {
          what: `${name}: MB after the calls`,
          found: called?.megabytesAfter ?? Number.NaN,
          atMost: CALLED_MEGABYTES,
        },
      ];
    });
}
