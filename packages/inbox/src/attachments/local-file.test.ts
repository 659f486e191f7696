import { execFileSync } from 'node:child_process';
import { chmod, link, mkdir, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Failure } from '@postern/kit';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { freshFolder } from '../testing/index.ts';
import { openAllowedFile } from './local-file.ts';

let root = '';
let allowed = '';
let secret = '';

beforeEach(async () => {
  root = await realpath(await freshFolder());
  allowed = join(root, 'allowed');
  secret = join(root, 'secret.txt');
  await mkdir(join(allowed, 'sub'), { recursive: true });
  await writeFile(secret, 'secret');
  await writeFile(join(allowed, 'a.txt'), 'inside');
});

/** The bytes that would be sent, or the refusal. */
async function read(path: string, options: { allowedDirs?: string[]; maxBytes?: number } = {}) {
  try {
    const file = await openAllowedFile(path, 'attachments.0.path', {
      allowedDirs: options.allowedDirs ?? [allowed],
      maxBytes: options.maxBytes ?? 1_000,
    });
    try {
      return { name: file.name, text: await file.handle.readFile('utf8') };
    } finally {
      await file.handle.close();
    }
  } catch (error) {
    if (error instanceof Failure) return { code: error.code, message: error.message };
    throw error;
  }
}

const outside = {
  code: 'VALIDATION_FAILED',
  message: expect.stringContaining('not in one of the folders of inbox.attachments.allowedDirs'),
};
const refused = { code: 'VALIDATION_FAILED' };

