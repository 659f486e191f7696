import { execFile } from 'node:child_process';
import { access, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { posternCommand, startHub } from '../support/hub.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const readme = await readFile(join(root, 'README.md'), 'utf8');
const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));

/** Commands of the README's shell blocks and tables, without comments. */
function commands(): string[] {
  const blocks = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) =>
    block.replaceAll('\\\n', ' ').split('\n'),
  );
  const inline = [...readme.matchAll(/`((?:npm|npx) [^`]+)`/g)].map(([, command = '']) => command);
  return [
    ...new Set([...blocks, ...inline].map((line) => line.replace(/\s+#.*/, '').trim()).filter(Boolean)),
  ];
}

test('every npm script the README names exists', () => {
  const scripts = commands().flatMap((command) => /^npm (?:run )?([a-z:]+)$/.exec(command)?.[1] ?? []);
  expect(scripts).toContain('start');
  for (const script of scripts) if (script !== 'ci') expect(manifest.scripts).toHaveProperty([script]);
});

test('every postern command the README names does what it says, beside a running hub', async () => {
  await using hub = await startHub();
  const named = commands().flatMap((command) => /^npx postern (.+)$/.exec(command)?.[1] ?? []);
  expect(named.length).toBeGreaterThanOrEqual(6);
  for (const command of named) {
    // A restore needs the hub stopped; it is tried on its own below.
    if (command.startsWith('restore')) continue;
    const args = command.replace('FILE', join(hub.folder, 'backup.tgz')).split(' ');
    const { stdout } = await run(process.execPath, [posternCommand, ...args], {
      cwd: hub.folder,
      env: { PATH: process.env.PATH, POSTERN_DATA_DIR: join(hub.folder, 'data') },
    });
    expect(stdout, command).not.toBe('');
  }
  await hub.stop();
  await run(process.execPath, [posternCommand, 'restore', join(hub.folder, 'backup.tgz')], {
    cwd: hub.folder,
    env: { PATH: process.env.PATH, POSTERN_DATA_DIR: join(hub.folder, 'restored') },
  });
  await using again = await startHub({
    folder: hub.folder,
    env: { POSTERN_DATA_DIR: join(hub.folder, 'restored') },
  });
  const { entries } = await again.admin<{ entries: { sender_id: string }[] }>('GET', '/allowlist');
  expect(entries.map((entry) => entry.sender_id)).toEqual(['ana']);
});

test('every file the documents link to is there', async () => {
  for (const name of [
    'README.md',
    'ARCHITECTURE.md',
    'CONTRIBUTING.md',
    'docs/decisions/README.md',
    'docs/configuration.md',
  ]) {
    const text = await readFile(join(root, name), 'utf8');
    for (const [, target = ''] of text.matchAll(/\]\(([^)#]+?)(?:#[^)]*)?\)/g)) {
      if (/^https?:/.test(target)) continue;
      await expect(access(join(root, dirname(name), target)), `${name} → ${target}`).resolves.toBeUndefined();
    }
  }
});
