import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Benchmark, BenchmarkContext, Report, Table } from './lib/benchmark.ts';
import { type HttpCall, HttpClient } from './lib/http-client.ts';
import { type HubProcess, startHub } from './lib/hub.ts';
import { processorMilliseconds, residentMegabytes } from './lib/processes.ts';
import { callHeaders, ERAS, type Era, message } from './lib/rpc.ts';
import { median, percentile, short, times } from './lib/statistics.ts';
import { ANSWER_VARIABLE } from './servers/bare-tools.ts';

export const benchmark: Benchmark = {
  shows:
    "list_unread_messages with 20 messages over /mcp/inbox of a hub, in both protocol eras and over REST, beside the SDK's bare handler with a constant answer of the same length.",
  deadlineSeconds: 240,
  heapMegabytes: 512,
  run,
};

interface Plan {
  readonly rounds: number;
  /** How long each server is asked in each round, in milliseconds. */
  readonly windowMs: number;
}

const FULL: Plan = { rounds: 5, windowMs: 1_500 };
const QUICK: Plan = { rounds: 3, windowMs: 300 };
const CONNECTIONS = [1, 16] as const;
const AGENT = 'bench';
const UNREAD = 20;
const TOOL = 'list_unread_messages';
const TEXT = 'The delivery for the second floor came without its papers. Who can look into it before noon?';

interface Target {
  readonly server: 'hub' | 'bare';
  readonly way: Era | 'REST';
  readonly pid: number;
  readonly call: HttpCall;
}

interface Sample {
  readonly server: Target['server'];
  readonly way: Target['way'];
  readonly connections: number;
  readonly round: number;
  readonly perSecond: number;
  /** Processor time of the server for each call; null where it cannot be told. */
  readonly processor: number | null;
  readonly milliseconds: readonly number[];
}

async function run({ quick, folder, stack, say }: BenchmarkContext): Promise<Report> {
  const plan = quick ? QUICK : FULL;
  const dataDir = join(folder, 'data');
  mkdirSync(dataDir, { mode: 0o700 });
  const hub = await startHub({ dataDir, url: null });
  stack.defer(() => hub.stop());
  await fill(hub);
  const bare = await startBare(await answerText(hub), folder, stack);
  const targets: Target[] = [
    ...ERAS.flatMap((era): Target[] => [
      {
        server: 'hub',
        way: era,
        pid: hub.pid,
        call: toolCall(`${hub.url}/mcp/inbox`, era, agentHeaders(hub)),
      },
      { server: 'bare', way: era, pid: bare.pid, call: toolCall(bare.url, era, {}) },
    ]),
    {
      server: 'hub',
      way: 'REST',
      pid: hub.pid,
      call: { method: 'GET', url: `${hub.url}/messages/unread?limit=${UNREAD}`, headers: agentHeaders(hub) },
    },
  ];
  const held = () => ({ hub: residentMegabytes(hub.pid), bare: residentMegabytes(bare.pid) });
  const before = held();
  say('calling');
  const samples: Sample[] = [];
  // The first round warms up and is thrown away.
  for (let round = -1; round < plan.rounds; round += 1) {
    for (const connections of CONNECTIONS) {
      using client = new HttpClient(connections);
      for (const { server, way, pid, call } of targets) {
        const used = processorMilliseconds(pid);
        const measured = await load(client, connections, call, plan.windowMs);
        const usedNow = processorMilliseconds(pid);
        const processor =
          used === null || usedNow === null ? null : (usedNow - used) / measured.milliseconds.length;
        if (round >= 0) samples.push({ server, way, connections, round, processor, ...measured });
      }
    }
  }
  const after = held();
  return {
    tables: [tableOf(plan, samples), memoryTable(samples, before, after)],
    targets: [],
    rounds: { samples, megabytes: { before, after } },
  };
}

