import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../config/load.ts';
import { serviceEnvironment } from './environment.ts';

const STRONG = 'kestrel-orbit-94-lantern-moss';

async function environmentOf(environment: Record<string, string>) {
  const folder = await mkdtemp(join(tmpdir(), 'postern-service-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(
    join(folder, 'postern.yaml'),
    `inbox:\n  connectors: { discord: { token: "\${DISCORD_TOKEN}" } }\n`,
  );
  await writeFile(join(folder, 'token'), 'abc.def.ghi\n');
  const resolved = Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name, value.replace('FOLDER', folder)]),
  );
  const loaded = loadConfig({ environment: resolved, flags: {}, workingDirectory: folder });
  return { folder, made: () => serviceEnvironment(loaded, { workingDirectory: folder, path: '/usr/bin' }) };
}

test('a service reads what the shell reads that made it', async () => {
  const { folder, made } = await environmentOf({
    DISCORD_TOKEN_FILE: 'FOLDER/token',
    POSTERN_PORT: '9000',
    POSTERN_PUBLIC_URL: 'https://postern.example.org',
    EDITOR: 'ed',
  });
  expect(made()).toEqual({
    POSTERN_DATA_DIR: join(folder, 'data'),
    POSTERN_CONFIG: join(folder, 'postern.yaml'),
    DISCORD_TOKEN_FILE: join(folder, 'token'),
    POSTERN_PORT: '9000',
    POSTERN_PUBLIC_URL: 'https://postern.example.org',
    PATH: '/usr/bin',
  });
});

test('a secret of the shell is neither lost nor written into a unit', async () => {
  const { made } = await environmentOf({ DISCORD_TOKEN: 'abc.def.ghi', POSTERN_ADMIN_KEY: STRONG });
  expect(made).toThrow(
    'DISCORD_TOKEN, POSTERN_ADMIN_KEY are set in this shell, where a service does not see it. Write the value into a file that is yours alone, and give its path in the place of the value: DISCORD_TOKEN_FILE=/path/to/file',
  );
  expect(made).not.toThrow(STRONG);
});
