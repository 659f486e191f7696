import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '@postern/http/mcp';
import { systemClock, systemRandom } from '@postern/kit';
import { type FakeClock, fakeClock } from '@postern/kit/testing';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { bridgeClient } from './client.ts';
import type { BridgeCall } from './connection.ts';
import { BEAT_MS, MAX_MESSAGE_BYTES, SILENCE_MS } from './protocol.ts';
import { type BridgeOptions, openBridge } from './server.ts';

const never = new AbortController().signal;

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bridge-'));
  return () => rm(folder, { recursive: true, force: true });
});

async function open(options: Partial<BridgeOptions> = {}) {
  const bridge = await openBridge({
    folder: join(folder, 'sockets'),
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    handle: async (sessionId, { tool, input }) => ({ ok: true, sessionId, tool, input }),
    ...options,
  });
  onTestFinished(() => bridge.close());
  return bridge;
}

function client(place: { socketPath: string; token: string }, clock = systemClock) {
  const made = bridgeClient({ ...place, clock });
  onTestFinished(() => made.close());
  return made;
}

/** A handler that waits until it is let go or cancelled. */
function waiting() {
  const begun = Promise.withResolvers<void>();
  const cancelled = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<Record<string, unknown>>();
  const handle = (_sessionId: string, _call: BridgeCall, signal: AbortSignal) => {
    begun.resolve();
    signal.addEventListener('abort', () => cancelled.resolve());
    return answer.promise;
  };
  return { handle, begun: begun.promise, cancelled: cancelled.promise, answer: answer.resolve };
}

describe('a call over the bridge', () => {
  test('reaches the bot as the session of its token', async () => {
    const bridge = await open();
    const one = client(bridge.register('s1'));
    const two = client(bridge.register('s2'));
    const call = { tool: 'send_file', input: { path: '/a', 'ü\n': [1, null] } };
    expect(await one.call(call.tool, call.input, never)).toEqual({
      kind: 'answer',
      answer: { ok: true, sessionId: 's1', ...call },
    });
    expect(await two.call(call.tool, call.input, never)).toMatchObject({ answer: { sessionId: 's2' } });
  });

  test('does not wait for others on the same connection', async () => {
    const slow = waiting();
    const bridge = await open({
      handle: (session, call, signal) =>
        call.tool === 'slow' ? slow.handle(session, call, signal) : Promise.resolve({ ok: true }),
    });
    const agent = client(bridge.register('s1'));
    const first = agent.call('slow', {}, never);
    await slow.begun;
    expect(await agent.call('quick', {}, never)).toEqual({ kind: 'answer', answer: { ok: true } });
    slow.answer({ ok: false, reason: 'late' });
    expect(await first).toEqual({ kind: 'answer', answer: { ok: false, reason: 'late' } });
  });

  test('carries megabytes there and back', async () => {
    const bridge = await open();
    const content = 'ü'.repeat(2_000_000);
    const answer = await client(bridge.register('s1')).call('x', { content }, never);
    const echo = { ok: true, sessionId: 's1', tool: 'x', input: { content } };
    expect(JSON.stringify(answer) === JSON.stringify({ kind: 'answer', answer: echo })).toBe(true);
  });

  test('is cancelled in the bot when the caller cancels it', async () => {
    const slow = waiting();
    const bridge = await open({ handle: slow.handle });
    const abort = new AbortController();
    const call = client(bridge.register('s1')).call('slow', {}, abort.signal);
    await slow.begun;
    abort.abort();
    await slow.cancelled;
    expect(await call).toMatchObject({ kind: 'failed', reason: expect.stringContaining('cancelled') });
  });

  test('is cancelled in the bot when its server goes away', async () => {
    const slow = waiting();
    const bridge = await open({ handle: slow.handle });
    const agent = client(bridge.register('s1'));
    const call = agent.call('slow', {}, never);
    await slow.begun;
    agent.close();
    await slow.cancelled;
    expect(await call).toMatchObject({ kind: 'failed' });
  });

  test('is cancelled when the session is revoked, and the next one is refused', async () => {
    const slow = waiting();
    const bridge = await open({ handle: slow.handle });
    const agent = client(bridge.register('s1'));
    const call = agent.call('slow', {}, never);
    await slow.begun;
    bridge.revoke('s1');
    await slow.cancelled;
    expect(await call).toMatchObject({ kind: 'failed' });
    expect(await agent.call('slow', {}, never)).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining('not known'),
    });
  });

  test('fails with a sentence when the handler throws, which keeps to itself what', async () => {
    const bridge = await open({ handle: () => Promise.reject(new Error('secret')) });
    expect(await client(bridge.register('s1')).call('x', {}, never)).toEqual({
      kind: 'failed',
      reason: 'An unexpected error occurred.',
    });
  });

  test('fails when the bot is not there, and works once it is', async () => {
    const bridge = await open();
    const { socketPath, token } = bridge.register('s1');
    await bridge.close();
    const agent = client({ socketPath, token });
    expect(await agent.call('x', {}, never)).toMatchObject({ kind: 'failed' });
    const server = createServer((socket) => {
      socket.on('data', (data) => {
        const isCall = String(data).includes('"call"');
        socket.write(isCall ? '{"type":"answer","id":1,"answer":{"ok":true}}\n' : '{"type":"welcome"}\n');
      });
    });
    await listen(server, socketPath);
    expect(await agent.call('x', {}, never)).toEqual({ kind: 'answer', answer: { ok: true } });
  });

  test('is not sent when it is larger than a message may be', async () => {
    const bridge = await open();
    const answer = await client(bridge.register('s1')).call('x', { a: 'a'.repeat(MAX_MESSAGE_BYTES) }, never);
    expect(answer).toMatchObject({ kind: 'failed', reason: expect.stringContaining('too large') });
  });

  test('is refused when a session calls without end', async () => {
    const bridge = await open({ clock: fakeClock() });
    const agent = client(bridge.register('s1'));
    const answers = [];
    for (let turn = 0; turn < 61; turn += 1) answers.push(await agent.call('x', { turn }, never));
    expect(answers.slice(0, 60).every(({ kind }) => kind === 'answer')).toBe(true);
    expect(answers[60]).toMatchObject({ kind: 'failed', reason: expect.stringContaining('Too many calls') });
    expect(await client(bridge.register('s2')).call('x', {}, never)).toMatchObject({ kind: 'answer' });
  });
});

