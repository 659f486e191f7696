import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '@postern/kit';
import { expect, onTestFinished, test } from 'vitest';
import { freshFolder } from '../../testing/bench.ts';
import { ChatDb } from '../../testing/fakes/imessage/chat-db.ts';
import { fakeOsascript } from '../../testing/fakes/imessage/osascript-control.ts';
import { checkIMessage } from './check.ts';
import { troubleOf } from './database/trouble.ts';
import { DEFAULT_CHAT_DB, DEFAULT_OSASCRIPT, imessageSettings } from './settings.ts';

const REST = { region: 'US', groups: true, pollMs: 1_000 };

async function mac() {
  const folder = await freshFolder();
  const chatDb = join(folder, 'chat.db');
  const db = new ChatDb(chatDb);
  onTestFinished(() => db.close());
  const osascript = fakeOsascript(folder);
  return { chatDb, osascript, settings: { ...REST, chatDb, osascript: osascript.command } };
}

test('a database that can be read and a Messages that can be asked are well', async () => {
  const { settings } = await mac();
  expect(await checkIMessage(settings, systemClock)).toMatchObject([
    { name: 'full_disk_access', ok: true },
    { name: 'automation', ok: true },
  ]);
});

test('asking sends nothing', async () => {
  const { settings, osascript } = await mac();
  await checkIMessage(settings, systemClock);
  expect(osascript.calls()).toMatchObject([{ values: ['-'] }]);
  expect(osascript.calls()[0]?.script).not.toMatch(/\bsend\b/);
});

test('where Automation is refused, it says where to allow it', async () => {
  const { settings, osascript } = await mac();
  osascript.order('refuse-automation');
  expect(await checkIMessage(settings, systemClock)).toMatchObject([
    {},
    { ok: false, remedy: expect.stringContaining('Automation') },
  ]);
});

test('an osascript that is not there is said', async () => {
  const { settings } = await mac();
  const checks = await checkIMessage({ ...settings, osascript: ['/nowhere/osascript'] }, systemClock);
  expect(checks[1]).toMatchObject({ ok: false, message: expect.stringContaining('/nowhere/osascript') });
});

test('a database that is not there is said, with what makes it', async () => {
  const { settings } = await mac();
  const checks = await checkIMessage({ ...settings, chatDb: '/nowhere/chat.db' }, systemClock);
  expect(checks[0]).toMatchObject({ ok: false, remedy: expect.stringContaining('sign in to iMessage') });
});

test('a file that is no database of Messages is said', async () => {
  const { settings, chatDb } = await mac();
  await writeFile(`${chatDb}.other`, 'just some text, and more of it');
  const checks = await checkIMessage({ ...settings, chatDb: `${chatDb}.other` }, systemClock);
  expect(checks[0]).toMatchObject({ ok: false, message: expect.stringContaining('cannot be read') });
});

test.each([
  [Object.assign(new Error('EPERM: operation not permitted'), { code: 'EPERM' })],
  [Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' })],
  [Object.assign(new Error('authorization denied'), { code: 'ERR_SQLITE_ERROR', errcode: 23 })],
  [Object.assign(new Error('unable to open database file'), { code: 'ERR_SQLITE_ERROR', errcode: 14 })],
])('%s means that Full Disk Access is missing, and how it is granted', (error) => {
  const trouble = troubleOf('/Users/ana/Library/Messages/chat.db', error);
  expect(trouble.kind).toBe('forbidden');
  expect(trouble.message).toMatch(/Full Disk Access.*System Settings, Privacy & Security/);
});

test('without a Mac it is off, and says why', () => {
  const settings = { ...REST, enabled: true, chatDb: DEFAULT_CHAT_DB, osascript: DEFAULT_OSASCRIPT };
  expect(imessageSettings(settings, { platform: 'linux' }).off).toMatch(/needs the Messages app of a Mac/);
  expect(imessageSettings(settings, { platform: 'darwin', home: '/Users/ana' })).toMatchObject({
    off: null,
    settings: { chatDb: '/Users/ana/Library/Messages/chat.db' },
  });
  expect(imessageSettings({ ...settings, enabled: false }, { platform: 'darwin' }).off).not.toBeNull();
  expect(imessageSettings({ ...settings, chatDb: '/data/chat.db' }, { platform: 'linux' }).off).toBeNull();
});
