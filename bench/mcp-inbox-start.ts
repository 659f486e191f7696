import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { bundleStdio } from '../scripts/lib/stdio-bundle.ts';
import type { Benchmark, BenchmarkContext, Report } from './lib/benchmark.ts';
import { samplePage } from './lib/sample-page.ts';
import { measureStdio, type Variant } from './lib/stdio-start.ts';
import { ANSWER_VARIABLE } from './servers/bare-tools.ts';

export const benchmark: Benchmark = {
  shows:
    'postern mcp inbox over stdio: from its start until it has answered the opening and tools/list, and the memory it holds then and after 2,000 calls; beside the bare SDK.',
  deadlineSeconds: 300,
  heapMegabytes: 256,
  run,
};

/** What `npm run prepare` makes. */
const BUNDLE = new URL('../packages/inbox/dist/stdio.js', import.meta.url).href;

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
  return measureStdio({
    variants,
    environment,
    call: { name: 'list_unread_messages', arguments: { limit: 20 } },
    callNote: 'the inbox asks a hub that answers a constant',
    quick,
    stack,
    say,
  });
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