describe('a pending call', () => {
  async function pending(clock: FakeClock) {
    const slow = waiting();
    const bridge = await open({ handle: slow.handle, clock });
    const agent = client(bridge.register('s1'));
    const next = () => Promise.withResolvers<void>();
    let beat = next();
    const call = agent.call('slow', {}, never, () => {
      const heard = beat;
      beat = next();
      heard.resolve();
    });
    await slow.begun;
    return { slow, call, nextBeat: () => beat.promise };
  }

  test('hears every ten seconds that the bot still waits', async () => {
    const clock = fakeClock();
    const { slow, call, nextBeat } = await pending(clock);
    for (let turn = 0; turn < 3; turn += 1) {
      const beat = nextBeat();
      await clock.advance(BEAT_MS);
      await beat;
    }
    slow.answer({ ok: true });
    expect(await call).toMatchObject({ kind: 'answer' });
  });

  test('is given up when the bot falls silent', async () => {
    const heard = Promise.withResolvers<void>();
    const path = join(folder, 'dead.sock');
    await listen(
      createServer((socket) => {
        socket.write('{"type":"welcome"}\n');
        socket.on('data', (data) => {
          if (String(data).includes('"call"')) heard.resolve();
        });
      }),
      path,
    );
    const clock = fakeClock();
    const agent = client({ socketPath: path, token: 't' }, clock);
    const call = agent.call('slow', {}, never);
    await heard.promise;
    await clock.advance(SILENCE_MS);
    expect(await call).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining('no longer answers'),
    });
  });
});

describe('the socket', () => {
  test('lies in a folder nobody else may enter, and is gone afterwards', async () => {
    const bridge = await open();
    const { socketPath } = bridge.register('s1');
    expect((await stat(join(folder, 'sockets'))).mode & 0o777).toBe(0o700);
    expect((await stat(socketPath)).mode & 0o777).toBe(0o600);
    await bridge.close();
    await expect(stat(socketPath)).rejects.toThrow(/ENOENT/);
  });

  test('has a short path, however deep the data folder lies', async () => {
    const bridge = await open({ folder: join(folder, 'deep'.repeat(20), 'deeper'.repeat(20)) });
    const place = bridge.register('s1');
    expect(Buffer.byteLength(place.socketPath)).toBeLessThan(104);
    expect(await client(place).call('x', {}, never)).toMatchObject({ kind: 'answer' });
  });

  test('is taken away at the next start when its bot was killed', async () => {
    const left = join(folder, 'sockets', 'left.sock');
    await open();
    const script = `require('node:net').createServer().listen(${JSON.stringify(left)}, () => process.kill(process.pid, 'SIGKILL'))`;
    spawnSync(process.execPath, ['--eval', script]);
    expect((await stat(left)).isSocket()).toBe(true);
    await open();
    await expect(stat(left)).rejects.toThrow(/ENOENT/);
  });

  test.each([
    ['an unknown token', { type: 'hello', token: 'guess' }],
    ['a call without a token', { type: 'call', id: 1, tool: 'x', input: {} }],
    ['what is no message', { type: 'boo' }],
    ['a first line without end', { type: 'hello', token: 'x'.repeat(5_000) }],
  ])('cuts off who comes with %s', async (_, message) => {
    let isCalled = false;
    const bridge = await open({
      handle: async () => {
        isCalled = true;
        return { ok: true };
      },
    });
    const { socketPath } = bridge.register('s1');
    expect(await talk(connect(socketPath), `${JSON.stringify(message)}\n`)).toMatch(/"refused"/);
    expect(isCalled).toBe(false);
  });

  test('cuts off who says nothing', async () => {
    const clock = fakeClock();
    const bridge = await open({ clock });
    const socket = connect(bridge.register('s1').socketPath);
    const ended = talk(socket, '');
    await clock.untilSleeping();
    await clock.advance(5_000);
    expect(await ended).toBe('');
  });

  test('forgets the session’s earlier token when it is registered anew', async () => {
    const bridge = await open();
    const before = bridge.register('s1');
    const after = bridge.register('s1');
    expect(await client(before).call('x', {}, never)).toMatchObject({ kind: 'failed' });
    expect(await client(after).call('x', {}, never)).toMatchObject({ kind: 'answer' });
  });
});

async function listen(server: Server, path: string): Promise<void> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
}

/** Says something on a socket and gives all that is said until it is closed. */
async function talk(socket: Socket, text: string): Promise<string> {
  let heard = '';
  socket.on('data', (data) => {
    heard += data;
  });
  socket.on('error', () => {});
  if (text !== '') socket.write(text);
  await new Promise((resolve) => socket.once('close', resolve));
  return heard;
}
