import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { eventually, type RunningHub, run, startHub, temporaryFolder } from './hub-process.ts';

const TIMEOUT = 90_000;
const FILE = Buffer.from('a drawing of a gate');

/** A hub in which Anna was let in and wrote, with a file. */
async function hubWithMessage(folder: string): Promise<RunningHub> {
  const hub = await startHub({ folder });
  await hub.request('/allowlist/local/anna', { method: 'PUT', body: {} });
  await hub.request('/local/api/channels', { method: 'POST', body: { name: 'desk', type: 'group' } });
  const body = {
    channel_id: 'local:desk',
    user: { id: 'anna', name: 'Anna' },
    text: 'see the gate',
    attachments: [{ name: 'gate.txt', mime: 'text/plain', data: FILE.toString('base64') }],
  };
  expect((await hub.request('/local/api/messages', { method: 'POST', body })).status).toBe(201);
  expect(await unreadTexts(hub)).toEqual(['see the gate']);
  return hub;
}

function unreadTexts(hub: RunningHub): Promise<string[]> {
  return eventually(async () => {
    const { body } = await hub.request('/messages/unread', { as: 'agent' });
    const messages = body.messages as { text: string }[];
    return messages.length > 0 && messages.map((message) => message.text);
  });
}

async function stop(hub: RunningHub): Promise<void> {
  hub.child.kill('SIGTERM');
  expect((await hub.ended).code).toBe(0);
}

test('a backup of a running server restores into an empty folder, secrets and attachments with it', {
  timeout: TIMEOUT,
}, async () => {
  const folder = await temporaryFolder();
  const hub = await hubWithMessage(folder);
  const archive = join(folder, 'saved.tgz');
  const record = '{"seq":1}\n';
  await mkdir(join(hub.dataDir, 'audit'), { mode: 0o700 });
  await writeFile(join(hub.dataDir, 'audit/office.jsonl'), record, { mode: 0o600 });
  await writeFile(join(hub.dataDir, 'audit/office.lock'), '');
  const saved = await run({ folder, args: ['backup', 'saved.tgz'] });
  expect([saved.code, saved.stderr]).toEqual([0, '']);
  expect((await stat(archive)).mode & 0o777).toBe(0o600);
  expect((await readdir(folder)).sort()).toEqual(['data', 'saved.tgz']);
  const secrets = await readFile(join(hub.dataDir, 'secrets/admin-key'), 'utf8');
  await stop(hub);

  const elsewhere = await temporaryFolder();
  const restored = await run({ folder: elsewhere, args: ['restore', archive] });
  expect([restored.code, restored.stderr]).toEqual([0, '']);
  expect(await readdir(join(elsewhere, 'data/audit'))).toEqual(['office.jsonl']);
  expect(await readFile(join(elsewhere, 'data/audit/office.jsonl'), 'utf8')).toBe(record);
  const again = await startHub({ folder: elsewhere });
  expect(await readFile(join(again.dataDir, 'secrets/admin-key'), 'utf8')).toBe(secrets);
  expect(await unreadTexts(again)).toEqual(['see the gate']);
  const { body } = await again.request('/messages/unread', { as: 'agent' });
  const [{ attachments }] = body.messages as [{ attachments: [{ id: string }] }];
  const bytes = await again.request(`/attachments/${attachments[0].id}`, { as: 'agent' });
  expect(bytes.body.text).toBe(FILE.toString());
});

