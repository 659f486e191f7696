#!/usr/bin/env node
/**
 * The `postern` command. Plain JavaScript that old versions of Node can read, because its first task is to
 * find out whether this Node can run the rest: the rest is TypeScript and wants Node 24. If it cannot, the
 * same command is run again with the Node that came with the dependencies.
 */
import { spawn } from 'node:child_process';
import {
  constants as access,
  accessSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
} from 'node:fs';
import nodeModule, { createRequire } from 'node:module';
import { constants, homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
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
  rememberCompiled();
  const { main } = isBundleCurrent()
    ? await import('../packages/postern/dist/main.js')
    : await import('../packages/postern/src/cli/main.ts');
  process.exitCode = await main(words);
}

/** Whether the bundle of the command was made of the very sources that are there; else those are run. */
function isBundleCurrent() {
  try {
    const { files, folders } = JSON.parse(
      readFileSync(join(root, 'packages/postern/dist/made-of.json'), 'utf8'),
    );
    return (
      files.every(([path, size, second]) => {
        const found = statSync(join(root, path));
        return found.size === size && Math.floor(found.mtimeMs / 1_000) === second;
      }) &&
      folders.every(([path, names]) => readdirSync(join(root, path)).sort().join('/') === names.join('/'))
    );
  } catch {
    return false;
  }
}

/**
 * Lets Node keep what it compiles, which halves a start, in a folder that nobody else can write to: it runs what it
 * finds there. Without one it does without.
 */
function rememberCompiled() {
  const folder = [join(root, '.cache/compile'), join(ownCache(), 'postern/compile')].find(isOursAlone);
  if (folder !== undefined) nodeModule.enableCompileCache?.(folder);
}

/** For an installation that belongs to another account. */
function ownCache() {
  const { XDG_CACHE_HOME } = process.env;
  return XDG_CACHE_HOME && isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : join(homedir(), '.cache');
}

/** Whether the folder, made if need be, can be written to by this account and by no other. */
function isOursAlone(folder) {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, access.W_OK);
    if (process.platform === 'win32') return true;
    const { mode, uid } = statSync(folder);
    return uid === process.getuid() && (mode & 0o022) === 0;
  } catch {
    return false;
  }
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
