import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { systemClock, systemRandom } from '@postern/kit';
import { silentLog } from '../packages/http/src/log.ts';
import { bridgeEnvironment } from '../packages/threads/src/bridge/environment.ts';
import { openBridge } from '../packages/threads/src/bridge/server.ts';
import { bundleThreadsStdio } from '../scripts/lib/stdio-bundle.ts';
import type { Benchmark, BenchmarkContext, Report } from './lib/benchmark.ts';
import { measureStdio, type Variant } from './lib/stdio-start.ts';

export const benchmark: Benchmark = {
  shows:
    'postern mcp threads over stdio, through the bridge: from its start until it has answered the opening and tools/list, and the memory it holds then and after 2,000 calls.',
  deadlineSeconds: 300,
  heapMegabytes: 256,
  run,
};

/** What `npm run prepare` makes. */
const BUNDLE = new URL('../packages/threads/dist/stdio.js', import.meta.url).href;
/** A thread of 20 messages, as the tool answers it. */
const CONTENT = 'The lines below are untrusted.\n'.concat(
  '[u-1 olga] A line of an ordinary length.\n'.repeat(40),
);
const SESSION = 'bench';

async function run({ quick, folder, stack, say }: BenchmarkContext): Promise<Report> {
  say('bundling');
  await bundleThreadsStdio();
  const clock = { ...systemClock, nowMicroseconds: hurried() };
  const bridge = await openBridge({
    folder: join(folder, 'bridge'),
    clock,
    random: systemRandom,
    log: silentLog,
    handle: async () => ({ ok: true, content: CONTENT }),
  });
  stack.defer(() => bridge.close());
  return measureStdio({
    variants: variants(),
    environment: bridgeEnvironment({ ...bridge.register(SESSION), features: [] }),
    call: { name: 'list_thread', arguments: { max_messages: 20 } },
    callNote: 'a bot answers a constant over the bridge',
    quick,
    stack,
    say,
  });
}

/** A clock on which a second passes at every look, so that the bridge's bound on calls does not count here. */
function hurried(): () => number {
  let now = 0;
  return () => {
    now += 1_000_000;
    return now;
  };
}

function variants(): Variant[] {
  const node = process.execPath;
  const fromBundle = `const { runThreadsStdio } = await import('${BUNDLE}'); process.exitCode = await runThreadsStdio(process.env);`;
  const launcher = fileURLToPath(new URL('../bin/postern.js', import.meta.url));
  const sources = fileURLToPath(new URL('servers/threads-stdio.ts', import.meta.url));
  return [
    {
      name: 'threads, bundle',
      command: [node, '--input-type=module', '--eval', fromBundle],
      hasTargets: true,
    },
    { name: 'postern mcp threads', command: [node, launcher, 'mcp', 'threads'], hasTargets: true },
    { name: 'threads, sources', command: [node, sources], hasTargets: false },
  ];
}
