import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { smtpPool } from '../src/smtp/pool.ts';
import { startSinkProcess } from '../src/testing/index.ts';
import { mail, sessionWith, sinkFor } from './smtp-parts.ts';

test('the sink keeps the newest messages with their octets, and all envelopes', async () => {
  const sink = await sinkFor({ keep: 2 });
  const session = await sessionWith(sink);
  for (let n = 0; n < 4; n += 1) await session.send(mail({ to: `p${n}@example.com` }));
  expect(sink.messages.map(({ data }) => data.length > 0)).toEqual([false, false, true, true]);
  expect(sink.messages.map(({ to }) => to[0])).toEqual([0, 1, 2, 3].map((n) => `p${n}@example.com`));
  expect(sink.count).toBe(4);
  const bare = await sinkFor({ keep: 0 });
  await (await sessionWith(bare)).send(mail());
  expect(bare.messages[0]?.data.length).toBe(0);
  expect(bare.octets).toBeGreaterThan(0);
});

test('the sink reads a conversation cut anywhere, and answers what is out of order', async () => {
  const talk =
    'EHLO x\r\nRCPT TO:<a@b.c>\r\nDATA\r\nMAIL FROM:<a@b.c>\r\nMAIL FROM:<a@b.c>\r\nRCPT TO:<d@e.f>\r\nDATA\r\n' +
    '..\r\nx\r\n.\r\nNOOP\r\nWHAT\r\nMAIL FROM:<a@b.c>\r\nRSET\r\nQUIT\r\n';
  const sink = await sinkFor();
  for (const step of [1, 2, 3, 7, talk.length]) {
    const socket = connect({ host: sink.host, port: sink.port, noDelay: true });
    let heard = '';
    socket.on('data', (chunk: Buffer) => {
      heard += chunk.toString();
    });
    const ended = new Promise((resolve) => socket.once('close', resolve));
    for (let at = 0; at < talk.length; at += step) {
      await new Promise<void>((resolve) => socket.write(talk.slice(at, at + step), () => resolve()));
    }
    await ended;
    const codes = heard
      .split('\r\n')
      .flatMap((line) => (/^\d{3} /.test(line) ? [Number(line.slice(0, 3))] : []));
    expect(codes).toEqual([220, 250, 503, 503, 250, 503, 250, 354, 250, 250, 500, 250, 250, 221]);
    expect(sink.messages.at(-1)?.data.toString()).toBe('.\r\nx\r\n');
  }
  expect(sink.count).toBe(5);
});

test('the sink runs in a process of its own', async () => {
  const sink = await startSinkProcess({ keep: 0, delay: 1 });
  onTestFinished(() => sink.close());
  const pool = smtpPool({
    relays: [{ host: sink.host, port: sink.port, tls: 'none' }],
    name: 'client.example',
  });
  const all = sink.until(3);
  await Promise.all([0, 1, 2].map((n) => pool.send(mail({ to: `p${n}@example.com` }))));
  await all;
  expect(await sink.count()).toBe(3);
  expect((await sink.recipients()).sort()).toEqual(['p0@example.com', 'p1@example.com', 'p2@example.com']);
  expect(await sink.octets()).toBeGreaterThan(0);
  expect(await sink.connections()).toBe(3);
  await pool.close();
  await sink.close();
  await expect(sink.count()).rejects.toThrow('has ended');
});
