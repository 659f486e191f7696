import type { Report, Table, Target } from './benchmark.ts';
import { processorMilliseconds, residentMegabytes } from './processes.ts';
import { ERAS, type Era } from './rpc.ts';
import { median, percentile, short, timed } from './statistics.ts';
import { StdioSession } from './stdio-session.ts';

/** Starts and calls of MCP servers over stdio, one beside the other. */

/** A way to start a server. */
export interface Variant {
  readonly name: string;
  readonly command: readonly string[];
  readonly hasTargets: boolean;
}

export interface StdioMeasurement {
  readonly variants: readonly Variant[];
  readonly environment: Readonly<Record<string, string>>;
  /** The tool that is called over and over. */
  readonly call: { readonly name: string; readonly arguments: object };
  /** What it does there, for the table. */
  readonly callNote: string;
  readonly quick: boolean;
  readonly stack: AsyncDisposableStack;
  readonly say: (text: string) => void;
}

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

export async function measureStdio(measurement: StdioMeasurement): Promise<Report> {
  const { variants, environment, quick, stack, say } = measurement;
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
  const calls = await callAll(measurement, (variant) => open(variant, 'legacy'), quick ? QUICK_CALLS : CALLS);
  return {
    tables: [startTable(variants, starts), callTable(calls, measurement)],
    targets: quick ? [] : targetsOf(variants, starts, calls),
    rounds: { starts, calls },
  };
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
  { variants, call }: Pick<StdioMeasurement, 'variants' | 'call'>,
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
        let result: Record<string, unknown> = {};
        const took = await timed(async () => {
          result = await session.request('tools/call', { ...call });
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

function callTable(calls: readonly Calls[], { call, callNote }: StdioMeasurement): Table {
  return {
    title: `${calls[0]?.milliseconds.length} calls of ${call.name} each, one after the other (${callNote})`,
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
