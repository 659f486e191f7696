import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { connectSmtp } from '@postern/mail';
import { describeEngines } from '@postern/store/testing';
import { expect, onTestFinished, test } from 'vitest';
import { countsOf, ledgerOf } from '../engine/testing/campaigns.ts';
import { enqueueServiceMail } from '../subscribers/service-mail.ts';
import type { DeliveryState } from '../tables.ts';
import { tokensOf } from '../tokens.ts';
import { takeReport } from './intake.ts';
import { createBounceListener } from './smtp-listener.ts';
import { serveSession } from './smtp-session.ts';
import { bounceBench } from './testing/bounce-bench.ts';
import { complaint, dsn, lines } from './testing/reports.ts';

describeEngines('what comes back', (engine) => {
  const start = (people?: number, state?: DeliveryState) => bounceBench(engine, people, state);

  test('a hard bounce suppresses the address on all lists, once', async () => {
    const { ports, first, suppressions, statuses, row, events } = await start();
    const report = dsn('p0@example.org', 'failed', '5.1.1', 'no such user');
    expect(await takeReport(ports, report, [first.to])).toBe('bounced');
    expect(await takeReport(ports, report, [first.to])).toBe('repeated');
    expect(await suppressions()).toEqual([{ email: 'p0@example.org', reason: 'hard_bounce', source: 'dsn' }]);
    expect(await statuses()).toEqual(['bounced', 'bounced']);
    expect(await row(first.id)).toMatchObject({ state: 'sent', reason: 'hard_bounce' });
    expect(await events()).toEqual(['delivery.bounced']);
  });

  test('delays, automatic replies, and mails of others do nothing', async () => {
    const { ports, first, suppressions, row } = await start();
    expect(await takeReport(ports, dsn('p0@example.org', 'delayed', '4.4.1'), [first.to])).toBe('noted');
    const away = lines(
      'From: p0@example.org',
      'Auto-Submitted: auto-replied',
      'Subject: Away',
      '',
      'I am away',
    );
    expect(await takeReport(ports, away, [first.to])).toBe('noted');
    const forged = first.to.replace(/.@/, 'x@');
    expect(await takeReport(ports, dsn('p0@example.org', 'failed', '5.1.1'), [forged])).toBe('unknown');
    expect(await takeReport(ports, Buffer.from('junk'), ['abuse@example.com'])).toBe('unknown');
    expect(await suppressions()).toEqual([]);
    expect((await row(first.id)).reason).toBeNull();
  });

  test('blame of the sender is noted, and suppresses nobody', async () => {
    const { ports, first, suppressions, row } = await start();
    const report = dsn('p0@example.org', 'failed', '5.7.1', 'blocked by policy');
    expect(await takeReport(ports, report, [first.to])).toBe('bounced');
    expect(await suppressions()).toEqual([]);
    expect((await row(first.id)).reason).toBe('sender_fault');
  });

  test('a complaint suppresses, found by our Message-ID where there is no token', async () => {
    const { ports, first, suppressions, statuses, row, events } = await start();
    const { message_id } = await row(first.id);
    expect(await takeReport(ports, complaint(message_id!, 'not-spam'), ['fbl@example.com'])).toBe('noted');
    expect(await takeReport(ports, complaint(message_id!), ['fbl@example.com'])).toBe('complained');
    expect(await takeReport(ports, complaint(message_id!), ['fbl@example.com'])).toBe('repeated');
    expect(await suppressions()).toEqual([{ email: 'p0@example.org', reason: 'complaint', source: 'arf' }]);
    expect(await statuses()).toEqual(['complained', 'complained']);
    expect(await events()).toEqual(['delivery.complained']);
  });

  test('nobody makes a complaint or a bounce of somebody else out of the mail they got', async () => {
    const { ports, deliveries, suppressions, row } = await start(2);
    const [own, others] = deliveries as [(typeof deliveries)[0], (typeof deliveries)[0]];
    const { message_id } = await row(own.id);
    // Ids that are made together follow each other, so the next one can be told.
    const ofOthers = others.id.slice('dlv_'.length).toLowerCase();
    const forged = [
      `dlv-${ofOthers}@example.com`,
      message_id!.replace(own.id.slice('dlv_'.length).toLowerCase(), ofOthers),
    ];
    for (const messageId of forged) {
      expect(messageId).not.toBe(message_id);
      for (const to of ['abuse@example.com', others.to.replace(/.@/, '!@')]) {
        expect(await takeReport(ports, complaint(messageId), [to])).toBe('unknown');
      }
    }
    expect(await suppressions()).toEqual([]);
  });

  test('five soft bounces in a row suppress; one delivery among them does not', async () => {
    const { ports, first, send, suppressions, row } = await start();
    const { subscriber_id } = await row(first.id);
    const soft = dsn('p0@example.org', 'failed', '5.2.2', 'mailbox full');
    await takeReport(ports, soft, [first.to]);
    for (let round = 2; round <= 4; round += 1) {
      const { to } = await send('p0@example.org', subscriber_id);
      await takeReport(ports, soft, [to]);
    }
    await send('p0@example.org', subscriber_id);
    for (let round = 1; round <= 5; round += 1) {
      expect(await suppressions()).toEqual([]);
      const { to } = await send('p0@example.org', subscriber_id);
      await takeReport(ports, soft, [to]);
    }
    expect(await suppressions()).toEqual([
      { email: 'p0@example.org', reason: 'hard_bounce', source: 'soft_bounces' },
    ]);
  });

  test('soft bounces of single e-mails count as those of campaigns do, and so do their deliveries', async () => {
    const { ports, project, clock, first, send, suppressions, row } = await start();
    const { subscriber_id } = await row(first.id);
    const tokens = tokensOf(ports.installationKey);
    const single = async (isDelivered = false) => {
      clock.set(clock.nowMicroseconds() + 1_000);
      await ports.store.transaction((tx) =>
        enqueueServiceMail(tx, ports, {
          projectId: project.project_id,
          to: 'p0@example.org',
          from: { name: null, email: 'news@example.com' },
          subject: 'Hello',
          html: null,
          text: 'Hello',
          kind: 'confirm',
        }),
      );
      await ports.store.db.updateTable('mail_emails').set({ state: 'sent' }).execute();
      const { email_id } = await ports.store.db
        .selectFrom('mail_emails')
        .select('email_id')
        .orderBy('email_id', 'desc')
        .limit(1)
        .executeTakeFirstOrThrow();
      if (!isDelivered) await takeReport(ports, soft, [`${tokens.bounce(email_id)}@bounce.example.com`]);
    };
    const soft = dsn('p0@example.org', 'failed', '5.2.2', 'mailbox full');
    await takeReport(ports, soft, [first.to]);
    for (let round = 2; round <= 4; round += 1) await single();
    await single(true);
    for (let round = 1; round <= 2; round += 1) {
      await single();
      await takeReport(ports, soft, [(await send('p0@example.org', subscriber_id)).to]);
    }
    expect(await suppressions()).toEqual([]);
    await single();
    expect(await suppressions()).toEqual([
      { email: 'p0@example.org', reason: 'hard_bounce', source: 'soft_bounces' },
    ]);
  });

  test('a bounce tells what became of a mail that was unknown', async () => {
    const { ports, first, row } = await start(1, 'unknown');
    expect(await takeReport(ports, dsn('p0@example.org', 'failed', '5.1.1'), [first.to])).toBe('bounced');
    const after = await row(first.id);
    expect(after).toMatchObject({ state: 'failed', reason: 'hard_bounce' });
    expect(await countsOf(ports, after.campaign_id)).toEqual({ failed: 1 });
    expect((await ledgerOf(ports, after.campaign_id)).size).toBe(1);
  });

  test('the listener takes what is for us, and nothing else', async () => {
    const { ports, first, suppressions } = await start();
    const listener = createBounceListener(ports, { host: '127.0.0.1', port: 0 });
    await listener.start();
    onTestFinished(() => listener.stop());
    const { port } = listener.address()!;
    const session = await connectSmtp({ host: '127.0.0.1', port, tls: 'none', name: 'mx.example.org' });
    const stranger = await session.send({
      from: '',
      to: 'info@bounce.example.com',
      data: lines('Subject: x', '', 'x'),
    });
    expect(stranger).toMatchObject({ kind: 'reply', stage: 'rcpt', code: 550 });
    const data = Buffer.concat([dsn('p0@example.org', 'failed', '5.1.1'), lines('.', '..', 'tail')]);
    expect(await session.send({ from: '', to: first.to.toUpperCase(), data })).toMatchObject({
      kind: 'reply',
      stage: 'dot',
      code: 250,
    });
    expect(await suppressions()).toHaveLength(1);
    const large = Buffer.alloc(11_000_000, 'a');
    expect(await session.send({ from: '', to: first.to, data: large })).toMatchObject({ code: 552 });
    await session.quit();
  });

  test('the listener asks to come again while it can not write', async () => {
    const { ports, first } = await start();
    const broken = {
      ...ports,
      store: { ...ports.store, transaction: () => Promise.reject(new Error('down')) },
    };
    const listener = createBounceListener(broken, { host: '127.0.0.1', port: 0 });
    await listener.start();
    onTestFinished(() => listener.stop());
    const { port } = listener.address()!;
    const session = await connectSmtp({ host: '127.0.0.1', port, tls: 'none', name: 'mx.example.org' });
    const data = dsn('p0@example.org', 'failed', '5.1.1');
    expect(await session.send({ from: '', to: first.to, data })).toMatchObject({ code: 451 });
    session.destroy();
  });

  test.runIf(engine === 'sqlite')('the listener reads a message in whatever pieces it comes', async () => {
    const { ports, first, suppressions } = await start();
    const listener = createBounceListener(ports, { host: '127.0.0.1', port: 0 });
    await listener.start();
    onTestFinished(() => listener.stop());
    const socket = connect({ ...listener.address()!, noDelay: true });
    let said = '';
    socket.on('data', (chunk) => {
      said += chunk.toString();
    });
    const text = `EHLO x\r\nMAIL FROM:<>\r\nRCPT TO:<${first.to}>\r\nDATA\r\n${dsn('p0@example.org', 'failed', '5.1.1')}.\r\nNONSENSE\r\nQUIT\r\n`;
    for (const octet of text) {
      socket.write(octet);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await expect.poll(() => said, { timeout: 10_000 }).toContain('221');
    expect(said).toContain('250 2.0.0 taken');
    expect(said).toContain('500 5.5.2');
    expect(await suppressions()).toHaveLength(1);
    socket.destroy();
  });
});

test('a client that sends next to nothing, but never stops, keeps no place in the listener', async () => {
  const server = createServer((socket) =>
    serveSession(socket, {
      hostName: 'bounce.example.com',
      accepts: () => true,
      take: async () => undefined,
      longestMs: 500,
    }),
  ).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const octets = setInterval(() => socket.write('N'), 20);
  onTestFinished(() => clearInterval(octets));
  let said = '';
  socket.on('data', (chunk) => {
    said += chunk.toString();
  });
  socket.on('error', () => undefined);
  await once(socket, 'close');
  expect(said).toContain('421 4.4.2');
});
