import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkAgentCli, checkAgentLogin } from './machine.ts';

test.each([
  ['2.1.332 (Claude Code)', true, 'ok'],
  ['10.0.0 (Claude Code)', true, 'ok'],
  ['2.0.99 (Claude Code)', true, 'warning'],
  ['1.9.5 (Claude Code)', true, 'warning'],
  ['1.9.5 (Claude Code)', false, 'ok'],
])('the agent CLI %s, needed: %s, is %s', async (version, isNeeded, status) => {
  const folder = await mkdtemp(join(tmpdir(), 'postern-cli-'));
  const path = join(folder, 'claude');
  await writeFile(path, `#!/bin/sh\necho '${version}'\n`, { mode: 0o755 });
  expect(await checkAgentCli(path, isNeeded)).toMatchObject({ check: 'agent_cli', status });
  await rm(folder, { recursive: true });
});

test.each([
  ['echo \'{"loggedIn": false}\'; exit 1', ['agent_login']],
  ['echo \'{"loggedIn": true}\'', []],
  ['echo unknown command; exit 1', []],
])('an agent CLI that says of its login: %s', async (says, found) => {
  const folder = await mkdtemp(join(tmpdir(), 'postern-cli-'));
  const path = join(folder, 'claude');
  await writeFile(path, `#!/bin/sh\n${says}\n`, { mode: 0o755 });
  expect((await checkAgentLogin(path)).map(({ check }) => check)).toEqual(found);
  await rm(folder, { recursive: true });
});
