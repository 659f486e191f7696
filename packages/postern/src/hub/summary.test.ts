import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Environment } from '../config/environment.ts';
import { loadConfig } from '../config/load.ts';
import { summary } from './summary.ts';

const SECRETS = {
  POSTERN_ADMIN_KEY: 'an-operator-key-nobody-guesses-47',
  AMC_BEARER_TOKEN: 'an-inbox-token-nobody-guesses-48',
};

function summaryOf(environment: Environment, link: string | null = null): string {
  const { config } = loadConfig({
    environment: { POSTERN_DATA_DIR: "/srv/it's here", ...environment },
    flags: {},
    workingDirectory: '/nowhere',
  });
  return summary({ config, publicUrl: 'https://gate.example', environment, link });
}

test('generated secrets are named by their files, quoted for the shell', () => {
  const text = summaryOf({});
  expect(text).toContain("Admin key     /srv/it's here/secrets/admin-key");
  expect(text).toContain(`-e AMC_BEARER_TOKEN_FILE='/srv/it'\\''s here/secrets/amc-bearer-token'`);
  expect(text).toContain(`"AMC_BEARER_TOKEN_FILE": "/srv/it's here/secrets/amc-bearer-token"`);
  expect(text).toContain('AMC_BASE_URL = "https://gate.example"');
  expect(text).toContain('https://gate.example/console (npx postern login makes a link that opens it)');
});

test('all platforms of the inbox are named', async () => {
  expect(summaryOf({})).toContain('inbox (local chat), campaigns');
  const folder = await mkdtemp(join(tmpdir(), 'postern-summary-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'postern.yaml');
  await writeFile(
    file,
    'inbox:\n  connectors: { discord: { token: abc.def.ghi }, imessage: { enabled: true } }\n',
  );
  expect(summaryOf({ POSTERN_CONFIG: file })).toContain('inbox (local chat, Discord, iMessage), campaigns');
});

test('given secrets are named by their variables, and shown nowhere', () => {
  const text = summaryOf(SECRETS);
  expect(text).toContain('given in POSTERN_ADMIN_KEY');
  expect(text).toContain('-e AMC_BEARER_TOKEN="$AMC_BEARER_TOKEN"');
  expect(text).toContain('env_vars = ["AMC_BEARER_TOKEN"]');
  for (const secret of Object.values(SECRETS)) expect(text).not.toContain(secret);
});

test('a person at a terminal gets the link last, where it is still on the screen', () => {
  const link = 'https://gate.example/console/login#token=x';
  expect(summaryOf({}, link)).toMatch(/\n\nOpen the console .*:\n {2}https:\S+#token=x\n$/);
  expect(summaryOf({}, link).split(link)).toHaveLength(2);
});
