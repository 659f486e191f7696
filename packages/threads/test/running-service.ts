import { join } from 'node:path';
import { bearerToken, createServer, problem, problemDialect, silentLog } from '@postern/http';
import { type Clock, idGenerator, systemClock, systemRandom } from '@postern/kit';
import type { Store } from '@postern/store';
import type { Agent } from '../src/agent/agent.ts';
import { openAudit } from '../src/audit/open-audit.ts';
import type { ThreadsConfig } from '../src/config.ts';
import { mountThreads } from '../src/mount.ts';
import type { Platform } from '../src/platforms/platform.ts';
import type { ThreadsTables } from '../src/tables.ts';
import { createThreads, type Threads } from '../src/threads.ts';

const KEY = 'an-admin-key-of-the-tests-0123456789';
/** Name of whoever asks with the key. */
export const OPERATOR = 'ops';

export interface RunningService {
  readonly threads: Pick<Threads, 'health'>;
  /** A request to the operator's side, with the key unless `as` is nobody. */
  call(
    method: string,
    path: string,
    body?: object,
  ): Promise<{ status: number; body: ReturnType<typeof JSON.parse> }>;
  events(signal: AbortSignal): Promise<Response>;
  anonymous(path: string): Promise<Response>;
  /** In good order. */
  stop(): Promise<void>;
}

/** The whole service behind HTTP, on one platform, as a process of its own would have it. */
export async function runService(options: {
  readonly store: Store<ThreadsTables>;
  readonly agent: Agent;
  readonly platform: Platform;
  readonly config: ThreadsConfig;
  /** The data folder is `data` in it, and that of agents `agents`. */
  readonly folder: string;
  readonly clock?: Clock;
}): Promise<RunningService> {
  const { store, agent, platform, config, folder, clock = systemClock } = options;
  const dataDir = join(folder, 'data');
  let base = '';
  const dialect = problemDialect({ publicUrl: () => base });
  const threads = createThreads(
    {
      store,
      clock,
      random: systemRandom,
      newId: idGenerator({ clock, random: systemRandom }),
      log: silentLog,
      agent,
      audit: openAudit({ folder: join(dataDir, 'audit'), clock, log: silentLog, isOn: () => true }),
      dataDir,
      agentDir: join(folder, 'agents'),
      deniedPaths: [dataDir],
    },
    config,
    config.platforms.map((behaviour) => ({ platform, behaviour })),
  );
  const app = createServer({ log: silentLog, publicUrl: () => base, dialectFor: () => dialect });
  mountThreads(app, {
    threads,
    dialect,
    log: silentLog,
    async authenticate(request) {
      if (bearerToken(request.headers.authorization) !== KEY) throw problem('unauthorized', 'No admin key.');
      return OPERATOR;
    },
  });
  await threads.start();
  base = await app.listen({ host: '127.0.0.1', port: 0 });
  const headers = { authorization: `Bearer ${KEY}` };
  return {
    threads,
    async call(method, path, body) {
      const response = await fetch(`${base}/threads/api${path}`, {
        method,
        headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      const text = await response.text();
      return { status: response.status, body: text === '' ? null : JSON.parse(text) };
    },
    events: (signal) => fetch(`${base}/threads/api/events`, { headers, signal }),
    anonymous: (path) => fetch(`${base}/threads/api${path}`),
    stop: async () => void (await Promise.all([app.close(), threads.stop()])),
  };
}
