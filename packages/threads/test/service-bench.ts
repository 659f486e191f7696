import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bearerToken, createServer, problem, problemDialect, silentLog } from '@postern/http';
import { idGenerator, systemClock, systemRandom } from '@postern/kit';
import type { Engine } from '@postern/store';
import { expect, onTestFinished } from 'vitest';
import type { Agent } from '../src/agent/agent.ts';
import { openAudit } from '../src/audit/open-audit.ts';
import { threadsConfigSchema, toThreadsConfig } from '../src/config.ts';
import { mountThreads } from '../src/mount.ts';
import { fakePlatform, OWNER } from '../src/testing/fake-platform.ts';
import { threadsStore } from '../src/testing/store.ts';
import { createThreads } from '../src/threads.ts';

const KEY = 'an-admin-key-of-the-tests-0123456789';
export const patience = { timeout: 10_000, interval: 10 };

/** The whole service behind HTTP; its platform is in memory. */
export async function service(engine: Engine, agent: Agent) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'postern-threads-')));
  await mkdir(join(folder, 'work'));
  const platform = fakePlatform();
  const { store } = await threadsStore(engine);
  const config = toThreadsConfig(
    threadsConfigSchema.parse({
      workingDir: join(folder, 'work'),
      limits: { flushDelayMs: 5 },
      platforms: [{ id: platform.id, type: 'local', channelId: 'local:main', allowedUsers: [OWNER.id] }],
    }),
    { base: folder, home: folder },
  );
  const dataDir = join(folder, 'data');
  let base = '';
  const dialect = problemDialect({ publicUrl: () => base });

  async function begin(): Promise<() => Promise<void>> {
    const threads = createThreads(
      {
        store,
        clock: systemClock,
        random: systemRandom,
        newId: idGenerator({ clock: systemClock, random: systemRandom }),
        log: silentLog,
        agent,
        audit: openAudit({
          folder: join(dataDir, 'audit'),
          clock: systemClock,
          log: silentLog,
          isOn: () => true,
        }),
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
        if (bearerToken(request.headers.authorization) !== KEY)
          throw problem('unauthorized', 'No admin key.');
        return 'ops';
      },
    });
    await threads.start();
    base = await app.listen({ host: '127.0.0.1', port: 0 });
    await expect.poll(() => platform.isRunning, patience).toBe(true);
    return async () => void (await Promise.all([app.close(), threads.stop()]));
  }

  let end = await begin();
  onTestFinished(async () => {
    await end();
    await rm(folder, { recursive: true, force: true });
  });
  const headers = { authorization: `Bearer ${KEY}` };
  return {
    platform,
    folder,
    store,
    /** Ends the service in good order and begins it again. */
    async restart() {
      await end();
      end = await begin();
    },
    auditFile: join(dataDir, 'audit', `${platform.id}.jsonl`),
    async call(method: string, path: string, body?: object) {
      const response = await fetch(`${base}/threads/api${path}`, {
        method,
        headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      const text = await response.text();
      return { status: response.status, body: text === '' ? null : JSON.parse(text) };
    },
    events: (signal: AbortSignal) => fetch(`${base}/threads/api/events`, { headers, signal }),
    anonymous: (path: string) => fetch(`${base}/threads/api${path}`),
  };
}