/** An agent that is known, with twenty messages it has not read. */
async function fill(hub: HubProcess): Promise<void> {
  using client = new HttpClient(1);
  const send = async (method: string, path: string, headers: Record<string, string>, body: object) => {
    const json = { ...headers, 'content-type': 'application/json' };
    return JSON.parse(
      await client.call({ method, url: hub.url + path, headers: json, body: JSON.stringify(body) }),
    );
  };
  const admin = { authorization: `Bearer ${hub.adminKey}` };
  await send('POST', '/local/api/channels', admin, { name: 'team', type: 'group' });
  await send('PUT', '/allowlist/local/ana', admin, { display_name: 'Ana' });
  for (let index = 0; index <= UNREAD; index += 1) {
    const user = { id: 'ana', name: 'Ana' };
    await send('POST', '/local/api/messages', admin, { channel_id: 'local:team', user, text: TEXT });
  }
  const headers = agentHeaders(hub);
  const list = async (query: string) =>
    JSON.parse(await client.call({ method: 'GET', url: `${hub.url}/messages/unread${query}`, headers }));
  const { messages } = await list('?wait=10');
  await send('POST', '/messages/mark_read', headers, { message_ids: [messages[0].id] });
  const deadline = performance.now() + 10_000;
  while ((await list('?limit=100')).messages.length < UNREAD) {
    if (performance.now() > deadline) throw new Error('the messages did not reach the inbox');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function agentHeaders(hub: HubProcess): Record<string, string> {
  return { authorization: `Bearer ${hub.bearer}`, 'x-agent-id': AGENT };
}

function toolCall(url: string, era: Era, headers: Record<string, string>): HttpCall {
  const body = message(era, 1, 'tools/call', { name: TOOL, arguments: { limit: UNREAD } });
  return {
    method: 'POST',
    url,
    headers: { ...callHeaders(era, TOOL), ...headers },
    body: JSON.stringify(body),
  };
}

/** The text block of the hub's answer, for the bare server to give. */
async function answerText(hub: HubProcess): Promise<string> {
  using client = new HttpClient(1);
  const answer = await client.call(toolCall(`${hub.url}/mcp/inbox`, 'modern', agentHeaders(hub)));
  const { result } = JSON.parse(answer) as { result: { isError?: boolean; content: { text: string }[] } };
  const [block] = result.content;
  if (result.isError === true || !block) throw new Error(`the hub refused: ${answer}`);
  return block.text;
}

async function startBare(
  answer: string,
  folder: string,
  stack: AsyncDisposableStack,
): Promise<{ url: string; pid: number }> {
  const file = join(folder, 'answer.json');
  writeFileSync(file, answer);
  const program = fileURLToPath(new URL('servers/bare-http.ts', import.meta.url));
  const child = spawn(process.execPath, [program], {
    env: { ...process.env, [ANSWER_VARIABLE]: file },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const gone = new Promise<void>((resolve) => child.once('close', () => resolve()));
  stack.defer(async () => {
    child.kill();
    await gone;
  });
  const port = await new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    void gone.then(() => reject(new Error('the bare server ended before it was ready')));
    createInterface({ input: child.stdout! }).once('line', resolve);
  });
  return { url: `http://127.0.0.1:${port}/`, pid: child.pid ?? 0 };
}

/** As many callers as connections, each with one call after the other, until the time is over. */
async function load(
  client: HttpClient,
  connections: number,
  call: HttpCall,
  windowMs: number,
): Promise<Pick<Sample, 'perSecond' | 'milliseconds'>> {
  const milliseconds: number[] = [];
  const started = performance.now();
  const caller = async () => {
    while (performance.now() - started < windowMs) {
      const before = performance.now();
      const answer = await client.call(call);
      milliseconds.push(Math.round((performance.now() - before) * 1_000) / 1_000);
      // An error would be an answer too, and a quick one.
      if (answer.includes('"isError":true') || answer.includes('"error":{')) throw new Error(answer);
    }
  };
  await Promise.all(Array.from({ length: connections }, caller));
  return { perSecond: (milliseconds.length * 1_000) / (performance.now() - started), milliseconds };
}

function tableOf(plan: Plan, samples: readonly Sample[]): Table {
  const ofCase = (server: Target['server'], way: Target['way'], connections: number) =>
    samples.filter(
      (sample) => sample.server === server && sample.way === way && sample.connections === connections,
    );
  const rows = CONNECTIONS.flatMap((connections) =>
    (['REST', ...ERAS] as const).flatMap((way) =>
      (['hub', 'bare'] as const).flatMap((server) => {
        const own = ofCase(server, way, connections);
        if (own.length === 0) return [];
        const bare = ofCase('bare', way === 'REST' ? 'modern' : way, connections);
        const name = `${server}, ${way}, ${connections === 1 ? '1 connection' : `${connections} connections`}`;
        return [
          [
            name,
            ...besideBare(own, bare, ({ perSecond }) => perSecond),
            ...besideBare(own, bare, ({ milliseconds }) => percentile(milliseconds, 50)),
            ...besideBare(own, bare, ({ milliseconds }) => percentile(milliseconds, 99)),
            ...besideBare(own, bare, ({ processor }) => processor ?? Number.NaN),
          ],
        ];
      }),
    ),
  );
  return {
    title: `Median of ${plan.rounds} rounds of ${plan.windowMs / 1_000} s each; to the right of a figure, its ratio to the bare handler of the same era (REST: modern)`,
    columns: [
      'case',
      'calls/s',
      'to bare',
      'p50 ms',
      'to bare',
      'p99 ms',
      'to bare',
      'processor ms',
      'to bare',
    ],
    rows,
  };
}

/** A figure, and its ratio to the same of the bare handler in the same round; of each the middle. */
function besideBare(
  own: readonly Sample[],
  bare: readonly Sample[],
  figure: (sample: Sample) => number,
): [string, string] {
  const ratios = own.map(
    (sample) => figure(sample) / figure(bare.find(({ round }) => round === sample.round)!),
  );
  return [short(median(own.map(figure))), times(median(ratios))];
}

function memoryTable(
  samples: readonly Sample[],
  before: Record<Target['server'], number>,
  after: Record<Target['server'], number>,
): Table {
  return {
    title: 'MB held by the server before and after its calls',
    columns: ['server', 'calls', 'before', 'after'],
    rows: (['hub', 'bare'] as const).map((server) => {
      const calls = samples
        .filter((sample) => sample.server === server)
        .reduce((sum, { milliseconds }) => sum + milliseconds.length, 0);
      return [server, short(calls), short(before[server]), short(after[server])];
    }),
  };
}
