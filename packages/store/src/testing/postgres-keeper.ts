import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Binaries, findBinaries } from './binaries.ts';

/**
 * Program: a private PostgreSQL server that lives as long as this process' standard input is open, so not
 * even a killed test run leaves one behind. Prints its port when it takes connections. Arguments are settings
 * of the server, `name=value`.
 */

const scratch = await mkdtemp(join(tmpdir(), 'postern-postgres-'));
let server: ChildProcess | undefined;

async function main(): Promise<void> {
  const binaries = await findBinaries(scratch);
  // The account that runs the server has to get to its folder.
  await chmod(scratch, 0o755);
  if (binaries.account) await chown(scratch, binaries.account.uid, binaries.account.gid);
  const data = join(scratch, 'data');
  // Letters sort as in English by default here, so that a column which forgets to say otherwise shows.
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=icu', '--icu-locale=en-US'];
  const cluster = ['--pgdata', data, '--username=postgres', '--auth=trust', '--no-sync', ...locale];
  const initialised = run(binaries, binaries.initdb, cluster);
  if ((await exitCode(initialised.child)) !== 0) throw new Error(`initdb failed: ${initialised.output()}`);
  const port = await startServer(binaries, data);
  process.stdout.write(`${port}\n`);
}

async function startServer(binaries: Binaries, data: string): Promise<number> {
  let output = '';
  // Somebody else may take the free port first.
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const port = await freePort();
    const settings = {
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      max_connections: '300',
      shared_buffers: '32MB',
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
      autovacuum: 'off',
    };
    const all = [
      ...Object.entries(settings).map(([name, value]) => `${name}=${value}`),
      // The last one of a name holds.
      ...process.argv.slice(2),
    ];
    const flags = all.flatMap((setting) => ['-c', setting]);
    const started = run(binaries, binaries.postgres, ['-D', data, '-p', String(port), ...flags]);
    server = started.child;
    if (await started.says('ready to accept connections')) return port;
    output = started.output();
  }
  throw new Error(`postgres did not start: ${output}`);
}

function run(binaries: Binaries, program: string, parameters: readonly string[]) {
  const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' };
  const child = spawn(program, parameters, {
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: scratch,
    env,
    ...(binaries.account ?? {}),
  });
  let text = '';
  let onText = (): void => undefined;
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      text = (text + chunk.toString()).slice(-4_000);
      onText();
    });
  }
  child.on('error', (error) => {
    text += String(error);
  });
  const says = (words: string) =>
    new Promise<boolean>((resolve) => {
      onText = () => {
        if (text.includes(words)) resolve(true);
      };
      child.once('close', () => resolve(false));
    });
  return { child, says, output: () => text };
}

function exitCode(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.once('close', resolve));
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

async function stop(code: number): Promise<never> {
  if (server && server.exitCode === null) {
    const gone = exitCode(server);
    // Immediate shutdown: nothing in it is worth a checkpoint.
    server.kill('SIGQUIT');
    await gone;
  }
  await rm(scratch, { recursive: true, force: true, maxRetries: 5 });
  process.exit(code);
}

process.stdin.resume().on('close', () => void stop(0));
// An interrupt from the terminal reaches the whole group; the test run decides when it is over.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => void stop(0));
try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  await stop(1);
}
