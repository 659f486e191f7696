import { setTimeout as sleep } from 'node:timers/promises';
import { generateDkimKey } from '@postern/mail';
import { type SinkProcess, startSinkProcess } from '@postern/mail/testing';
import type { Benchmark, BenchmarkContext, Report, Table, Target } from './lib/benchmark.ts';
import {
  type CampaignsHub,
  makeCampaign,
  makeList,
  SIGNED_DOMAIN,
  startCampaignsHub,
  UNSIGNED_DOMAIN,
  untilFinished,
} from './lib/campaigns.ts';
import { databaseMaker, ENGINE_NAMES, ENGINES } from './lib/databases.ts';
import { type NodemailerPool, startNodemailer } from './lib/nodemailer.ts';
import { processorMilliseconds, residentMegabytes } from './lib/processes.ts';
import { median, short, shuffled, timed, times } from './lib/statistics.ts';

export const benchmark: Benchmark = {
  shows:
    "Campaigns of 10 KB mails from the launch until every result is written down, with and without DKIM, beside nodemailer's pool; pipelined beside unpipelined; with --full, memory at a million recipients.",
  deadlineSeconds: 1_200,
  heapMegabytes: 512,
  run,
};

interface Plan {
  readonly rounds: number;
  /** Recipients of a campaign. */
  readonly mails: number;
  /** Mails of nodemailer's in a round; it has nothing to prepare, so fewer say as much. */
  readonly plainMails: number;
  readonly delayedMails: number;
}

const FULL: Plan = { rounds: 5, mails: 5_000, plainMails: 2_000, delayedMails: 3_000 };
const QUICK: Plan = { rounds: 2, mails: 1_000, plainMails: 500, delayedMails: 1_000 };

const CONNECTIONS = 50;
const DELAY_MS = 20;

const PLAIN = 'nodemailer';
type Sender = (typeof ENGINES)[number] | typeof PLAIN;

interface Case {
  readonly sender: Sender;
  readonly isSigned: boolean;
  send(): Promise<Measured>;
}

interface Measured {
  readonly perSecond: number;
  /** Processor time of the sending program for each mail; null where it cannot be told. */
  readonly processor: number | null;
  /** Octets of a mail. */
  readonly octets: number;
}

interface Sample extends Measured {
  readonly sender: Sender;
  readonly isSigned: boolean;
  readonly round: number;
}

async function run(context: BenchmarkContext): Promise<Report> {
  const plan = context.quick ? QUICK : FULL;
  const samples = await besideNodemailer(context, plan);
  const delayed = await besideUnpipelined(context, plan);
  const memory = context.full ? await memoryByAudience(context) : null;
  return {
    tables: [sendTable(plan, samples), delayTable(plan, delayed), ...(memory ? [memoryTable(memory)] : [])],
    targets: [
      ...(context.quick ? [] : targetsOf(samples, delayed)),
      ...(memory
        ? [
            {
              what: 'MB more at a million recipients than at 10,000',
              found: memory.million.peak - memory.small.peak,
              atMost: 50,
            },
          ]
        : []),
    ],
    rounds: { samples, delayed, memory },
  };
}

async function besideNodemailer(context: BenchmarkContext, plan: Plan): Promise<Sample[]> {
  const { stack, say } = context;
  const sink = await startSinkProcess({ keep: 0 });
  stack.defer(() => sink.close());
  const pool = startNodemailer(stack);
  const { privateKey } = await generateDkimKey();
  const cases: Case[] = [null, privateKey].map((key) => ({
    sender: PLAIN,
    isSigned: key !== null,
    send: () => sendPlainly(pool, sink, plan.plainMails, key),
  }));
  for (const engine of ENGINES) {
    say(`${ENGINE_NAMES[engine]}: importing`);
    const database = await (await databaseMaker(engine, context))('send');
    const options = { database, relayPort: sink.port, connections: CONNECTIONS };
    const hub = await startCampaignsHub(options, stack);
    await hub.api('POST /sending-domains', { domain: SIGNED_DOMAIN });
    const listId = await makeList(hub, plan.mails);
    for (const isSigned of [false, true]) {
      const domain = isSigned ? SIGNED_DOMAIN : UNSIGNED_DOMAIN;
      cases.push({
        sender: engine,
        isSigned,
        send: () => sendCampaign(hub, sink, listId, plan.mails, domain),
      });
    }
  }
  const samples: Sample[] = [];
  // The first round warms up and is thrown away.
  for (let round = -1; round < plan.rounds; round += 1) {
    say(round < 0 ? 'warming up' : `round ${round + 1} of ${plan.rounds}`);
    for (const { sender, isSigned, send } of shuffled(cases)) {
      const measured = await send();
      if (round >= 0) samples.push({ sender, isSigned, round, ...measured });
    }
  }
  return samples;
}

