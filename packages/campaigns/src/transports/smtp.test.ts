import { systemClock, systemRandom } from '@postern/kit';
import { type SinkOptions, startSmtpSink } from '@postern/mail/testing';
import { expect, onTestFinished, test } from 'vitest';
import { campaignsConfigSchema } from '../config.ts';
import type { OutgoingMail } from '../engine/ports.ts';
import type { CampaignsPorts } from '../ports.ts';
import { ehloName, isLoopbackRelay, relayOptions } from './relay-address.ts';
import { smtpTransport } from './smtp.ts';

const mail: OutgoingMail = {
  from: 'b1@example.com',
  to: 'ada@example.org',
  bytes: Buffer.from('Subject: Hello\r\n\r\nHello\r\n'),
  messageId: 'a@example.com',
  subject: 'Hello',
  smtpUtf8: false,
};
const yes = { beforeMail: async () => true, beforeEnd: async () => true };
const never = () => new AbortController().signal;

async function start(options: SinkOptions = {}, url?: (port: number) => string) {
  const sink = await startSmtpSink(options);
  const config = campaignsConfigSchema.parse({
    smtp: [{ url: url?.(sink.port) ?? `smtp://127.0.0.1:${sink.port}` }],
    engine: { connections: 2 },
  });
  const ports = {
    config,
    clock: systemClock,
    random: systemRandom,
    publicUrl: () => 'https://mail.example.com',
  } as CampaignsPorts;
  const transport = smtpTransport(ports);
  onTestFinished(async () => {
    await sink.close();
    await transport.close();
  });
  return { sink, transport };
}

test('a mail is sent, and its reply told', async () => {
  const { sink, transport } = await start();
  expect(await transport.send(mail, yes, never())).toEqual({
    kind: 'accepted',
    reply: { code: 250, enhanced: '2.0.0', text: 'queued' },
  });
  expect(sink.messages[0]!.data).toEqual(Buffer.from(mail.bytes));
  expect(sink.commands[0]).toContain('EHLO mail.example.com');
});

test('a refusal tells its stage', async () => {
  const { sink, transport } = await start();
  sink.script = ({ stage }) => (stage === 'rcpt' ? '550 5.1.1 unknown' : undefined);
  expect(await transport.send(mail, yes, never())).toMatchObject({ kind: 'refused', stage: 'rcpt' });
  sink.script = ({ stage }) => (stage === 'dot' ? '554 5.7.1 no' : undefined);
  expect(await transport.send(mail, yes, never())).toMatchObject({ kind: 'refused', stage: 'dot' });
});

test('a hook that says no keeps the mail from being accepted', async () => {
  const { sink, transport } = await start();
  const no = async () => false;
  expect(await transport.send(mail, { ...yes, beforeMail: no }, never())).toEqual({ kind: 'held' });
  expect(sink.commands.join()).not.toContain('MAIL');
  expect(await transport.send(mail, { ...yes, beforeEnd: no }, never())).toEqual({ kind: 'held' });
  const fails = async () => {
    throw new Error('no database');
  };
  expect(await transport.send(mail, { ...yes, beforeEnd: fails }, never())).toEqual({ kind: 'held' });
  expect(sink.count).toBe(0);
});

test('a loss before the end is no attempt; one after it leaves the mail unknown', async () => {
  const { sink, transport } = await start();
  sink.script = ({ stage }) => (stage === 'body' ? { drop: true } : undefined);
  const forever = () => new Promise<boolean>(() => undefined);
  const cut = await transport.send(mail, { ...yes, beforeEnd: forever }, never());
  expect(cut).toMatchObject({ kind: 'interrupted' });
  sink.script = ({ stage }) => (stage === 'dot' ? { drop: true } : undefined);
  expect(await transport.send(mail, yes, never())).toMatchObject({ kind: 'unknown' });
});

test('a relay that is away, or wants other credentials, is told apart', async () => {
  const { sink, transport } = await start();
  await sink.close();
  expect(await transport.send(mail, yes, never())).toMatchObject({ kind: 'unreachable' });
  const wrong = await start(
    { extensions: { auth: { user: 'u', password: 'right' } } },
    (port) => `smtp://u:wrong@127.0.0.1:${port}`,
  );
  expect(await wrong.transport.send(mail, yes, never())).toMatchObject({ kind: 'misconfigured' });
});

test('what needs SMTPUTF8 is not sent where it is not offered', async () => {
  const { transport } = await start({ extensions: { smtpUtf8: false } });
  expect(await transport.send({ ...mail, to: 'adä@example.org' }, yes, never())).toMatchObject({
    kind: 'unsupported',
    what: 'smtputf8',
  });
});

test('a stop that waits no longer leaves a mail without an answer unknown', async () => {
  const { sink, transport } = await start();
  const abort = new AbortController();
  sink.script = ({ stage }) => {
    if (stage !== 'dot') return undefined;
    setImmediate(() => abort.abort());
    return { silent: true };
  };
  expect(await transport.send(mail, yes, abort.signal)).toMatchObject({ kind: 'unknown' });
});

test('a mail given up while its mark is being written does not leave', async () => {
  const { sink, transport } = await start();
  const abort = new AbortController();
  const beforeEnd = async () => {
    abort.abort();
    return true;
  };
  expect(await transport.send(mail, { ...yes, beforeEnd }, abort.signal)).toEqual({ kind: 'held' });
  await transport.close();
  expect(sink.count).toBe(0);
});

test('addresses of relays are read', () => {
  const options = (url: string, tls: 'none' | 'opportunistic' = 'opportunistic') =>
    relayOptions({ url, tls }, 0, 10);
  expect(options('smtps://u%40x:p%3A1@mx.example.com')).toMatchObject({
    host: 'mx.example.com',
    port: 465,
    tls: 'implicit',
    auth: { user: 'u@x', password: 'p:1' },
  });
  expect(options('smtp://u:p@mx.example.com').port).toBe(587);
  expect(options('smtp://[::1]')).toMatchObject({ host: '::1', port: 25, connections: 10 });
  expect(() => options('http://mx.example.com')).toThrow('smtp://');
  expect(ehloName(undefined, 'http://127.0.0.1:8080')).toBe('[127.0.0.1]');
  expect(ehloName(undefined, 'http://[::1]:8080')).toBe('[IPv6:::1]');
  expect(ehloName('bounces.example.com', 'http://x.example')).toBe('bounces.example.com');
  expect(isLoopbackRelay({ url: 'smtp://127.0.0.1:2525' })).toBe(true);
  expect(isLoopbackRelay({ url: 'smtp://mx.example.com' })).toBe(false);
});