test('a restore needs the server stopped, and force over what is there, which it keeps', {
  timeout: TIMEOUT,
}, async () => {
  const folder = await temporaryFolder();
  const hub = await hubWithMessage(folder);
  expect((await run({ folder, args: ['backup', 'saved.tgz'] })).code).toBe(0);
  const exists = await run({ folder, args: ['backup', 'saved.tgz'] });
  expect([exists.code, exists.stderr]).toEqual([1, expect.stringContaining('--force')]);
  const running = await run({ folder, args: ['restore', 'saved.tgz', '--force'] });
  expect([running.code, running.stderr]).toEqual([1, expect.stringContaining(`process ${hub.pid}`)]);
  await hub.request('/allowlist/local/bert', { method: 'PUT', body: {} });
  await stop(hub);

  const unforced = await run({ folder, args: ['restore', 'saved.tgz'] });
  expect([unforced.code, unforced.stderr]).toEqual([1, expect.stringContaining('not empty')]);
  const forced = await run({ folder, args: ['restore', 'saved.tgz', '--force'] });
  expect([forced.code, forced.stderr]).toEqual([0, '']);
  const [aside = ''] = (await readdir(hub.dataDir)).filter((name) => name.startsWith('replaced-'));
  expect(existsSync(join(hub.dataDir, aside, 'postern.db'))).toBe(true);
  const again = await startHub({ folder });
  const { body } = await again.request('/allowlist');
  expect((body.entries as { sender_id: string }[]).map((entry) => entry.sender_id)).toEqual(['anna']);
});

test('a damaged, cut or strange archive is refused, and the folder stays as it was', {
  timeout: TIMEOUT,
}, async () => {
  const folder = await temporaryFolder();
  await stop(await hubWithMessage(folder));
  expect((await run({ folder, args: ['backup', 'good.tgz'] })).code).toBe(0);
  const good = await readFile(join(folder, 'good.tgz'));
  const tar = gunzipSync(good);

  const flipped = Buffer.from(tar);
  const place = flipped.indexOf('see the gate');
  flipped.write('SEE', place);
  await writeFile(join(folder, 'flipped.tgz'), gzipSync(flipped));
  await writeFile(join(folder, 'cut.tgz'), good);
  await truncate(join(folder, 'cut.tgz'), Math.floor(good.length / 2));
  await writeFile(join(folder, 'empty.tgz'), gzipSync(Buffer.alloc(1024)));
  await writeFile(join(folder, 'text.tgz'), 'no archive at all');
  const climbing = Buffer.from(tar);
  climbing.write('../../outside'.padEnd(100, '\0'), 0);
  await writeFile(join(folder, 'climbing.tgz'), gzipSync(withChecksum(climbing)));

  const before = await fingerprint(join(folder, 'data'));
  for (const name of ['flipped', 'cut', 'empty', 'text', 'climbing', 'absent']) {
    const refused = await run({ folder, args: ['restore', `${name}.tgz`, '--force'] });
    expect([name, refused.code, refused.stderr.trim().split('\n')]).toEqual([
      name,
      1,
      [expect.stringMatching(/^postern: .*(damaged|cannot be read|no manifest|does not exist)/)],
    ]);
  }
  expect(await fingerprint(join(folder, 'data'))).toEqual(before);
  expect(existsSync(join(folder, '..', 'outside'))).toBe(false);
});

test('a restore that was cut short stops the next start', { timeout: TIMEOUT }, async () => {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'data'), { mode: 0o700 });
  await writeFile(join(folder, 'data/restore.unfinished'), '');
  const refused = await run({ folder, args: ['serve'] });
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('cut short')]);
});

/** The first header's checksum made right again. */
function withChecksum(tar: Buffer): Buffer {
  tar.fill(' ', 148, 156);
  const sum = tar.subarray(0, 512).reduce((total, byte) => total + byte, 0);
  tar.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return tar;
}

/** Names and contents of what counts. */
async function fingerprint(folder: string): Promise<[string, string][]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !/^lock|-shm$|-wal$/.test(entry.name));
  const rows = files.map(async (entry): Promise<[string, string]> => {
    const path = join(entry.parentPath, entry.name);
    return [
      path,
      createHash('sha256')
        .update(await readFile(path))
        .digest('hex'),
    ];
  });
  return (await Promise.all(rows)).sort();
}

test('a backup that cannot be written is refused in one line', { timeout: TIMEOUT }, async () => {
  const folder = await temporaryFolder();
  const hub = await hubWithMessage(folder);
  await mkdir(join(folder, 'taken/by'), { recursive: true });
  for (const args of [['nowhere/saved.tgz'], ['taken', '--force']]) {
    const { code, stderr } = await run({ folder, args: ['backup', ...args] });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^postern: \S+ cannot be written: [^\n]+\n$/)]);
  }
  expect((await readdir(folder)).sort()).toEqual(['data', 'taken']);
  await stop(hub);
});
