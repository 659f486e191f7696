import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { describeEngines, freshStore } from '../src/testing/index.ts';
import { startChild } from './children.ts';

const patience = { timeout: 15_000, interval: 20 };

describeEngines('a process killed in a transaction', (engine) => {
  test('leaves what it committed, nothing else, and nobody in the way', async () => {
    const { store, place } = await freshStore(engine);
    const child = startChild('child-writer.ts', place);
    expect(await child.line()).toBe('open');
    await child.kill9();
    const rows = await store.db.selectFrom('settings').select('key').execute();
    expect(rows).toEqual([{ key: 'committed' }]);
    await store.transaction(async (tx) => {
      await tx.insertInto('settings').values({ key: 'open', value: 'free again' }).execute();
    });
  });

  test('made others wait meanwhile, without blocking them', async () => {
    const { store, place } = await freshStore(engine);
    const child = startChild('child-writer.ts', place);
    expect(await child.line()).toBe('open');
    let isWritten = false;
    const writing = store.db
      .insertInto('settings')
      .values({ key: 'open', value: 'second' })
      .execute()
      .then(() => {
        isWritten = true;
      });
    // On a blocked event loop this would not get its turn.
    await new Promise((resolve) => setImmediate(resolve));
    expect(isWritten).toBe(false);
    await child.kill9();
    await writing;
  });
});

test('SQLite has the disk sync what is committed, checks references and keeps others out', async () => {
  const { store, place } = await freshStore('sqlite');
  const pragma = async (name: string) => {
    const { rows } = await sql<Record<string, unknown>>`${sql.raw(`PRAGMA ${name}`)}`.execute(store.db);
    return Object.values(rows[0] ?? {})[0];
  };
  expect(await pragma('journal_mode')).toBe('wal');
  expect(await pragma('synchronous')).toBe(2);
  expect(await pragma('foreign_keys')).toBe(1);
  const file = 'file' in place ? place.file : '';
  for (const suffix of ['', '-wal', '-shm']) expect((await stat(file + suffix)).mode & 0o777).toBe(0o600);
});

test('a backup is whole although the database is being written to', async () => {
  const { store } = await freshStore('sqlite');
  const folder = await mkdtemp(join(tmpdir(), 'postern-backup-'));
  const target = join(folder, 'copy.sqlite');
  try {
    const put = (key: string) =>
      store.db
        .insertInto('settings')
        .values({ key, value: 'x'.repeat(5_000) })
        .execute();
    for (let count = 0; count < 200; count += 1) await put(`before ${count}`);
    const copying = store.backup(target);
    const open = store.transaction(async (tx) => {
      await tx.insertInto('settings').values({ key: 'open', value: '' }).execute();
      await copying;
    });
    await open;
    await put('after');
    const copy = new DatabaseSync(target, { readOnly: true });
    const keys = copy
      .prepare('SELECT key FROM settings')
      .all()
      .map((row) => String(row.key));
    expect(keys.filter((key) => key.startsWith('before'))).toHaveLength(200);
    expect(keys).not.toContain('open');
    expect(keys).not.toContain('after');
    expect(copy.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
    copy.close();
    expect((await stat(target)).mode & 0o777).toBe(0o600);
    // Neither an old copy nor anything else is written over, and a failure leaves nothing.
    await expect(store.backup(target)).rejects.toThrow('exists already');
    await expect(store.backup(join(folder, 'missing', 'copy.sqlite'))).rejects.toThrow();
    expect(await readdir(folder)).toEqual(['copy.sqlite']);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('PostgreSQL says that backups are its own business', async () => {
  const { store } = await freshStore('postgres');
  await expect(store.backup('/nowhere')).rejects.toThrow('pg_dump');
});

test('the private PostgreSQL goes away with the process that started it', async () => {
  const child = startChild('child-postgres.ts');
  const port = Number(new URL(await child.line()).port);
  expect(await answers(port)).toBe(true);
  await child.kill9();
  await expect.poll(() => answers(port), patience).toBe(false);
});

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
