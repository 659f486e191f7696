import { createServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { connectSmtp, SmtpConnectError } from '../src/smtp/connect.ts';
import { LOCALHOST_CERTIFICATE, type SinkScript } from '../src/testing/index.ts';
import { mail, optionsFor, sessionWith, sinkFor, throughTo } from './smtp-parts.ts';

const trusted = { ca: LOCALHOST_CERTIFICATE };
const auth = { user: 'tea', password: 'sesame' };

async function failure(connecting: Promise<unknown>): Promise<SmtpConnectError> {
  const error = await connecting.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof SmtpConnectError))
    throw new Error(`expected an SmtpConnectError, got ${String(error)}`);
  return error;
}

describe('connecting', () => {
  test('greets by name and learns what is offered', async () => {
    const sink = await sinkFor({ extensions: { size: 1_000 } });
    const session = await sessionWith(sink);
    expect(sink.commands).toEqual(['1: EHLO client.example']);
    expect(session).toMatchObject({ open: true, secure: false, pending: 0 });
    expect(session.capabilities).toEqual({
      pipelining: true,
      startTls: false,
      smtpUtf8: true,
      eightBitMime: true,
      size: 1_000,
      auth: [],
    });
  });

  test('reads replies that come in single octets', async () => {
    const sink = await sinkFor({ splitReplies: 1 });
    const session = await sessionWith(sink);
    expect(session.capabilities.pipelining).toBe(true);
    expect(await session.send(mail())).toMatchObject({ code: 250, enhanced: '2.0.0', text: 'queued' });
  });

  test('says HELO to a server that knows no EHLO', async () => {
    const script: SinkScript = ({ line }) => (line.startsWith('EHLO') ? '502 5.5.1 what?' : undefined);
    const sink = await sinkFor({ script });
    const session = await sessionWith(sink);
    expect(session.capabilities.pipelining).toBe(false);
    expect(await session.send(mail())).toMatchObject({ kind: 'reply', stage: 'dot', code: 250 });
    expect(sink.commands.slice(0, 2)).toEqual(['1: EHLO client.example', '1: HELO client.example']);
  });

  test('refuses a name that is none', async () => {
    const sink = await sinkFor();
    for (const name of ['', 'a b', 'a\r\nMAIL', 'a'.repeat(256)]) {
      await expect(connectSmtp(optionsFor(sink, { name }))).rejects.toThrow(TypeError);
    }
    await expect(sessionWith(sink, { name: '[127.0.0.1]' })).resolves.toBeDefined();
  });

  test.each([
    ['554 5.7.1 go away', 'rejected', 554],
    ['421 4.3.2 not now', 'rejected', 421],
    ['hello there', 'protocol', undefined],
    [`220 ${'x'.repeat(5_000)}`, 'protocol', undefined],
    [Array.from({ length: 300 }, () => '220-x').join('\r\n'), 'protocol', undefined],
  ])('tells what a greeting of %.20j means', async (reply, fault, code) => {
    const sink = await sinkFor({ script: ({ stage }) => (stage === 'connect' ? { reply } : undefined) });
    const error = await failure(connectSmtp(optionsFor(sink)));
    expect(error.fault).toBe(fault);
    expect(error.reply?.code).toBe(code);
  });

  test('tells that nobody is there, or that they left', async () => {
    const sink = await sinkFor();
    await sink.close();
    expect((await failure(connectSmtp(optionsFor(sink)))).fault).toBe('unreachable');
    const leaving = await sinkFor({ script: ({ stage }) => (stage === 'ehlo' ? { drop: true } : undefined) });
    expect((await failure(connectSmtp(optionsFor(leaving)))).fault).toBe('unreachable');
  });

  test('waits for silent servers only so long', async () => {
    const sink = await sinkFor({
      script: ({ stage }) => (stage === 'connect' ? { silent: true } : undefined),
    });
    const error = await failure(connectSmtp(optionsFor(sink, { timeouts: { greeting: 20 } })));
    expect(error).toMatchObject({ fault: 'unreachable', message: 'No reply to the connection in time' });
    const never = optionsFor(sink, {
      timeouts: { connect: 20 },
      openStream: ({ signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('too late')));
        }),
    });
    expect((await failure(connectSmtp(never))).fault).toBe('unreachable');
  });
});

