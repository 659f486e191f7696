import { execFileSync } from 'node:child_process';
import {
  chmod,
  link,
  mkdir,
  mkdtemp,
  realpath,
  rename,
  rm,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { type OutboundRules, openOutboundFile } from './outbound-file.ts';
import { isSecretPath } from './secret-files.ts';

let folder: string;
let work: string;
let uploads: string;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'outbound-')));
  work = join(folder, 'work');
  uploads = join(folder, 'data', 'uploads', 's1');
  await mkdir(work);
  await mkdir(uploads, { recursive: true });
  return () => rm(folder, { recursive: true, force: true });
});

const rules = (changes: Partial<OutboundRules> = {}): OutboundRules => ({
  workingDir: work,
  uploadDir: uploads,
  deniedPaths: [join(folder, 'data')],
  maxBytes: 1_000,
  ...changes,
});

/** The content of a file that may be sent, or why it may not. */
async function send(path: string, changes: Partial<OutboundRules> = {}): Promise<string> {
  const outcome = await openOutboundFile(path, rules(changes));
  if (!outcome.ok) return `refused: ${outcome.reason}`;
  await using file = outcome.file;
  return await textOf(file.content());
}

async function textOf(content: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function file(path: string, text = 'content'): Promise<string> {
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, text);
  return path;
}

describe('a file may be sent', () => {
  test('from the working directory and the folders in it', async () => {
    expect(await send(await file(join(work, 'plots', 'a b ü.png')))).toBe('content');
  });

  test('from among the files people sent, though they lie in the data folder', async () => {
    expect(await send(await file(join(uploads, 'theirs.txt')))).toBe('content');
  });

  test('when the working directory is behind a symbolic link', async () => {
    await file(join(work, 'a.txt'));
    const linked = join(folder, 'linked');
    await symlink(work, linked);
    expect(await send(join(linked, 'a.txt'), { workingDir: linked })).toBe('content');
    expect(await send(join(work, 'a.txt'), { workingDir: linked })).toBe('content');
    expect(await send(join(linked, 'a.txt'))).toBe('content');
  });

  test('up to the largest size, and not a byte more', async () => {
    const path = await file(join(work, 'a.txt'), 'x'.repeat(1_000));
    expect(await send(path)).toHaveLength(1_000);
    await writeFile(path, 'x'.repeat(1_001));
    expect(await send(path)).toMatch(/^refused: .*1001 bytes; at most 1000/);
  });

  test('in pieces larger than one read', async () => {
    const text = 'abcdefgh'.repeat(50_000);
    expect((await send(await file(join(work, 'a.txt'), text), { maxBytes: 1_000_000 })) === text).toBe(true);
  });
});

describe('a file is refused', () => {
  test('when its path is relative', async () => {
    await file(join(work, 'a.txt'));
    expect(await send('a.txt')).toMatch(/^refused: .*absolute/);
  });

  test('when its path holds a NUL', async () => {
    expect(await send(`${work}/a\0.txt`)).toMatch(/^refused: .*absolute/);
  });

  test('when it lies outside', async () => {
    expect(await send(await file(join(folder, 'other', 'a.txt')))).toMatch(/^refused: .*outside/);
    expect(await send('/etc/passwd')).toMatch(/^refused: .*outside/);
  });

  test('when it lies in a folder whose name only begins like the working directory', async () => {
    expect(await send(await file(join(folder, 'work-of-others', 'a.txt')))).toMatch(/^refused: .*outside/);
  });

  test('when dots lead out of the working directory', async () => {
    await file(join(folder, 'a.txt'));
    expect(await send(`${work}/sub/../../a.txt`)).toMatch(/^refused: .*outside/);
  });

  test('when it is the working directory itself, or a folder in it', async () => {
    await mkdir(join(work, 'sub'));
    expect(await send(work)).toMatch(/^refused: .*outside/);
    expect(await send(join(work, 'sub'))).toMatch(/^refused: .*regular/);
  });

  test('when it is not there', async () => {
    expect(await send(join(work, 'nothing.txt'))).toMatch(/^refused: .*no such file/);
  });

  test('when it is a symbolic link, wherever that leads', async () => {
    await symlink('/etc/passwd', join(work, 'out'));
    await symlink(await file(join(work, 'a.txt')), join(work, 'in'));
    expect(await send(join(work, 'out'))).toMatch(/^refused: .*symbolic link/);
    expect(await send(join(work, 'in'))).toMatch(/^refused: .*symbolic link/);
  });

  test('when a linked folder on the way leads outside', async () => {
    await file(join(folder, 'other', 'a.txt'));
    await symlink(join(folder, 'other'), join(work, 'sub'));
    expect(await send(join(work, 'sub', 'a.txt'))).toMatch(/^refused: .*outside/);
  });

  test('when it is a hard link to a file outside', async () => {
    await link(await file(join(folder, 'other', 'a.txt')), join(work, 'a.txt'));
    expect(await send(join(work, 'a.txt'))).toMatch(/^refused: .*hard links/);
  });

  test('when it is empty', async () => {
    expect(await send(await file(join(work, 'a.txt'), ''))).toMatch(/^refused: .*empty/);
  });

  test('when it is a pipe, without waiting for its writer', async () => {
    execFileSync('mkfifo', [join(work, 'pipe')]);
    expect(await send(join(work, 'pipe'))).toMatch(/^refused: .*regular/);
  });

  test.each([0o4755, 0o2755])('when its mode is %o', async (mode) => {
    await chmod(await file(join(work, 'program')), mode);
    expect(await send(join(work, 'program'))).toMatch(/^refused: .*someone else/);
  });

  test('when it is the product’s own, even with the data folder below the working directory', async () => {
    const path = await file(join(work, 'data', 'postern.sqlite'));
    expect(await send(path, { deniedPaths: [join(work, 'data')] })).toMatch(/^refused: .*own data/);
    const config = await file(join(work, 'postern.yaml'));
    expect(await send(config, { deniedPaths: [config] })).toMatch(/^refused: .*own data/);
  });

  test('when a link makes the data folder look like another', async () => {
    await file(join(work, 'data', 'a.txt'));
    await symlink(join(work, 'data'), join(work, 'alias'));
    expect(await send(join(work, 'alias', 'a.txt'), { deniedPaths: [join(work, 'data')] })).toMatch(
      /^refused: .*own data/,
    );
  });

  test('when the session works in the data folder', async () => {
    const path = await file(join(folder, 'data', 'a.txt'));
    expect(await send(path, { workingDir: join(folder, 'data') })).toMatch(/^refused: .*own data/);
  });

  test.each([
    '.env',
    '.env.local',
    '.ENV',
    'deploy.pem',
    'server.KEY',
    'id_rsa',
    'id_ed25519',
    '.npmrc',
    '.netrc',
  ])('when it is named %s', async (name) => {
    expect(await send(await file(join(work, name)))).toMatch(/^refused: .*credentials/);
  });

  test.each(['.git/config', 'sub/.git/HEAD', '.ssh/known_hosts', '.aws/config'])(
    'when it is %s',
    async (path) => {
      expect(await send(await file(join(work, path)))).toMatch(/^refused: .*credentials/);
    },
  );

  test('when a linked folder hides what it is', async () => {
    await file(join(work, '.git', 'config'));
    await symlink(join(work, '.git'), join(work, 'plain'));
    expect(await send(join(work, 'plain', 'config'))).toMatch(/^refused: .*credentials/);
  });

  test.each(['/', '/home', '/tmp', '/etc', '/usr', '/var', '/opt', '/root'])(
    'when the working directory is as wide as %s',
    async (workingDir) => {
      const path = await file(join(folder, 'a.txt'));
      const answer = await send(path, { workingDir, uploadDir: null });
      expect(answer).toMatch(/^refused: .*too wide/);
    },
  );

  test('when the working directory is a link to a wide one', async () => {
    const linked = join(folder, 'linked');
    await symlink('/tmp', linked);
    expect(await send(await file(join(work, 'a.txt')), { workingDir: linked, uploadDir: null })).toMatch(
      /^refused: .*too wide/,
    );
  });

  test('when the working directory is gone', async () => {
    await rm(work, { recursive: true });
    expect(await send(join(work, 'a.txt'), { uploadDir: null })).toMatch(/^refused: .*gone/);
  });
});

