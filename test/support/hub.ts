import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A real hub as a child process: `postern serve` on a free port and a data folder of its own. */

export const posternCommand = fileURLToPath(new URL('../../bin/postern.js', import.meta.url));

export interface HubOptions {
  /** Folder of a hub that ran before, to start again on its data; it stays the other hub's to remove. */
  readonly folder?: string;
  /** More variables; the child gets none of this process's own but PATH. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface HubExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface TestHub extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  /** Working folder; the data folder is `data` in it, and a `postern.yaml` there would be read. */
  readonly folder: string;
  readonly adminKey: string;
  /** Bearer of the agents' routes. */
  readonly bearer: string;
  /** File that holds the bearer. */
  readonly bearerFile: string;
  /** What the child has written to stdout and stderr, the newest 200,000 characters. */
  output(): string;
  /** A JSON request with the admin key. @throws Error with the body, unless the answer is 2xx. */
  admin<Body>(method: string, path: string, body?: unknown): Promise<Body>;
  /** The same with the inbox's bearer, as that agent. */
  agent<Body>(agentId: string, method: string, path: string, body?: unknown): Promise<Body>;
  /** SIGTERM, and waits for the end. */
  stop(): Promise<HubExit>;
  /** SIGKILL, and waits for the end. */
  kill(): Promise<HubExit>;
}

const READY_LINE = /^Postern ready on (http:\/\/\S+)$/;
/** Seconds on an idle machine; a start among many processes that are at work may take long. */
const START_DEADLINE_MS = 120_000;
const KEPT_OUTPUT = 200_000;

/** @throws Error with the child's output when it ends, or is silent for too long, before the ready line. */
export async function startHub(options: HubOptions = {}): Promise<TestHub> {
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'postern-hub-')));
  const child = spawn(process.execPath, [posternCommand, 'serve'], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      POSTERN_DATA_DIR: join(folder, 'data'),
      POSTERN_PORT: '0',
      // As when the command runs itself again: should the test run be killed, the channel closes and it ends.
      POSTERN_RERUN: '1',
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const ended = new Promise<HubExit>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  const output = keepOutput(child);

  async function end(signal: NodeJS.Signals): Promise<HubExit> {
    child.kill(signal);
    return ended;
  }
  async function dispose(): Promise<void> {
    await end('SIGKILL');
    if (options.folder === undefined) await rm(folder, { recursive: true, force: true });
  }

  try {
    const url = await readyUrl(child, ended, output);
    const secret = (name: string) => join(folder, 'data', 'secrets', name);
    const adminKey = (await readFile(secret('admin-key'), 'utf8')).trim();
    const bearerFile = secret('amc-bearer-token');
    const bearer = (await readFile(bearerFile, 'utf8')).trim();
    return {
      url,
      pid: child.pid as number,
      folder,
      adminKey,
      bearer,
      bearerFile,
      output,
      admin: (method, path, body) =>
        request(url + path, method, { authorization: `Bearer ${adminKey}` }, body),
      agent: (agentId, method, path, body) =>
        request(url + path, method, { authorization: `Bearer ${bearer}`, 'x-agent-id': agentId }, body),
      stop: () => end('SIGTERM'),
      kill: () => end('SIGKILL'),
      [Symbol.asyncDispose]: dispose,
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}

function keepOutput(child: ChildProcess): () => string {
  let kept = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      kept = (kept + chunk).slice(-KEPT_OUTPUT);
    });
  }
  return () => kept;
}

async function readyUrl(child: ChildProcess, ended: Promise<HubExit>, output: () => string): Promise<string> {
  if (!child.stdout) throw new Error('the hub has no stdout');
  const lines = createInterface({ input: child.stdout });
  const deadline = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => deadline.reject(new Error(`the hub is not ready in ${START_DEADLINE_MS} ms: ${output()}`)),
    START_DEADLINE_MS,
  );
  const ready = new Promise<string>((resolve) => {
    lines.on('line', (line) => {
      const url = READY_LINE.exec(line)?.[1];
      if (url !== undefined) resolve(url);
    });
  });
  const failed = ended.then(({ code }) => {
    throw new Error(`the hub ended with ${code} before it was ready: ${output()}`);
  });
  try {
    return await Promise.race([ready, failed, deadline.promise]);
  } finally {
    clearTimeout(timer);
    // The loser of the race has nobody else to look at it.
    failed.catch(() => undefined);
  }
}

async function request<Body>(
  address: string,
  method: string,
  credentials: Record<string, string>,
  body: unknown,
): Promise<Body> {
  const response = await fetch(address, {
    method,
    headers: {
      ...credentials,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${address}: ${response.status} ${text}`);
  return (text === '' ? null : JSON.parse(text)) as Body;
}