describe('TLS', () => {
  test('is begun with STARTTLS, and what was said before is forgotten', async () => {
    const sink = await sinkFor({ extensions: { startTls: true } });
    const session = await sessionWith(sink, { tls: 'required', tlsOptions: trusted });
    expect(session.secure).toBe(true);
    expect(session.capabilities.startTls).toBe(false);
    expect(await session.send(mail())).toMatchObject({ code: 250 });
    expect(sink.commands.slice(0, 3)).toEqual([
      '1: EHLO client.example',
      '1: STARTTLS',
      '1: EHLO client.example',
    ]);
  });

  test('is there from the first octet when implicit', async () => {
    const sink = await sinkFor({ implicitTls: true });
    const session = await sessionWith(sink, { tls: 'implicit', tlsOptions: trusted });
    expect(session.secure).toBe(true);
    expect(await session.send(mail())).toMatchObject({ code: 250 });
    expect(sink.commands[0]).toBe('1: EHLO client.example');
  });

  test('discards what was put into the clear stream before it', async () => {
    const injected = '220 go on\r\n250-evil.example\r\n250-AUTH PLAIN\r\n250 SIZE 1\r\n';
    const script: SinkScript = ({ stage }) => (stage === 'starttls' ? { raw: injected } : undefined);
    const sink = await sinkFor({ extensions: { startTls: true }, script });
    const session = await sessionWith(sink, { tls: 'required', tlsOptions: trusted });
    expect(session.capabilities).toMatchObject({ auth: [], size: null });
    expect(await session.send(mail())).toMatchObject({ code: 250, text: 'queued' });
  });

  test.each([
    ['not offered', {}, undefined],
    ['refused', { startTls: true }, ({ stage }) => (stage === 'starttls' ? '454 4.7.0 not now' : undefined)],
    [
      'broken',
      { startTls: true },
      ({ stage }) => (stage === 'starttls' ? { raw: '220 ok\r\n', drop: true } : undefined),
    ],
  ] satisfies [string, object, SinkScript | undefined][])(
    'when required and %s, nothing is sent',
    async (_how, extensions, script) => {
      const sink = await sinkFor({ extensions: { auth, ...extensions }, ...(script ? { script } : {}) });
      const error = await failure(connectSmtp(optionsFor(sink, { tls: 'required', auth })));
      expect(error.fault).toBe('tls');
      expect(sink.commands.join('\n')).not.toMatch(/AUTH|MAIL/);
    },
  );

  test('when required takes no certificate that is not trusted', async () => {
    const sink = await sinkFor({ extensions: { startTls: true } });
    expect((await failure(connectSmtp(optionsFor(sink, { tls: 'required' })))).fault).toBe('tls');
    const implicit = await sinkFor({ implicitTls: true });
    expect((await failure(connectSmtp(optionsFor(implicit, { tls: 'implicit' })))).fault).toBe('tls');
  });

  test('when opportunistic takes any certificate, and goes without where it must', async () => {
    const sink = await sinkFor({ extensions: { startTls: true } });
    expect((await sessionWith(sink, { tls: 'opportunistic' })).secure).toBe(true);
    const without = await sinkFor();
    expect((await sessionWith(without, { tls: 'opportunistic' })).secure).toBe(false);
    const refusing = await sinkFor({
      extensions: { startTls: true },
      script: ({ stage }) => (stage === 'starttls' ? '454 4.7.0 no' : undefined),
    });
    expect((await sessionWith(refusing, { tls: 'opportunistic' })).secure).toBe(false);
    const broken = await sinkFor({
      extensions: { startTls: true },
      script: ({ stage }) => (stage === 'starttls' ? { raw: '220 ok\r\n', drop: true } : undefined),
    });
    const session = await sessionWith(broken, { tls: 'opportunistic' });
    expect(session.secure).toBe(false);
    expect(broken.connections).toBe(2);
    expect(await session.send(mail())).toMatchObject({ code: 250 });
  });

  test('does not hang on a server that says 220 and then nothing', async () => {
    const sink = await sinkFor({
      extensions: { startTls: true },
      script: ({ stage }) => (stage === 'starttls' ? { raw: '220 ok\r\n', hang: true } : undefined),
    });
    const error = await failure(
      connectSmtp(optionsFor(sink, { tls: 'required', timeouts: { command: 30 } })),
    );
    expect(error.fault).toBe('tls');
  });
});

describe('AUTH', () => {
  test.each([['PLAIN LOGIN'], ['LOGIN'], ['CRAM-MD5 LOGIN']])('logs in with %s', async (mechanisms) => {
    const script: SinkScript = ({ stage }) =>
      stage === 'ehlo' ? `250-sink\r\n250 AUTH ${mechanisms}` : undefined;
    const sink = await sinkFor({ extensions: { auth }, script });
    const session = await sessionWith(sink, { auth });
    expect(await session.send(mail())).toMatchObject({ code: 250 });
  });

  test('tells a wrong password from a server that cannot say', async () => {
    const sink = await sinkFor({ extensions: { auth } });
    const wrong = await failure(connectSmtp(optionsFor(sink, { auth: { ...auth, password: 'x' } })));
    expect(wrong).toMatchObject({ fault: 'auth', reply: { code: 535, enhanced: '5.7.8' } });
    expect(wrong.message).not.toContain('sesame');
    sink.script = ({ stage }) => (stage === 'auth' ? '454 4.7.0 temporary failure' : undefined);
    expect((await failure(connectSmtp(optionsFor(sink, { auth })))).fault).toBe('rejected');
    const without = await sinkFor();
    expect((await failure(connectSmtp(optionsFor(without, { auth })))).fault).toBe('auth');
  });

  test('never sends a password in clear beyond this machine', async () => {
    const sink = await sinkFor({ extensions: { auth } });
    for (const tls of ['none', 'opportunistic'] as const) {
      const options = optionsFor(sink, { auth, tls, host: 'mail.example', ...throughTo(sink) });
      expect((await failure(connectSmtp(options))).fault).toBe('auth');
    }
    expect(sink.commands.join('\n')).not.toContain('AUTH');
  });
});

test('a server that speaks another protocol is told from one that is not there', async () => {
  const server = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const { port } = server.address() as { port: number };
  const error = await failure(connectSmtp({ host: '127.0.0.1', port, tls: 'none', name: 'client.example' }));
  expect(error.fault).toBe('protocol');
});
