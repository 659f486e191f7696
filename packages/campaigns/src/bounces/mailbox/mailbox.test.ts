import { once } from 'node:events';
import type { fakeClock } from '@postern/kit/testing';
import { describeEngines } from '@postern/store/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type BounceMailboxConfig, campaignsConfigSchema } from '../../config.ts';
import type { CampaignsPorts } from '../../ports.ts';
import { FakeImap, type FakeImapOptions } from '../../testing/fake-imap.ts';
import { bounceBench } from '../testing/bounce-bench.ts';
import { complaint, dsn, lines } from '../testing/reports.ts';
import { createMailboxReader, tryMailbox } from './mailbox-reader.ts';

type Settings = Partial<BounceMailboxConfig>;

async function startImap(options: FakeImapOptions = {}): Promise<FakeImap> {
  const imap = new FakeImap(options);
  await imap.start();
  onTestFinished(() => imap.stop());
  return imap;
}

function settingsFor(imap: FakeImap, settings: Settings = {}): BounceMailboxConfig {
  const mailbox = { host: '127.0.0.1', port: imap.port, tls: 'none', user: 'bounces', password: 'right' };
  const config = campaignsConfigSchema.parse({ bounces: { imap: { ...mailbox, ...settings } } });
  if (config.bounces.imap === undefined) throw new Error('A mailbox was given');
  return config.bounces.imap;
}

function startReader(ports: CampaignsPorts, imap: FakeImap, settings: Settings = {}) {
  const reader = createMailboxReader(ports, settingsFor(imap, settings));
  reader.start();
  onTestFinished(() => reader.stop());
  return reader;
}

/** A bounce as a mail server files it: addressed to nobody but in what the server adds. */
const filed = (to: string, recipient: string) =>
  Buffer.concat([lines('Return-Path: <>', `Delivered-To: ${to}`), dsn(recipient, 'failed', '5.1.1')]);

const LETTER = lines('From: somebody@example.net', 'Subject: Lunch?', '', 'At noon?');

describeEngines('a mailbox with bounces', (engine) => {
  const start = (people?: number) => bounceBench(engine, people);

  test('takes in what is there, oldest first, and marks it; letters stay unread', async () => {
    const { ports, deliveries, suppressions, row } = await start(2);
    const imap = await startImap();
    const [one, two] = deliveries as [(typeof deliveries)[0], (typeof deliveries)[0]];
    imap.deliver(filed(one.to, 'p0@example.org'));
    imap.deliver(LETTER);
    const { message_id } = await row(two.id);
    imap.deliver(complaint(message_id!));
    startReader(ports, imap);
    await expect.poll(suppressions).toHaveLength(2);
    await expect
      .poll(() => imap.box('INBOX').mails.map(({ flags }) => [...flags]))
      .toEqual([['\\Seen'], [], ['\\Seen']]);
    expect((await suppressions()).map(({ reason }) => reason)).toEqual(['hard_bounce', 'complaint']);
  });

  test('takes in what comes, as soon as the server tells', async () => {
    const { ports, first, suppressions } = await start();
    const imap = await startImap();
    const reader = startReader(ports, imap);
    await expect.poll(() => imap.count('IDLE')).toBe(1);
    expect(reader.health()).toEqual({ source: 'bounce_mailbox', status: 'ok' });
    imap.deliver(filed(first.to, 'p0@example.org'));
    await expect.poll(suppressions).toHaveLength(1);
  });

  test('looks again at every poll where the server can not tell', async () => {
    const { ports, clock, first, suppressions } = await start();
    const imap = await startImap({ extensions: [] });
    const reader = startReader(ports, imap, { pollSeconds: 30 });
    await expect.poll(() => reader.health().status).toBe('ok');
    imap.deliver(filed(first.to, 'p0@example.org'));
    await clock.untilSleeping();
    await clock.advance(30_000);
    await expect.poll(suppressions).toHaveLength(1);
    expect(imap.count('IDLE')).toBe(0);
  });

  test('moves reports away where it is told to, and deletes nothing', async () => {
    const { ports, first } = await start();
    const imap = await startImap();
    imap.deliver(filed(first.to, 'p0@example.org'));
    imap.deliver(LETTER);
    startReader(ports, imap, { moveTo: 'Handled', markSeen: false });
    await expect.poll(() => imap.mailboxes.get('Handled')?.mails.length).toBe(1);
    expect(imap.box('INBOX').mails.map(({ raw }) => raw)).toEqual([LETTER]);
    expect(imap.box('Handled').mails[0]?.flags).toEqual(new Set());
  });

  test('moves nothing where that would expunge mails of others', async () => {
    const { ports, log, first, suppressions } = await start();
    const imap = await startImap({ extensions: ['IDLE'] });
    imap.deliver(filed(first.to, 'p0@example.org'));
    startReader(ports, imap, { moveTo: 'Handled' });
    await expect
      .poll(() => log.lines.map(({ message }) => message))
      .toContain('reports could not be moved; they were taken in, and stay');
    expect(await suppressions()).toHaveLength(1);
    expect(imap.box('INBOX').mails).toHaveLength(1);
    expect(imap.count('EXPUNGE') + imap.count('UID EXPUNGE')).toBe(0);
  });

  test('reads on after a restart where it was, and from the start when the UIDs are new ones', async () => {
    const { ports, first } = await start();
    const imap = await startImap();
    imap.deliver(filed(first.to, 'p0@example.org'));
    const before = createMailboxReader(ports, settingsFor(imap));
    before.start();
    await expect.poll(() => before.health().status).toBe('ok');
    await before.stop();
    imap.commands.length = 0;
    const after = startReader(ports, imap);
    await expect.poll(() => after.health().status).toBe('ok');
    expect(imap.count('UID FETCH')).toBe(0);
    imap.commands.length = 0;
    imap.box('INBOX').uidValidity = 2;
    imap.hangUp();
    await expect.poll(() => after.health().status).toBe('down');
    await advanceUntil(ports, () => imap.count('UID FETCH') === 1);
  });

  test('a crash before a message was written down takes it in again, to no effect', async () => {
    const { ports, first, suppressions, events } = await start();
    const imap = await startImap();
    imap.deliver(filed(first.to, 'p0@example.org'));
    imap.faults.set('UID STORE', 'drop');
    const reader = startReader(ports, imap);
    await expect.poll(suppressions).toHaveLength(1);
    await expect.poll(() => reader.health().status).toBe('down');
    imap.faults.clear();
    await advanceUntil(ports, () => reader.health().status === 'ok');
    expect(await events()).toEqual(['delivery.bounced']);
    expect([...(imap.box('INBOX').mails[0]?.flags ?? [])]).toEqual(['\\Seen']);
  });

  test('a report waits while the database does not take it in', async () => {
    const { ports, first, suppressions } = await start();
    const imap = await startImap();
    imap.deliver(filed(first.to, 'p0@example.org'));
    let isDown = true;
    const transaction: typeof ports.store.transaction = (work, options) =>
      isDown ? Promise.reject(new Error('disk full')) : ports.store.transaction(work, options);
    const failing = { ...ports, store: { ...ports.store, transaction } };
    const reader = startReader(failing, imap);
    await expect
      .poll(() => reader.health())
      .toMatchObject({
        status: 'down',
        detail: expect.stringContaining('could not be taken in'),
      });
    expect(imap.box('INBOX').mails[0]?.flags).toEqual(new Set());
    isDown = false;
    await advanceUntil(ports, () => reader.health().status === 'ok');
    expect(await suppressions()).toHaveLength(1);
  });

  // On SQLite there is one process, which the data folder's lock sees to.
  test.runIf(engine === 'postgres')(
    'two processes share a mailbox: one reads, and the other goes on when it stops',
    async () => {
      const bench = await start();
      const imap = await startImap();
      const one = createMailboxReader(bench.ports, settingsFor(imap));
      one.start();
      await expect.poll(() => one.health().status).toBe('ok');
      const { ports } = await bench.again(bench.clock);
      const two = startReader(ports, imap);
      await expect.poll(() => two.health().status).toBe('standby');
      expect(imap.connections).toBe(1);
      await one.stop();
      await advanceUntil(ports, () => two.health().status === 'ok');
      imap.deliver(filed(bench.first.to, 'p0@example.org'));
      await expect.poll(bench.suppressions).toHaveLength(1);
      expect(imap.count('UID FETCH')).toBe(1);
    },
  );
});

