import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const INBOX = new URL('../../index.ts', import.meta.url).href;

/** A program of its own, since what is loaded is loaded for good. Prints which modules of discord.js it has. */
async function loadedBy(program: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '-e',
    `import { createRequire } from 'node:module';
     const inbox = await import(${JSON.stringify(INBOX)});
     ${program}
     const loaded = Object.keys(createRequire(import.meta.url).cache);
     console.log(JSON.stringify(loaded.filter((file) => /node_modules.(discord|@discordjs)/.test(file))));
     process.exit(0);`,
  ]);
  return JSON.parse(stdout) as string[];
}

test('nothing of discord.js is loaded before Discord is used', async () => {
  const made = `inbox.discordConnector({ token: 'x', clock: {}, log: {} });`;
  expect(await loadedBy(made)).toEqual([]);
  const used = `await inbox.checkDiscord({ token: 'x', apiUrl: 'http://127.0.0.1:9' });`;
  expect((await loadedBy(used)).length).toBeGreaterThan(0);
});
