import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import { loadConfig } from '../src/config/load.ts';
import { type Hub, openHub } from '../src/hub/hub.ts';

/** A hub within the test's own process, asked without a socket. */

const open: { hub: Hub; folder: string }[] = [];

afterEach(async () => {
  for (const { hub, folder } of open.splice(0)) {
    await hub.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

export async function openTestHub(environment: Record<string, string> = {}): Promise<Hub> {
  const folder = mkdtempSync(join(tmpdir(), 'postern-hub-'));
  const { config } = loadConfig({
    environment: {
      POSTERN_DATA_DIR: join(folder, 'data'),
      POSTERN_PUBLIC_URL: 'https://gate.example',
      ...environment,
    },
    flags: {},
    workingDirectory: folder,
  });
  const hub = await openHub(config, { logLevel: 'silent' });
  open.push({ hub, folder });
  return hub;
}