async function sendPlainly(
  pool: NodemailerPool,
  sink: SinkProcess,
  count: number,
  privateKey: string | null,
): Promise<Measured> {
  const before = await sink.octets();
  const { milliseconds, processor } = await pool.send({
    port: sink.port,
    connections: CONNECTIONS,
    count,
    privateKey,
  });
  const octets = ((await sink.octets()) - before) / count;
  return { perSecond: (count * 1_000) / milliseconds, processor: processor / count, octets };
}

/** From the request to launch it until all results are in the database. */
async function sendCampaign(
  hub: CampaignsHub,
  sink: SinkProcess,
  listId: string,
  count: number,
  domain: string,
): Promise<Measured> {
  const campaignId = await makeCampaign(hub, listId, domain);
  const [mails, octets] = [await sink.count(), await sink.octets()];
  const used = processorMilliseconds(hub.hub.pid);
  const took = await timed(async () => {
    await hub.api(`POST /campaigns/${campaignId}/launch`, {});
    await sink.until(mails + count);
    await untilFinished(hub, campaignId, count);
  });
  const usedNow = processorMilliseconds(hub.hub.pid);
  return {
    perSecond: (count * 1_000) / took,
    processor: used === null || usedNow === null ? null : (usedNow - used) / count,
    octets: ((await sink.octets()) - octets) / count,
  };
}

const WAYS = ['pipelined', 'unpipelined'] as const;

interface DelaySample extends Measured {
  readonly way: (typeof WAYS)[number];
  readonly round: number;
}

/** The same engine against a server that is far away, and that does or does not offer PIPELINING. */
async function besideUnpipelined(context: BenchmarkContext, plan: Plan): Promise<DelaySample[]> {
  const { stack, say } = context;
  say('a server that is far away');
  const create = await databaseMaker('sqlite', context);
  const cases: { way: DelaySample['way']; send(): Promise<Measured> }[] = [];
  for (const way of WAYS) {
    const pipelining = way === 'pipelined';
    const sink = await startSinkProcess({ keep: 0, delay: DELAY_MS, extensions: { pipelining } });
    stack.defer(() => sink.close());
    const database = await create(way);
    const options = { database, relayPort: sink.port, connections: CONNECTIONS };
    const hub = await startCampaignsHub(options, stack);
    const listId = await makeList(hub, plan.delayedMails);
    cases.push({
      way,
      send: () => sendCampaign(hub, sink, listId, plan.delayedMails, UNSIGNED_DOMAIN),
    });
  }
  const samples: DelaySample[] = [];
  for (let round = -1; round < plan.rounds; round += 1) {
    for (const { way, send } of shuffled(cases)) {
      const measured = await send();
      if (round >= 0) samples.push({ way, round, ...measured });
    }
  }
  return samples;
}

const AUDIENCES = { small: 10_000, million: 1_000_000 } as const;
/**
 * Mails that are sent to each audience at least, about as many as leave while a million is being frozen; the small
 * one is sent to several times. A heap grows for a while with whatever it does.
 */
const SENT_TO_EACH = 150_000;
const SAMPLE_MS = 100;

type Memory = Record<keyof typeof AUDIENCES, { readonly before: number; readonly peak: number }>;

/** What a hub holds at most while it freezes an audience and sends; the rest of a million is cancelled. */
async function memoryByAudience(context: BenchmarkContext): Promise<Memory> {
  const small = await memoryOf(context, 'small');
  const million = await memoryOf(context, 'million');
  return { small, million };
}

async function memoryOf(
  context: BenchmarkContext,
  audience: keyof typeof AUDIENCES,
): Promise<Memory['small']> {
  const people = AUDIENCES[audience];
  context.say(`memory: importing ${people.toLocaleString('en-US')}`);
  const database = await (await databaseMaker('sqlite', context))(`memory-${audience}`);
  const sink = await startSinkProcess({ keep: 0 });
  context.stack.defer(() => sink.close());
  const options = { database, relayPort: sink.port, connections: CONNECTIONS };
  // What importing has left is not what is measured: the hub that sends is another one.
  const importing = await startCampaignsHub(options, context.stack);
  const listId = await makeList(importing, people);
  await importing.hub.stop();
  const hub = await importing.again();
  context.say(`memory: sending to ${people.toLocaleString('en-US')}`);
  const before = residentMegabytes(hub.hub.pid);
  let peak = before;
  const sampler = setInterval(() => {
    peak = Math.max(peak, residentMegabytes(hub.hub.pid));
  }, SAMPLE_MS);
  try {
    for (let sent = 0; sent < SENT_TO_EACH; sent += people) {
      const campaignId = await makeCampaign(hub, listId, UNSIGNED_DOMAIN);
      await hub.api(`POST /campaigns/${campaignId}/launch`, {});
      await untilSent(hub, campaignId, Math.min(people, SENT_TO_EACH));
    }
  } finally {
    clearInterval(sampler);
  }
  await hub.hub.stop();
  return { before, peak };
}

