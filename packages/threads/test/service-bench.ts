import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Engine } from '@postern/store';
import { expect, onTestFinished } from 'vitest';
import type { Agent } from '../src/agent/agent.ts';
import { threadsConfigSchema, toThreadsConfig } from '../src/config.ts';
import { fakePlatform, OWNER } from '../src/testing/fake-platform.ts';
import { threadsStore } from '../src/testing/store.ts';
import { type RunningService, runService } from './running-service.ts';

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

  async function begin(): Promise<RunningService> {
    const begun = await runService({ store, agent, platform, config, folder });
    await expect.poll(() => platform.isRunning, patience).toBe(true);
    return begun;
  }

  let running = await begin();
  onTestFinished(async () => {
    await running.stop();
    await rm(folder, { recursive: true, force: true });
  });
  return {
    platform,
    folder,
    store,
    /** Ends the service in good order and begins it again. */
    async restart() {
      await running.stop();
      running = await begin();
    },
    auditFile: join(folder, 'data', 'audit', `${platform.id}.jsonl`),
    call: (...call: Parameters<RunningService['call']>) => running.call(...call),
    events: (signal: AbortSignal) => running.events(signal),
    anonymous: (path: string) => running.anonymous(path),
  };
}
