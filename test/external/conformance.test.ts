import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freshFolder } from '../support/folders.ts';
import { runProgram } from '../support/run-program.ts';
import { type OpenListener, openListener } from './open-listener.ts';
import { conformance } from './tool-paths.ts';

/** The protocol's own conformance suite: what it asks of a server that has tools and nothing else. */

const baseline = fileURLToPath(new URL('conformance-baseline.yml', import.meta.url));

const revisions = [
  [
    '2025-11-25',
    ['tools-list', 'server-initialize', 'ping', 'dns-rebinding-protection', 'server-sse-multiple-streams'],
  ],
  [
    '2026-07-28',
    [
      'tools-list',
      'http-header-validation',
      'dns-rebinding-protection',
      'server-sse-multiple-streams',
      'sep-2164-resource-not-found',
      'input-required-result-unsupported-methods',
      'input-required-result-ignore-extra-params',
      'input-required-result-validate-input',
      'server-stateless',
      'caching',
    ],
  ],
] as const;

let listener: OpenListener;
beforeAll(async () => {
  listener = await openListener();
});
afterAll(() => listener[Symbol.asyncDispose]());

async function run(revision: string, scenario: string, expectedFailures: string) {
  const folder = await freshFolder();
  return runProgram(
    process.execPath,
    [
      ...[conformance, 'server', '--url', listener.url],
      ...['--scenario', scenario, '--spec-version', revision, '--expected-failures', expectedFailures],
    ],
    { cwd: folder, env: { PATH: process.env.PATH, HOME: folder } },
  );
}

describe.each(revisions)('revision %s', (revision, scenarios) => {
  test.each(scenarios)('%s', async (scenario) => {
    const { code, stdout, stderr } = await run(revision, scenario, baseline);
    expect(code, `${stdout}\n${stderr}`).toBe(0);
  });
});

test('a baseline that names a check which passes is refused', async () => {
  const stale = join(await freshFolder(), 'stale.yml');
  await writeFile(stale, 'server:\n  - ping:ping\n');
  const { code, stdout } = await run('2025-11-25', 'ping', stale);
  expect(stdout).toContain('Baseline is stale');
  expect(code).toBe(1);
});