describe('a file to send', () => {
  test('in an allowed folder or below it is opened, under its own name', async () => {
    await writeFile(join(allowed, 'sub', '..odd name.txt'), 'below');
    expect(await read(join(allowed, 'a.txt'))).toEqual({ name: 'a.txt', text: 'inside' });
    expect(await read(join(allowed, 'sub', '..odd name.txt'))).toEqual({
      name: '..odd name.txt',
      text: 'below',
    });
    expect(await read(join(allowed, 'sub', '..', 'a.txt'))).toEqual({ name: 'a.txt', text: 'inside' });
  });

  test('elsewhere is refused, alike whether it exists or not, and names the setting and the field', async () => {
    for (const path of [
      secret,
      join(root, 'missing.txt'),
      join(allowed, 'missing.txt'),
      '/etc/passwd',
      join(allowed, '..', 'secret.txt'),
      `${allowed}/../secret.txt`,
      `${allowed}/sub/../../secret.txt`,
      `${allowed}-not/a.txt`,
      allowed,
      `${allowed}/`,
      '/',
      `${allowed}/a.txt/`,
      `/${'x'.repeat(5_000)}`,
    ])
      expect(await read(path)).toMatchObject(outside);
    await mkdir(`${allowed}-not`);
    await writeFile(`${allowed}-not/a.txt`, 'neighbour');
    expect(await read(`${allowed}-not/a.txt`)).toMatchObject(outside);
    await expect(
      openAllowedFile(secret, 'attachments.3.path', { allowedDirs: [allowed], maxBytes: 1 }),
    ).rejects.toMatchObject({ violations: [{ field: 'attachments.3.path', code: 'not_allowed' }] });
  });

  test('no allowed folder means no file, and a missing allowed folder allows nothing', async () => {
    expect(await read(join(allowed, 'a.txt'), { allowedDirs: [] })).toMatchObject({
      message: expect.stringContaining('inbox.attachments.allowedDirs'),
    });
    expect(await read(join(allowed, 'a.txt'), { allowedDirs: [join(root, 'gone')] })).toMatchObject(outside);
  });

  test('by a relative path, or one with a NUL, is refused', async () => {
    for (const path of ['a.txt', './a.txt', '~/a.txt', '', '.', `${allowed}/a.txt\u0000.png`])
      expect(await read(path)).toEqual({
        code: 'VALIDATION_FAILED',
        message: 'An attachment path must be absolute.',
      });
  });

  test('a link inside that leads inside is followed, one that leads out is not', async () => {
    await symlink(join(allowed, 'a.txt'), join(allowed, 'sub', 'in'));
    await symlink(secret, join(allowed, 'out'));
    await symlink(root, join(allowed, 'outdir'));
    await symlink(join(allowed, 'loop'), join(allowed, 'loop'));
    expect(await read(join(allowed, 'sub', 'in'))).toEqual({ name: 'a.txt', text: 'inside' });
    for (const name of ['out', 'outdir/secret.txt', 'loop', 'outdir'])
      expect(await read(join(allowed, name))).toMatchObject(outside);
  });

  test('an allowed folder may be a link itself; what it points at is meant', async () => {
    const alias = join(root, 'alias');
    await symlink(allowed, alias);
    expect(await read(join(alias, 'a.txt'), { allowedDirs: [alias] })).toMatchObject({ text: 'inside' });
    expect(await read(join(allowed, 'a.txt'), { allowedDirs: [alias] })).toMatchObject({ text: 'inside' });
    expect(await read(join(alias, 'a.txt'))).toMatchObject({ text: 'inside' });
    expect(await read(join(alias, '..', 'secret.txt'), { allowedDirs: [alias] })).toMatchObject(outside);
  });

  test('a second hard link could be a file of elsewhere', async () => {
    await link(secret, join(allowed, 'hard'));
    await link(join(allowed, 'a.txt'), join(allowed, 'b.txt'));
    for (const name of ['hard', 'b.txt', 'a.txt'])
      expect(await read(join(allowed, name))).toMatchObject({
        message: expect.stringContaining('hard link'),
      });
  });

  test('only regular files: no folder, no pipe, no socket, no device, and nothing hangs', async () => {
    execFileSync('mkfifo', [join(allowed, 'pipe')]);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(allowed, 'sock'), resolve));
    onTestFinished(() => void server.close());
    for (const name of ['sub', 'pipe', 'sock'])
      expect(await read(join(allowed, name))).toMatchObject(refused);
    expect(await read('/dev/zero', { allowedDirs: ['/dev'] })).toMatchObject(refused);
    expect(await read('/proc/self/environ', { allowedDirs: [allowed] })).toMatchObject(outside);
  });

  test.skipIf(process.getuid?.() === 0)('that the hub may not read is refused', async () => {
    await chmod(join(allowed, 'a.txt'), 0o000);
    expect(await read(join(allowed, 'a.txt'))).toMatchObject({
      message: expect.stringContaining('cannot be read'),
    });
  });

  test('over the limit is too large, at the limit it goes', async () => {
    await writeFile(join(allowed, 'big'), 'x'.repeat(11));
    expect(await read(join(allowed, 'big'), { maxBytes: 10 })).toMatchObject({
      code: 'ATTACHMENT_TOO_LARGE_FOR_PLATFORM',
    });
    expect(await read(join(allowed, 'big'), { maxBytes: 11 })).toMatchObject({ name: 'big' });
    await writeFile(join(allowed, 'empty'), '');
    expect(await read(join(allowed, 'empty'))).toEqual({ name: 'empty', text: '' });
  });

  test('what the name is given to after the opening is not read', async () => {
    const path = join(allowed, 'a.txt');
    const file = await openAllowedFile(path, 'f', { allowedDirs: [allowed], maxBytes: 100 });
    onTestFinished(() => file.handle.close());
    await rm(path);
    await symlink(secret, path);
    expect(await file.handle.readFile('utf8')).toBe('inside');
  });

  test('swapping file or folder for a link at any moment never gives a byte from outside', async () => {
    const folder = join(allowed, 'swap');
    const evil = join(root, 'evil');
    await mkdir(folder);
    await mkdir(evil);
    await writeFile(join(folder, 'f'), 'inside');
    await writeFile(join(evil, 'f'), 'secret');
    let over = false;
    const swapping = (async () => {
      while (!over) {
        await rename(folder, join(allowed, 'aside'));
        await symlink(evil, folder);
        await rm(folder);
        await rename(join(allowed, 'aside'), folder);
        const file = join(folder, 'f');
        await rename(file, join(folder, 'aside'));
        await symlink(join(evil, 'f'), file);
        await rm(file);
        await rename(join(folder, 'aside'), file);
      }
    })();
    const seen = new Set<string>();
    for (let round = 0; round < 400; round += 1) {
      const result = await read(join(folder, 'f'));
      seen.add('text' in result ? result.text : result.code);
    }
    over = true;
    await swapping;
    expect(seen.has('secret')).toBe(false);
    expect([...seen].every((one) => one === 'inside' || one === 'VALIDATION_FAILED')).toBe(true);
  });
});
