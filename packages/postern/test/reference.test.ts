import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { inboxOperations } from '@postern/inbox';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

test('npm run docs makes a page for every operation, and no link leads nowhere', {
  timeout: 60_000,
}, async () => {
  await promisify(execFile)(process.execPath, ['scripts/docs.ts'], { cwd: ROOT });
  const index = join(ROOT, 'docs/.generated/index.md');
  const text = await readFile(index, 'utf8');
  const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map((match) => match[1] ?? '');
  expect(links.filter((link) => !existsSync(join(dirname(index), link)))).toEqual([]);
  for (const { name } of inboxOperations) expect(links).toContain(`inbox/${name}.md`);
  const page = await readFile(join(dirname(index), 'inbox/send_message.md'), 'utf8');
  expect(page).toContain('- Route: `POST /messages/send`');
  expect(page).toContain('`CHANNEL_NOT_FOUND` (404)');
});
