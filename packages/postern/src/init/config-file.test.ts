import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readConfigFile, replaceConfigFile } from './config-file.ts';

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postern-init-'));
  path = join(folder, 'postern.yaml');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const read = () => readConfigFile(path, 'postern.yaml');
const nothing = () => undefined;

test('a file that is not there is made for its owner alone', async () => {
  replaceConfigFile(read(), 'port: 1\n', nothing);
  expect(await readFile(path, 'utf8')).toBe('port: 1\n');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual(['postern.yaml']);
});

test('a link stays a link, and what it leads to is replaced', async () => {
  await mkdir(join(folder, 'elsewhere'));
  await writeFile(join(folder, 'elsewhere/real.yaml'), 'port: 1\n');
  await symlink('elsewhere/real.yaml', path);
  replaceConfigFile(read(), 'port: 2\n', nothing);
  expect(await readFile(join(folder, 'elsewhere/real.yaml'), 'utf8')).toBe('port: 2\n');
  expect(await readdir(folder)).toEqual(['elsewhere', 'postern.yaml']);
});

test('a text that does not pass is never there', async () => {
  await writeFile(path, 'port: 1\n');
  const refuse = () => {
    throw new Error('not good');
  };
  expect(() => replaceConfigFile(read(), 'port: x\n', refuse)).toThrow('not good');
  expect([await readFile(path, 'utf8'), await readdir(folder)]).toEqual(['port: 1\n', ['postern.yaml']]);
});

test('what somebody else has written meanwhile is not lost', async () => {
  await writeFile(path, 'port: 1\n');
  const file = read();
  await writeFile(path, 'port: 3\n');
  expect(() => replaceConfigFile(file, 'port: 2\n', nothing)).toThrow(/changed by somebody else/);
  expect([await readFile(path, 'utf8'), await readdir(folder)]).toEqual(['port: 3\n', ['postern.yaml']]);
});

test('a folder that is not there is told', () => {
  const file = readConfigFile(join(folder, 'none/postern.yaml'), 'none/postern.yaml');
  expect(() => replaceConfigFile(file, '', nothing)).toThrow('none/postern.yaml cannot be written (ENOENT)');
});
