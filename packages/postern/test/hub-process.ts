import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach } from 'vitest';

/** The real command in real processes, each in folders of its own; all gone after the test. */

export const LAUNCHER = fileURLToPath(new URL('../../../bin/postern.js', import.meta.url));

const READY = /^Postern ready on (http:\/\/\S+)$/m;
const READY_MS = 60_000;

const folders: string[] = [];
const children: ChildProcess[] = [];

afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
  }
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'postern-hub-'));
  folders.push(folder);
  return folder;
}

export interface Run {
  readonly args: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Working directory, and home of the default data folder. */
  readonly folder: string;
  /** Flags of Node itself. */
  readonly nodeFlags?: readonly string[];
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly pid: number;
  output(): { stdout: string; stderr: string };
  readonly ended: Promise<Ended>;
}

export function start({ args, environment = {}, folder, nodeFlags = [] }: Run): Running {
  const child = spawn(process.execPath, [...nodeFlags, LAUNCHER, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', HOME: folder, POSTERN_PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  return {
    child,
    pid: child.pid as number,
    output: () => ({ stdout, stderr }),
    ended: new Promise((resolve) => {
      child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
    }),
  };
}

/** Runs a command to its end. */
export function run(options: Run): Promise<Ended> {
  return start(options).ended;
}

export interface RunningHub extends Running {
  readonly url: string;
  readonly dataDir: string;
  /** Asks the server; a relative path, JSON bodies. */
  request(path: string, options?: HubRequest): Promise<HubAnswer>;
}

export interface HubRequest {
  readonly method?: string;
  readonly as?: 'admin' | 'agent' | 'nobody';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface HubAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

/** Starts `postern serve` and waits for its ready line. */
export async function startHub(
  options: Omit<Run, 'args'> & { args?: readonly string[] },
): Promise<RunningHub> {
  const running = start({ ...options, args: ['serve', ...(options.args ?? [])] });
  const url = await readyUrl(running);
  const dataDir = options.environment?.POSTERN_DATA_DIR ?? join(options.folder, 'data');
  return {
    ...running,
    url,
    dataDir,
    async request(path, { method = 'GET', as = 'admin', headers = {}, body } = {}) {
      const answer = await fetch(`${url}${path}`, {
        method,
        headers: {
          ...(as === 'admin' ? { authorization: `Bearer ${await secret(dataDir, 'admin-key')}` } : {}),
          ...(as === 'agent'
            ? { authorization: `Bearer ${await secret(dataDir, 'amc-bearer-token')}`, 'x-agent-id': 'tester' }
            : {}),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        redirect: 'manual',
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      return { status: answer.status, headers: answer.headers, body: parse(text) };
    },
  };
}

export async function secret(dataDir: string, name: 'admin-key' | 'amc-bearer-token'): Promise<string> {
  return (await readFile(join(dataDir, 'secrets', name), 'utf8')).trim();
}

/** Looks again until the answer is there; the test's own time-out ends a wait in vain. */
export async function eventually<T>(look: () => Promise<T | null | false>): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== null && found !== false) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function readyUrl(running: Running): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const look = () => {
    const url = READY.exec(running.output().stdout)?.[1];
    if (url !== undefined) resolve(url);
  };
  running.child.stdout?.on('data', look);
  const fail = () => {
    const { stdout, stderr } = running.output();
    reject(new Error(`the hub did not get ready:\n${stdout}\n${stderr}`));
  };
  running.child.once('exit', fail);
  const timer = setTimeout(fail, READY_MS);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    running.child.off('exit', fail);
  }
}

function parse(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return { text };
  }
}
