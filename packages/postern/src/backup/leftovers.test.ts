import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@postern/kit';
import { connectStore, lockDataFolder } from '@postern/store';
import { expect, onTestFinished, test } from 'vitest';
import { removeOldStaging } from './leftovers.ts';
import { writeBackup } from './write.ts';

async function freshFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'postern-leftovers-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

/** What a backup leaves that is killed: its marked folder, and the lock that the system took back. */
async function killedBackup(folder: string, name: string): Promise<string> {
  const path = join(folder, name);
  await mkdir(path, { mode: 0o700 });
  const lock = await lockDataFolder(path);
  await writeFile(join(path, 'postern.db'), 'a copy');
  await lock.release();
  return path;
}

test('a backup removes what killed ones left, and nothing of those at work or of strangers', async () => {
  const folder = await freshFolder();
  const dataDir = join(folder, 'data');
  await mkdir(dataDir);
  const store = await connectStore({ file: join(dataDir, 'postern.db'), clock: systemClock });
  await store.close();
  await killedBackup(folder, '.postern-backup-aB3dE6');
  const atWork = await lockDataFolder(await killedBackup(folder, '.postern-backup-atWork'));
  onTestFinished(() => atWork.release());
  await mkdir(join(folder, '.postern-backup-noMark'));
  await mkdir(join(folder, '.postern-backup-of-mine'));
  await writeFile(join(folder, '.postern-backup-aFile1'), 'x');
  const target = join(folder, 'saved.tgz');
  await writeBackup({ dataDir, target, engine: 'sqlite', clock: systemClock });
  expect((await readdir(folder)).sort()).toEqual([
    '.postern-backup-aFile1',
    '.postern-backup-atWork',
    '.postern-backup-noMark',
    '.postern-backup-of-mine',
    'data',
    'saved.tgz',
  ]);
});

test('what restores unpacked that did not end is removed, and nothing else', async () => {
  const folder = await freshFolder();
  for (const name of ['.restoring-12', '.restoring-notes', 'replaced-1', 'blobs']) {
    await mkdir(join(folder, name, 'secrets'), { recursive: true });
  }
  await removeOldStaging(folder);
  expect((await readdir(folder)).sort()).toEqual(['.restoring-notes', 'blobs', 'replaced-1']);
});
