import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeImap } from '@postern/campaigns/testing';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../config/load.ts';
import { checkBounces } from './bounces.ts';

async function examine(settings: object) {
  const folder = await mkdtemp(join(tmpdir(), 'postern-doctor-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const imap = { user: 'bounces', password: 'right', host: '127.0.0.1', tls: 'none', ...settings };
  await writeFile(join(folder, 'postern.yaml'), JSON.stringify({ campaigns: { bounces: { imap } } }));
  return checkBounces(loadConfig({ environment: {}, flags: {}, workingDirectory: folder }).config);
}

test('the mailbox with bounces is opened, and what is wrong with it is told', async () => {
  const imap = new FakeImap();
  await imap.start();
  onTestFinished(() => imap.stop());
  const { port } = imap;
  const check = 'campaigns.bounces.imap';
  expect(await examine({ port })).toEqual([{ check, status: 'ok', message: 'INBOX on 127.0.0.1' }]);
  expect(await examine({ port, password: 'wrong' })).toMatchObject([
    { check, status: 'failed', message: 'The mail server refuses the user name or the password' },
  ]);
  expect(await examine({ port, mailbox: 'Nowhere' })).toMatchObject([
    { check, status: 'failed', message: expect.stringContaining('no such mailbox') },
  ]);
  expect(await examine({ port, tls: 'starttls' })).toMatchObject([
    { check, status: 'failed', message: expect.stringContaining('STARTTLS') },
  ]);
});

test('a password that goes through a network in the clear is warned of', async () => {
  expect(await examine({ host: 'mail.invalid' })).toMatchObject([
    { status: 'failed', message: 'The mail server cannot be reached' },
    { status: 'warning', message: expect.stringContaining('for everyone on the way to read') },
  ]);
});
