import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, test } from 'vitest';
import { LAUNCHER, temporaryFolder } from './hub-process.ts';

/** The launcher in an installation of its own, whose command says where it was loaded from. */

const SOURCE = 'packages/postern/src/cli/main.ts';
const OPERATIONS = 'packages/inbox/src/operations';
const CHANGED = 1_700_000_000;
let root: string;
let cache: string;

beforeEach(async () => {
  root = await temporaryFolder();
  cache = join(root, 'xdg');
  for (const folder of ['bin', 'packages/postern/dist', 'packages/postern/src/cli', OPERATIONS]) {
    await mkdir(join(root, folder), { recursive: true });
  }
  await copyFile(LAUNCHER, join(root, 'bin/postern.js'));
  await writeFile(join(root, 'package.json'), '{"type": "module"}');
  await writeFile(join(root, SOURCE), program('sources'));
  await utimes(join(root, SOURCE), CHANGED, CHANGED);
  await writeFile(join(root, OPERATIONS, 'reply.ts'), '');
  await writeFile(join(root, 'packages/postern/dist/main.js'), program('bundle'));
  const size = program('sources').length;
  await made({
    files: [[SOURCE, size, CHANGED]],
    folders: [[OPERATIONS, ['reply.ts']]],
    outputs: ['main.js'],
  });
});

function program(name: string): string {
  return `export const main = async () => { console.log('${name}'); return 0; };\n`;
}

async function made(of: object): Promise<void> {
  await writeFile(join(root, 'packages/postern/dist/made-of.json'), JSON.stringify(of));
}

async function postern(environment: Readonly<Record<string, string>> = {}): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [join(root, 'bin/postern.js'), 'x'], {
    env: { PATH: process.env.PATH ?? '', HOME: root, XDG_CACHE_HOME: cache, ...environment },
  });
  return stdout.trim();
}

describe('the bundle is run', () => {
  test('while the sources are those it was made of', async () => {
    expect(await postern()).toBe('bundle');
  });

  test('also where an archive kept no fractions of seconds', async () => {
    await utimes(join(root, SOURCE), CHANGED + 0.75, CHANGED + 0.75);
    expect(await postern()).toBe('bundle');
  });
});

describe('the sources are run', () => {
  const changes: Readonly<Record<string, () => Promise<unknown>>> = {
    'when one has another length': async () => {
      await writeFile(join(root, SOURCE), `${program('sources')}\n`);
      await utimes(join(root, SOURCE), CHANGED, CHANGED);
    },
    'when one was changed since': () => utimes(join(root, SOURCE), CHANGED + 1, CHANGED + 1),
    'when one is older, as after a look at an old version': () =>
      utimes(join(root, SOURCE), CHANGED - 60, CHANGED - 60),
    'when an operation was added': () => writeFile(join(root, OPERATIONS, 'forward.ts'), ''),
    'when an operation was removed': () => rm(join(root, OPERATIONS, 'reply.ts')),
    'when a file is gone': () =>
      made({ files: [['packages/kit/src/gone.ts', 1, CHANGED]], folders: [], outputs: [] }),
    'when nothing was built': () => rm(join(root, 'packages/postern/dist'), { recursive: true }),
    'when the list is broken': () =>
      writeFile(join(root, 'packages/postern/dist/made-of.json'), '{"files":['),
  };

  test.each(Object.entries(changes))('%s', async (_when, change) => {
    await change();
    expect(await postern()).toBe('sources');
  });
});

describe('what Node compiled is kept', () => {
  const own = () => join(root, '.cache/compile');
  const accounts = () => join(cache, 'postern/compile');
  const entries = async (folder: string) => (existsSync(folder) ? await readdir(folder) : []);

  test('in the installation, for its owner alone', async () => {
    await postern();
    expect(await entries(own())).not.toEqual([]);
    expect((await stat(own())).mode & 0o777).toBe(0o700);
    expect(existsSync(accounts())).toBe(false);
  });

  test.each([[0o777], [0o775]])('elsewhere where others could write (%o)', async (mode) => {
    await mkdir(own(), { recursive: true });
    await chmod(own(), mode);
    expect(await postern()).toBe('bundle');
    expect(await entries(own())).toEqual([]);
    expect(await entries(accounts())).not.toEqual([]);
    expect((await stat(accounts())).mode & 0o777).toBe(0o700);
  });

  test('nowhere when there is no such folder, and the command runs all the same', async () => {
    await writeFile(join(root, '.cache'), '');
    await writeFile(cache, '');
    expect(await postern()).toBe('bundle');
  });

  test('nowhere when Node is told so', async () => {
    await postern({ NODE_DISABLE_COMPILE_CACHE: '1' });
    expect([...(await entries(own())), ...(await entries(accounts()))]).toEqual([]);
  });
});
