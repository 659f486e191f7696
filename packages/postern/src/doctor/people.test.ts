import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type InboxTables, inboxMigrations } from '@postern/inbox';
import { systemClock } from '@postern/kit';
import { connectStore, migrate } from '@postern/store';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../config/load.ts';
import { checkPeople } from './people.ts';

const TOKEN = 'an.example.token';

/** A data folder whose allowlist holds these, as `source/id`; and what is found there. */
async function examine(settings: object, allowed: readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'postern-doctor-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const store = await connectStore<InboxTables>({ file: join(folder, 'postern.db'), clock: systemClock });
  await migrate(store, inboxMigrations);
  for (const entry of allowed) {
    const [source = '', sender_id = ''] = entry.split('/');
    const row = { source, sender_id, display_name: null, person_id: null, created_us: 1 };
    await store.db.insertInto('inbox_allowlist').values(row).execute();
  }
  await store.close();
  return find(folder, settings);
}

async function find(folder: string, settings: object) {
  await writeFile(join(folder, 'postern.yaml'), JSON.stringify({ dataDir: folder, inbox: settings }));
  return checkPeople(loadConfig({ environment: {}, flags: {}, workingDirectory: folder }).config);
}

describe('doctor, of who may write to the inbox', () => {
  const connectors = { discord: { token: TOKEN } };

  test('says on which platforms nobody is allowed, and how many are on the others', async () => {
    expect(await examine({ connectors }, ['local/anna', 'local/bert'])).toEqual([
      { check: 'local.people', status: 'ok', message: '2 people may write' },
      {
        check: 'discord.people',
        status: 'warning',
        message: 'Nobody is on the allowlist: every message goes to quarantine',
        fix: expect.stringContaining('postern allowlist add discord'),
      },
    ]);
  });

  test('names pairing where it is on', async () => {
    const [local] = await examine({ pairing: 'on' }, []);
    expect(local?.fix).toContain('postern pairing approve');
  });

  test('is silent of platforms that are off', async () => {
    expect(await examine({ connectors: { local: { enabled: false } } }, [])).toEqual([]);
  });

  test('tells of entries that let nobody in', async () => {
    const [, discord] = await examine({ connectors }, ['discord/anna']);
    expect(discord).toMatchObject({ status: 'warning', message: expect.stringContaining('anna is no id') });
  });

  test('takes a database that is not made yet, or not up to date, for an empty one', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'postern-doctor-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    expect(await find(folder, {})).toMatchObject([{ check: 'local.people', status: 'warning' }]);
    const store = await connectStore({ file: join(folder, 'postern.db'), clock: systemClock });
    await store.close();
    expect(await find(folder, {})).toMatchObject([{ check: 'local.people', status: 'warning' }]);
  });

  test('leaves a database that cannot be read to its own check', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'postern-doctor-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, 'postern.db'), 'this is no database at all');
    expect(await find(folder, {})).toEqual([]);
  });
});
