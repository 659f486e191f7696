import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DataFolderLockedError, lockDataFolder, prepareDataFolder } from '../src/index.ts';
import { startChild } from './children.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postern-lock-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('a second process is refused and told which one is first', async () => {
  const lock = await lockDataFolder(folder);
  expect(await readFile(join(folder, 'postern.pid'), 'utf8')).toBe(`${process.pid}\n`);
  const child = startChild('child-lock.ts', folder);
  expect(await child.line()).toBe(
    `DataFolderLockedError: the data folder ${folder} is in use by process ${process.pid}; stop that first, or use another folder`,
  );
  await lock.release();
  expect(existsSync(join(folder, 'postern.pid'))).toBe(false);
  expect(await startChild('child-lock.ts', folder).line()).toBe('locked');
});

test('the lock of a killed process is free at once', async () => {
  const child = startChild('child-lock.ts', folder);
  expect(await child.line()).toBe('locked');
  const refused = lockDataFolder(folder);
  await expect(refused).rejects.toThrow(DataFolderLockedError);
  await expect(refused).rejects.toMatchObject({ pid: child.pid });
  await child.kill9();
  const lock = await lockDataFolder(folder);
  expect(await readFile(join(folder, 'postern.pid'), 'utf8')).toBe(`${process.pid}\n`);
  await lock.release();
});

test('one process takes a folder once', async () => {
  const lock = await lockDataFolder(folder);
  await expect(lockDataFolder(folder)).rejects.toMatchObject({ pid: process.pid });
  // The refused attempt must not have let go of the first one's lock.
  expect(await startChild('child-lock.ts', folder).line()).toContain('DataFolderLockedError');
  await lock.release();
  await lock.release();
  await (await lockDataFolder(folder)).release();
});

test('an id that was left by a process long gone names nobody', async () => {
  const lock = await lockDataFolder(folder);
  await writeFile(join(folder, 'postern.pid'), '999999999\n');
  await expect(lockDataFolder(folder)).rejects.toMatchObject({ pid: undefined });
  await expect(lockDataFolder(folder)).rejects.toThrow('in use by another process');
  await lock.release();
});

test('a new data folder is for its owner alone, and an old one keeps its mode', async () => {
  const fresh = join(folder, 'deep', 'data');
  expect(await prepareDataFolder(fresh)).toEqual({ openToOthers: false });
  expect((await stat(fresh)).mode & 0o777).toBe(0o700);
  await chmod(fresh, 0o755);
  expect(await prepareDataFolder(fresh)).toEqual({ openToOthers: true });
  expect((await stat(fresh)).mode & 0o777).toBe(0o755);
  await writeFile(join(folder, 'file'), '');
  await expect(prepareDataFolder(join(folder, 'file'))).rejects.toThrow();
});