describe('a mailbox that can not be read', () => {
  test('says that the password is wrong, and does not try it often', async () => {
    const { ports, clock } = await bounceBench('sqlite');
    const imap = await startImap({ password: 'another' });
    const reader = startReader(ports, imap);
    await expect
      .poll(() => reader.health())
      .toEqual({
        source: 'bounce_mailbox',
        status: 'down',
        detail: 'The mail server refuses the user name or the password; tried again by itself',
      });
    const attempts = () => imap.commands.filter((line) => /^(?:LOGIN|AUTHENTICATE)/.test(line)).length;
    const before = attempts();
    await clock.untilSleeping();
    await clock.advance(120_000);
    expect(attempts()).toBe(before);
    await advanceUntil(ports, () => attempts() > before);
  });

  test('says that there is no such mailbox', async () => {
    const imap = await startImap();
    await expect(tryMailbox(settingsFor(imap, { mailbox: 'Bounces' }))).rejects.toMatchObject({
      name: 'MailboxError',
      fault: 'mailbox',
    });
  });

  test('sends no password where TLS is required and not offered', async () => {
    const imap = await startImap();
    await expect(tryMailbox(settingsFor(imap, { tls: 'starttls' }))).rejects.toMatchObject({ fault: 'tls' });
    expect(imap.commands.join('\n')).not.toMatch(/LOGIN|AUTHENTICATE/);
  });

  test('says that a port speaks no TLS', async () => {
    const imap = await startImap();
    await expect(tryMailbox(settingsFor(imap, { tls: 'implicit' }))).rejects.toMatchObject({ fault: 'tls' });
  });

  test('says that nobody is there', async () => {
    const imap = new FakeImap();
    await imap.start();
    const settings = settingsFor(imap);
    await imap.stop();
    await expect(tryMailbox(settings)).rejects.toMatchObject({ fault: 'unreachable' });
  });

  test('hangs up on a server that stops answering, and comes back', async () => {
    const { ports, first, suppressions } = await bounceBench('sqlite');
    const imap = await startImap();
    imap.deliver(filed(first.to, 'p0@example.org'));
    imap.faults.set('UID FETCH', 'silence');
    const reader = startReader(ports, imap);
    while (imap.count('UID FETCH') === 0) await once(imap, 'command');
    await advanceUntil(ports, () => reader.health().status === 'down');
    imap.faults.clear();
    await advanceUntil(ports, () => reader.health().status === 'ok');
    expect(await suppressions()).toHaveLength(1);
  });
});

/** Lets the time of the readers pass until something holds. */
async function advanceUntil({ clock }: CampaignsPorts, holds: () => boolean): Promise<void> {
  const { advance } = clock as ReturnType<typeof fakeClock>;
  await expect
    .poll(async () => {
      if (!holds()) await advance(10_000);
      return holds();
    })
    .toBe(true);
}
