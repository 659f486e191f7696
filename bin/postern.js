#!/usr/bin/env node
/**
 * The `postern` command. Plain JavaScript that old versions of Node can read, because its first task is to
 * find out whether this Node can run the rest: the rest is TypeScript and wants Node 24. If it cannot, the
 * same command is run again with the Node that came with the dependencies.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import nodeModule, { createRequire } from 'node:module';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const OLDEST_NODE = 24;
const FORWARDED_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/** Set in the child, so that a packaged Node that is itself too old ends in a message and not in a loop. */
const RERUN_MARK = 'POSTERN_RERUN';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

if (Number.parseInt(process.versions.node, 10) >= OLDEST_NODE) {
  await run();
} else {
  runWithPackagedNode();
}

async function run() {
  if (process.env[RERUN_MARK] !== undefined) endWithLauncher();
  delete process.env[RERUN_MARK];
  hideExperimentalWarnings();
  const [, , ...words] = process.argv;
  // An agent waits for these: a bundle starts in half the time that the sources take.
  if (words.join(' ') === 'mcp inbox' && existsSync(join(root, 'packages/inbox/dist/stdio.js'))) {
    const { runInboxStdio } = await import('../packages/inbox/dist/stdio.js');
    process.exitCode = await runInboxStdio(process.env, root);
    return;
  }
  if (words.join(' ') === 'mcp threads' && existsSync(join(root, 'packages/threads/dist/stdio.js'))) {
    const { runThreadsStdio } = await import('../packages/threads/dist/stdio.js');
    process.exitCode = await runThreadsStdio(process.env);
    return;
  }
  // The sources are TypeScript: remembering them without types and compiled halves the start.
  nodeModule.enableCompileCache?.(join(root, '.cache/compile'));
  const { main } = await import('../packages/postern/src/cli/main.ts');
  process.exitCode = await main(process.argv.slice(2));
}

/** Early releases of Node 24 announce node:sqlite on stderr, which is a log of JSON lines here. */
function hideExperimentalWarnings() {
  const emit = process.emitWarning.bind(process);
  process.emitWarning = (warning, ...rest) => {
    const kind = typeof rest[0] === 'string' ? rest[0] : rest[0]?.type;
    if (kind !== 'ExperimentalWarning') emit(warning, ...rest);
  };
}

/** A server whose launcher was killed must not go on alone, holding the data folder. */
function endWithLauncher() {
  process.channel?.unref();
  process.once('disconnect', () => process.exit(1));
}

function runWithPackagedNode() {
  const packaged = packagedNode();
  if (packaged === null || process.env[RERUN_MARK] !== undefined) {
    process.stderr.write(
      `postern: needs Node ${OLDEST_NODE} or newer, found ${process.versions.node}; ` +
        `run npm ci in ${root} to fetch one, or install Node ${OLDEST_NODE}\n`,
    );
    process.exit(1);
  }
  const child = spawn(packaged, process.argv.slice(1), {
    env: { ...process.env, [RERUN_MARK]: '1' },
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  const forward = (signal) => child.kill(signal);
  for (const signal of FORWARDED_SIGNALS) process.on(signal, forward);
  child.once('error', (error) => {
    process.stderr.write(`postern: ${packaged} does not start: ${error.message}\n`);
    process.exit(1);
  });
  child.once('exit', (code, signal) => {
    for (const name of FORWARDED_SIGNALS) process.removeListener(name, forward);
    process.exit(signal === null ? code : 128 + (constants.signals[signal] ?? 0));
  });
}

function packagedNode() {
  try {
    const manifest = createRequire(import.meta.url).resolve('node/package.json');
    const binary = join(dirname(manifest), 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
    return existsSync(binary) ? binary : null;
  } catch {
    return null;
  }
}
