import { execFile } from 'node:child_process';
import { access, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { campaignLife } from '../../packages/campaigns/src/campaigns/lifecycle.ts';
import { deliveryStates } from '../../packages/campaigns/src/engine/deliveries.ts';
import { campaignsConfigSchema } from '../../packages/campaigns/src/index.ts';
import { readYamlFile } from '../../packages/postern/src/config/yaml-file.ts';
import { commandsTable } from '../../packages/threads/src/commands/docs.ts';
import { threadsConfigSchema } from '../../packages/threads/src/index.ts';
import { freshFolder } from '../support/folders.ts';
import { posternCommand, startHub } from '../support/hub.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const readme = await readFile(join(root, 'README.md'), 'utf8');
const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));

/** Commands of the README's shell blocks and tables, without comments. */
function commands(): string[] {
  const blocks = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) =>
    block.replaceAll(/\\\n\s*/g, '').split('\n'),
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

test('every postern command the README names does what it says, beside a running hub', {
  timeout: 300_000,
}, async () => {
  await using hub = await startHub();
  const named = commands().flatMap((command) => /^npx postern (.+)$/.exec(command)?.[1] ?? []);
  expect(named.length).toBeGreaterThanOrEqual(8);
  const project = await hub.admin<{ id: string }>('POST', '/api/v1/projects', {
    name: 'Harbour',
    slug: 'harbour',
  });
  for (const command of named) {
    // A restore needs the hub stopped; it is tried on its own below.
    if (command.startsWith('restore')) continue;
    const args = command
      .replace('FILE', join(hub.folder, 'backup.tgz'))
      .replace('PROJECT_ID', project.id)
      .split(' ');
    const { stdout } = await run(process.execPath, [posternCommand, ...args], {
      cwd: hub.folder,
      // Of the agent CLI doctor asks for the version alone, which this one has too.
      env: {
        PATH: process.env.PATH,
        POSTERN_DATA_DIR: join(hub.folder, 'data'),
        CLAUDE_PATH: process.execPath,
      },
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
    'docs/decisions/0012-installation-key-in-the-database.md',
    'docs/decisions/0013-tool-errors.md',
    'docs/configuration.md',
    'docs/campaigns.md',
    'docs/threads.md',
    'docs/mattermost.md',
    'docs/slack.md',
    'SECURITY.md',
  ]) {
    const text = await readFile(join(root, name), 'utf8');
    for (const [, target = ''] of text.matchAll(/\]\(([^)#]+?)(?:#[^)]*)?\)/g)) {
      if (/^https?:/.test(target)) continue;
      await expect(access(join(root, dirname(name), target)), `${name} → ${target}`).resolves.toBeUndefined();
    }
  }
});

test('the configuration page shows sections that are accepted, and every key of the campaigns', async () => {
  const page = await readFile(join(root, 'docs/configuration.md'), 'utf8');
  const blocks = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, block = '']) => block);
  expect(blocks.map((block) => block.split(':', 1)[0])).toEqual(['inbox', 'campaigns', 'threads']);
  const folder = await freshFolder();
  await writeFile(join(folder, 'postern.yaml'), blocks.join('\n'));
  const { stdout } = await run(process.execPath, [posternCommand, 'config', 'check'], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOOK_SECRET: `whsec_${'a'.repeat(32)}`,
      RELAY_PASSWORD: 'password-of-the-relay',
      MATTERMOST_TOKEN: 'token-of-the-bot',
      SLACK_BOT_TOKEN: 'xoxb-token',
      SLACK_APP_TOKEN: 'xapp-token',
      BOUNCES_PASSWORD: 'password-of-the-mailbox',
      DISCORD_TOKEN: 'token-of-the-bot',
    },
  });
  expect(stdout).not.toBe('');
  for (const key of Object.keys(campaignsConfigSchema.shape)) {
    expect(blocks[1]).toMatch(new RegExp(`^  ${key}:`, 'm'));
  }
});

test('the configuration page shows every key of the threads, with its default', async () => {
  const page = await readFile(join(root, 'docs/configuration.md'), 'utf8');
  const block = /```yaml\n(threads:[\s\S]*?)```/.exec(page)?.[1] ?? '';
  const file = join(await freshFolder(), 'postern.yaml');
  await writeFile(file, block);
  const { threads } = readYamlFile(file, 'postern.yaml')!.values as {
    threads: { platforms: Record<string, unknown>[] };
  };
  const shown = threadsConfigSchema.parse(threads);
  const needed = [
    'id',
    'type',
    'url',
    'token',
    'botToken',
    'appToken',
    'channelId',
    'apiUrl',
    'allowedUsers',
  ];
  const bare = threads.platforms.map((platform) =>
    Object.fromEntries(Object.entries(platform).filter(([key]) => needed.includes(key))),
  );
  const defaults = threadsConfigSchema.parse({ workingDir: shown.workingDir, platforms: bare });
  expect(shown).toEqual(defaults);
  expect(Object.keys(threads)).toEqual(expect.arrayContaining(Object.keys(defaults)));
  expect(Object.keys(threads.platforms[0] ?? {})).toEqual(
    expect.arrayContaining(Object.keys(defaults.platforms[0] ?? {})),
  );
});

test('the threads page lists the commands as they are, and its set-up is good', async () => {
  const page = await readFile(join(root, 'docs/threads.md'), 'utf8');
  const table = page.split('## Commands')[1]?.split('\n## ')[0]?.split('\n');
  expect(table?.filter((line) => line.startsWith('|'))).toEqual(commandsTable().split('\n'));
  const folder = await freshFolder();
  const postern = (args: readonly string[]) =>
    run(process.execPath, [posternCommand, ...args], {
      cwd: folder,
      env: { PATH: process.env.PATH, POSTERN_PORT: '0', CLAUDE_PATH: process.execPath },
    });
  const session = page.split('## A first session')[1]?.split('```')[1] ?? '';
  for (const [, command = ''] of session.matchAll(/^npx postern (.+)$/gm)) {
    expect((await postern(command.split(' '))).stdout, command).not.toBe('');
  }
  expect((await postern(['config', 'check'])).stdout).toMatch(/is good/);
});

test('the states in the campaigns page are those there are', async () => {
  const page = await readFile(join(root, 'docs/campaigns.md'), 'utf8');
  const first = (heading: string) => {
    const section = page.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
    return [...section.matchAll(/^\| `([a-z_]+)` \|/gm)].map(([, state]) => state);
  };
  expect(first('Life of a campaign')).toEqual([...campaignLife.states]);
  expect(['claimed', ...first('The ledger')].sort()).toEqual([...deliveryStates.states].sort());
});
