import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Benchmark, BenchmarkContext, Report, Table } from './lib/benchmark.ts';
import { type CampaignsHub, IMPORT_SIZE, sampleRecords, startCampaignsHub } from './lib/campaigns.ts';
import { type BenchStore, databaseMaker, ENGINE_NAMES, ENGINES, type Engine } from './lib/databases.ts';
import { processorMilliseconds } from './lib/processes.ts';
import { samplePerson } from './lib/sample-mail.ts';
import { median, short, timed, times } from './lib/statistics.ts';

export const benchmark: Benchmark = {
  shows:
    'import_subscribers over HTTP, new people and known ones, beside a loop that inserts a row and commits, and beside add_subscriber one by one.',
  deadlineSeconds: 420,
  heapMegabytes: 512,
  run,
};

interface Plan {
  readonly rounds: number;
  /** Records of an import. */
  readonly records: number;
  /** Rows of the loop, and calls of add_subscriber. */
  readonly single: number;
}

const FULL: Plan = { rounds: 5, records: IMPORT_SIZE, single: 500 };
const QUICK: Plan = { rounds: 2, records: 2_000, single: 100 };
/** Nobody listens there; nothing is sent. */
const NO_RELAY = 9;

const WAYS = ['import, new people', 'import, known people', 'add_subscriber', 'row by row'] as const;
type Way = (typeof WAYS)[number];

interface Sample {
  readonly engine: Engine;
  readonly way: Way;
  readonly round: number;
  readonly perSecond: number;
  /** Processor time of the hub for each record; null where it cannot be told, or where there is no hub. */
  readonly processor: number | null;
}

async function run(context: BenchmarkContext): Promise<Report> {
  const plan = context.quick ? QUICK : FULL;
  const samples: Sample[] = [];
  for (const engine of ENGINES) {
    const database = await (await databaseMaker(engine, context))('import');
    const hub = await startCampaignsHub({ database, relayPort: NO_RELAY, connections: 1 }, context.stack);
    const store = await database.open();
    context.stack.defer(() => store.close());
    context.say(`${ENGINE_NAMES[engine]}: importing`);
    // The first round warms up and is thrown away.
    for (let round = -1; round < plan.rounds; round += 1) {
      for (const sample of await measure(hub, store, plan)) {
        if (round >= 0) samples.push({ engine, round, ...sample });
      }
    }
  }
  const ratios = (engine: Engine) => ratiosToRows(samples, engine, 'import, new people');
  return {
    tables: [tableOf(plan, samples)],
    targets: context.quick
      ? []
      : ENGINES.map((engine) => ({
          what: `${ENGINE_NAMES[engine]}: rows a second row by row to those of an import`,
          found: 1 / median(ratios(engine)),
          atMost: 1 / 5,
        })),
    rounds: samples,
  };
}

/** One round, with lists of its own. */
async function measure(
  { hub, api }: CampaignsHub,
  store: BenchStore,
  { records, single }: Plan,
): Promise<Pick<Sample, 'way' | 'perSecond' | 'processor'>[]> {
  const [list, other] = [
    await api('POST /lists', { name: 'All' }),
    await api('POST /lists', { name: 'Some' }),
  ];
  const body = { records: sampleRecords(0, records) };
  const load = async () => {
    const answer = await api(`POST /lists/${list.id}/subscribers/import`, body);
    if (answer.skipped > 0) throw new Error(`${answer.skipped} records were skipped`);
  };
  const add = async () => {
    for (let index = 0; index < single; index += 1) {
      await api(`POST /lists/${other.id}/subscribers`, samplePerson(index));
    }
  };
  const work: Record<Way, { count: number; do(): Promise<void> }> = {
    'import, new people': { count: records, do: load },
    'import, known people': { count: records, do: load },
    add_subscriber: { count: single, do: add },
    'row by row': { count: single, do: () => insertPlainly(store, other.project_id, other.id, single) },
  };
  const found: Pick<Sample, 'way' | 'perSecond' | 'processor'>[] = [];
  for (const way of WAYS) {
    const used = processorMilliseconds(hub.pid);
    const took = await timed(work[way].do);
    const usedNow = processorMilliseconds(hub.pid);
    const { count } = work[way];
    const isHub = way !== 'row by row' && used !== null && usedNow !== null;
    found.push({
      way,
      perSecond: (count * 1_000) / took,
      processor: isHub ? (usedNow - used) / count : null,
    });
    // What was written last is out of the way of what comes next.
    await sleep(100);
  }
  return found;
}

let plainRows = 0;

/** What the simplest program would do: each row by a statement and a commit of its own, on the same table. */
async function insertPlainly(
  store: BenchStore,
  projectId: string,
  listId: string,
  count: number,
): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    plainRows += 1;
    const { email, name, attributes } = samplePerson(plainRows);
    const now = Date.now() * 1_000;
    await sql`
      INSERT INTO mail_subscribers (subscriber_id, project_id, list_id, email, email_key, name, attributes_json,
        status, consent_source, consent_at_us, created_us, updated_us)
      VALUES (${`sub_plain_${plainRows}`}, ${projectId}, ${listId}, ${`plain.${email}`}, ${`plain.${email}`}, ${name},
        ${JSON.stringify(attributes)}, 'subscribed', 'import', ${now}, ${now}, ${now})`.execute(store.db);
  }
}

function ofCase(samples: readonly Sample[], engine: Engine, way: Way): Sample[] {
  return samples.filter((sample) => sample.engine === engine && sample.way === way);
}

/** Of each round. */
function ratiosToRows(samples: readonly Sample[], engine: Engine, way: Way): number[] {
  const plain = ofCase(samples, engine, 'row by row');
  return ofCase(samples, engine, way).map(
    ({ perSecond, round }) => perSecond / plain.find((sample) => sample.round === round)!.perSecond,
  );
}

function tableOf(plan: Plan, samples: readonly Sample[]): Table {
  return {
    title: `Median of ${plan.rounds} rounds: imports of ${plan.records.toLocaleString('en-US')} records, ${plan.single} rows one by one`,
    columns: ['case', 'rows/s', 'to row by row', 'processor ms'],
    rows: ENGINES.flatMap((engine) =>
      WAYS.map((way) => {
        const own = ofCase(samples, engine, way);
        const processor = own.flatMap((sample) => (sample.processor === null ? [] : [sample.processor]));
        return [
          `${ENGINE_NAMES[engine]}, ${way}`,
          short(median(own.map(({ perSecond }) => perSecond))),
          times(median(ratiosToRows(samples, engine, way))),
          processor.length === 0 ? '' : short(median(processor)),
        ];
      }),
    ),
  };
}