describe('a file that changes after it was checked', () => {
  test('is sent as it was opened when another takes its place', async () => {
    const path = await file(join(work, 'a.txt'), 'checked');
    const outcome = await openOutboundFile(path, rules());
    if (!outcome.ok) throw new Error(outcome.reason);
    await using opened = outcome.file;
    await symlink('/etc/passwd', join(work, 'b'));
    await rename(join(work, 'b'), path);
    expect(await textOf(opened.content())).toBe('checked');
  });

  test('is not sent by halves when it becomes shorter', async () => {
    const path = await file(join(work, 'a.txt'), 'checked');
    const outcome = await openOutboundFile(path, rules());
    if (!outcome.ok) throw new Error(outcome.reason);
    await using opened = outcome.file;
    await truncate(path, 3);
    await expect(textOf(opened.content())).rejects.toThrow(/shorter/);
  });

  test('is sent at the size that was checked when it grows', async () => {
    const path = await file(join(work, 'a.txt'), 'checked');
    const outcome = await openOutboundFile(path, rules());
    if (!outcome.ok) throw new Error(outcome.reason);
    await using opened = outcome.file;
    await writeFile(path, 'checked and more', { flag: 'r+' });
    expect(await textOf(opened.content())).toBe('checked');
  });

  test('never lets out a file outside, however fast folders are swapped for links', async () => {
    await file(join(folder, 'other', 'a.txt'), 'outside');
    await file(join(work, 'real', 'a.txt'), 'inside');
    await symlink(join(folder, 'other'), join(folder, 'link'));
    let isOver = false;
    const swapping = (async () => {
      while (!isOver) {
        await rename(join(work, 'real'), join(work, 'aside'));
        await rename(join(folder, 'link'), join(work, 'real'));
        await rename(join(work, 'real'), join(folder, 'link'));
        await rename(join(work, 'aside'), join(work, 'real'));
      }
    })();
    const sent = new Set<string>();
    for (let turn = 0; turn < 400; turn += 1) sent.add(await send(join(work, 'real', 'a.txt')));
    isOver = true;
    await swapping;
    expect([...sent].filter((text) => !text.startsWith('refused: '))).not.toContain('outside');
  });
});

test.each([
  ['report.pdf', false],
  ['keys.md', false],
  ['environment.ts', false],
  ['gitlog.txt', false],
  ['credentials.test.ts', false],
  ['monkey', false],
  ['credentials', true],
  ['credentials.json', true],
  ['my-credentials.json', true],
  ['service-account-prod.json', true],
  ['.git-credentials', true],
  ['sub/.envrc', true],
  ['.env.d/x', true],
  ['store.p12', true],
])('%s may hold credentials: %s', (path, isSecret) => {
  expect(isSecretPath(join('/srv/app', path))).toBe(isSecret);
});