/** Waits until the whole audience is in the ledger and so many have the mail, and stops what is left. */
async function untilSent({ api }: CampaignsHub, campaignId: string, count: number): Promise<void> {
  let audience = -1;
  for (;;) {
    const { state, counts } = await api(`GET /campaigns/${campaignId}`);
    if (state === 'finished') return;
    // It grows as long as the audience is being frozen.
    if (counts.sent >= count && counts.audience === audience) break;
    audience = counts.audience;
    await sleep(1_000);
  }
  await api(`POST /campaigns/${campaignId}/cancel`, {});
}

function targetsOf(samples: readonly Sample[], delayed: readonly DelaySample[]): Target[] {
  const ofSending = [false, true].map((isSigned) => ({
    what: `SQLite, ${isSigned ? 'signed' : 'unsigned'}: mails a second of nodemailer's pool to ours`,
    found: 1 / median(ratiosTo(samples, 'sqlite', isSigned)),
    atMost: 1 / 3,
  }));
  const gain = median(delayRatios(delayed));
  return [
    ...ofSending,
    { what: 'mails a second of the unpipelined way to the pipelined', found: 1 / gain, atMost: 1 / 2 },
  ];
}

function ofCase(samples: readonly Sample[], sender: Sender, isSigned: boolean): Sample[] {
  return samples.filter((sample) => sample.sender === sender && sample.isSigned === isSigned);
}

/** Of each round. */
function ratiosTo(samples: readonly Sample[], sender: Sender, isSigned: boolean): number[] {
  const plain = ofCase(samples, PLAIN, isSigned);
  return ofCase(samples, sender, isSigned).map(
    ({ perSecond, round }) => perSecond / plain.find((sample) => sample.round === round)!.perSecond,
  );
}

function sendTable(plan: Plan, samples: readonly Sample[]): Table {
  const rows = [false, true].flatMap((isSigned) =>
    ([PLAIN, ...ENGINES] as const).map((sender) => {
      const own = ofCase(samples, sender, isSigned);
      const name = sender === PLAIN ? "nodemailer's pool" : ENGINE_NAMES[sender];
      return [
        `${name}, ${isSigned ? 'RSA-2048' : 'unsigned'}`,
        short(median(own.map(({ perSecond }) => perSecond))),
        times(median(ratiosTo(samples, sender, isSigned))),
        short(median(own.map(({ processor }) => processor ?? Number.NaN))),
        short(median(own.map(({ octets }) => octets))),
      ];
    }),
  );
  return {
    title: `Median of ${plan.rounds} rounds of ${plan.mails} mails (nodemailer: ${plan.plainMails}) over ${CONNECTIONS} connections`,
    columns: ['case', 'mails/s', 'to nodemailer', 'processor ms', 'octets'],
    rows,
  };
}

function delayRatios(samples: readonly DelaySample[]): number[] {
  const [fast, slow] = WAYS.map((way) => samples.filter((sample) => sample.way === way));
  return fast!.map(
    ({ perSecond, round }) => perSecond / slow!.find((sample) => sample.round === round)!.perSecond,
  );
}

function delayTable(plan: Plan, samples: readonly DelaySample[]): Table {
  return {
    title: `A server ${DELAY_MS} ms away, ${CONNECTIONS} connections, SQLite: median of ${plan.rounds} rounds of ${plan.delayedMails} mails`,
    columns: ['case', 'mails/s', 'ratio', 'processor ms'],
    rows: WAYS.map((way) => {
      const own = samples.filter((sample) => sample.way === way);
      return [
        way,
        short(median(own.map(({ perSecond }) => perSecond))),
        way === 'pipelined' ? times(median(delayRatios(samples))) : times(1),
        short(median(own.map(({ processor }) => processor ?? Number.NaN))),
      ];
    }),
  };
}

function memoryTable(memory: Memory): Table {
  return {
    title: `MB held by a hub that freezes an audience and sends ${SENT_TO_EACH.toLocaleString('en-US')} mails`,
    columns: ['recipients', 'before', 'at most'],
    rows: Object.entries(AUDIENCES).map(([audience, people]) => {
      const { before, peak } = memory[audience as keyof Memory];
      return [people.toLocaleString('en-US'), short(before), short(peak)];
    }),
  };
}
