import { type Clock, systemClock } from '@postern/kit';
import { fakeClock, seededRandom } from '@postern/kit/testing';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type PoolOutcome, type SmtpPool, type SmtpPoolOptions, smtpPool } from '../src/smtp/pool.ts';
import type { RelayOptions } from '../src/smtp/relay.ts';
import type { SmtpSink } from '../src/testing/index.ts';
import { LOCALHOST_CERTIFICATE } from '../src/testing/index.ts';
import { mail, sinkFor } from './smtp-parts.ts';

const relay = (sink: SmtpSink, options: Partial<RelayOptions> = {}): RelayOptions => ({
  host: sink.host,
  port: sink.port,
  tls: 'none',
  ...options,
});

function poolOf(
  relays: readonly RelayOptions[],
  options: Partial<SmtpPoolOptions> & { clock?: Clock } = {},
): SmtpPool {
  const pool = smtpPool({ relays, name: 'client.example', random: seededRandom(1), ...options });
  onTestFinished(() => pool.close());
  return pool;
}

const sendMany = (pool: SmtpPool, count: number, from = 0) =>
  Promise.all(Array.from({ length: count }, (_, n) => pool.send(mail({ to: `p${from + n}@example.com` }))));
const kinds = (outcomes: readonly PoolOutcome[]) =>
  outcomes.map((outcome) => (outcome.kind === 'reply' ? outcome.code : outcome.kind));
const addressees = (...sinks: SmtpSink[]) =>
  sinks.flatMap(({ messages }) => messages.flatMap(({ to }) => to)).sort();
const many = (count: number) => Array.from({ length: count }, (_, n) => `p${n}@example.com`).sort();

/** Polls for something that another process of events brings about. */
const until = (check: () => void) => vi.waitFor(check, { timeout: 5_000, interval: 5 });

describe('a pool', () => {
  test('opens connections as mail comes, up to the limit, and uses them again', async () => {
    const sink = await sinkFor();
    const pool = poolOf([relay(sink, { connections: 3 })], { queue: 100 });
    expect(sink.connections).toBe(0);
    expect(kinds([await pool.send(mail())])).toEqual([250]);
    expect(sink.connections).toBe(1);
    expect(new Set(kinds(await sendMany(pool, 60)))).toEqual(new Set([250]));
    expect(sink.connections).toBe(3);
    expect(addressees(sink)).toEqual(['ada@example.com', ...many(60)]);
    expect(pool.health()).toEqual([
      expect.objectContaining({ state: 'up', connections: 3, pending: 0, lastError: null }),
    ]);
  });

  test('replaces a connection after so many messages, never above the limit', async () => {
    const sink = await sinkFor();
    let most = 0;
    sink.script = () => {
      most = Math.max(most, sink.openConnections);
      return undefined;
    };
    const pool = poolOf([relay(sink, { connections: 1, messagesPerConnection: 5 })], { queue: 100 });
    await sendMany(pool, 20);
    expect(sink.connections).toBe(4);
    expect(most).toBe(1);
    expect(sink.commands.filter((line) => line.includes('QUIT')).length).toBeGreaterThanOrEqual(3);
  });

  test('takes as many messages as it says', async () => {
    const sink = await sinkFor({ script: ({ stage }) => (stage === 'connect' ? { hang: true } : undefined) });
    const pool = poolOf([relay(sink, { connections: 2 })], { queue: 1 });
    expect(pool.free).toBe(5);
    const sends = Array.from({ length: 5 }, () => pool.send(mail()));
    expect(pool.free).toBe(0);
    await expect(pool.send(mail())).rejects.toThrow(RangeError);
    let freed = false;
    const waiting = pool.untilFree().then(() => {
      freed = true;
    });
    expect(freed).toBe(false);
    await pool.close();
    await waiting;
    expect(kinds(await Promise.all(sends))).toEqual(Array(5).fill('unavailable'));
  });

  test('closes connections that have nothing to do', async () => {
    const sink = await sinkFor();
    const clock = fakeClock();
    const pool = poolOf([relay(sink)], { clock, idle: 1_000 });
    await pool.send(mail());
    await clock.untilSleeping();
    await clock.advance(999);
    expect(sink.openConnections).toBe(1);
    await clock.advance(1);
    await until(() => expect(sink.openConnections).toBe(0));
    expect(sink.commands.at(-1)).toContain('QUIT');
    expect(kinds([await pool.send(mail())])).toEqual([250]);
  });

  test('keeps to a rate', async () => {
    const sink = await sinkFor();
    const clock = fakeClock();
    const pool = poolOf([relay(sink, { ratePerSecond: 10, connections: 5 })], {
      clock,
      idle: 1e9,
      queue: 100,
    });
    const sending = sendMany(pool, 10);
    await sink.until(1);
    for (let count = 2; count <= 10; count += 1) {
      await until(() => expect(pool.health()[0]?.pending).toBe(0));
      expect(sink.count).toBe(count - 1);
      await clock.advance(100);
      await sink.until(count);
    }
    expect(kinds(await sending)).toEqual(Array(10).fill(250));
  });

  test('answers for what is on its way when it closes, and for the rest at once', async () => {
    const sink = await sinkFor();
    const pool = poolOf([relay(sink, { connections: 1 })], { queue: 50 });
    await pool.send(mail());
    const sending = sendMany(pool, 30);
    await pool.close();
    const outcomes = await sending;
    expect(kinds(outcomes).filter((kind) => kind === 250)).toHaveLength(2);
    expect(kinds(outcomes).filter((kind) => kind === 'unavailable')).toHaveLength(28);
    expect(sink.count).toBe(3);
    await until(() => expect(sink.openConnections).toBe(0));
    expect(await pool.send(mail())).toMatchObject({ kind: 'unavailable', fault: 'closed' });
  });

  test('refuses to be made without a relay or a name', () => {
    expect(() => smtpPool({ relays: [], name: 'client.example' })).toThrow(TypeError);
    expect(() => poolOf([{ host: 'localhost', port: 25, tls: 'none' }], { name: 'a b' })).toThrow(TypeError);
  });
});

describe('a pool in trouble', () => {
  async function gone(): Promise<RelayOptions> {
    const sink = await sinkFor();
    await sink.close();
    return relay(sink);
  }

  test('counts nothing as sent while no relay can be reached, and recovers by itself', async () => {
    const sink = await sinkFor();
    const { port } = sink;
    await sink.close();
    const clock = fakeClock();
    const pool = poolOf([relay(sink)], { clock });
    const first = await pool.send(mail());
    expect(first).toMatchObject({ kind: 'unavailable', fault: 'unreachable' });
    const waits: number[] = [];
    for (let attempt = 0; attempt < 8; attempt += 1) {
      const outcome = await pool.send(mail());
      if (outcome.kind !== 'unavailable') throw new Error(outcome.kind);
      waits.push(outcome.retryAfterMilliseconds);
      await clock.advance(outcome.retryAfterMilliseconds);
      await pool.send(mail());
    }
    expect(waits.every((wait, index) => index === 0 || wait > waits[index - 1]! / 2)).toBe(true);
    expect(waits[0]).toBeGreaterThanOrEqual(750);
    expect(Math.max(...waits)).toBeLessThanOrEqual(30_000);
    expect(waits.at(-1)).toBeGreaterThan(20_000);
    expect(pool.health()[0]).toMatchObject({ state: 'down', connections: 0, lastFault: 'unreachable' });

    const back = await sinkFor({ port });
    expect(kinds([await pool.send(mail())])).toEqual(['unavailable']);
    await clock.advance(30_000);
    expect(kinds(await sendMany(pool, 5))).toEqual(Array(5).fill(250));
    expect(back.count).toBe(5);
    expect(pool.health()[0]).toMatchObject({ state: 'up', failures: 0, retryAt: null, lastError: null });
  });

  test('tries a relay that was down with one connection at a time', async () => {
    let tries = 0;
    const clock = fakeClock();
    const openStream = () => {
      tries += 1;
      return Promise.reject(new Error('down'));
    };
    const pool = poolOf([{ host: 'relay.example', port: 25, tls: 'none', connections: 5, openStream }], {
      clock,
    });
    await sendMany(pool, 5);
    expect(tries).toBe(5);
    await clock.advance(60_000);
    tries = 0;
    await sendMany(pool, 5);
    expect(tries).toBe(1);
  });

  test('sends by the next relay while one is down, and by the first again when it is back', async () => {
    const first = await sinkFor();
    const { port } = first;
    await first.close();
    const second = await sinkFor();
    const clock = fakeClock();
    const pool = poolOf([relay(first, { id: 'first' }), relay(second, { id: 'second', priority: 1 })], {
      clock,
      idle: 1e9,
    });
    const outcomes = await sendMany(pool, 3);
    expect(outcomes.map((outcome) => 'relay' in outcome && outcome.relay)).toEqual([
      'second',
      'second',
      'second',
    ]);
    const back = await sinkFor({ port });
    await clock.advance(60_000);
    await pool.send(mail());
    await until(() => expect(pool.health()[0]).toMatchObject({ state: 'up', connections: 1 }));
    expect(await pool.send(mail())).toMatchObject({ relay: 'first' });
    expect(back.count).toBe(1);
  });

  test('shares mail among relays of one priority, each to its own limit', async () => {
    const sinks = [await sinkFor({ delay: 2 }), await sinkFor({ delay: 2 })];
    const pool = poolOf(
      sinks.map((sink) => relay(sink, { connections: 2 })),
      { queue: 100 },
    );
    expect(kinds(await sendMany(pool, 60))).toEqual(Array(60).fill(250));
    expect(addressees(...sinks)).toEqual(many(60));
    for (const sink of sinks) {
      expect(sink.count).toBeGreaterThan(10);
      expect(sink.connections).toBe(2);
    }
  });

  test('sends a message again that a connection lost before its DATA, and no other', async () => {
    let drops = 0;
    const sink = await sinkFor({
      script: ({ stage, to }) => {
        if (stage === 'rcpt' && drops < 2) {
          drops += 1;
          return { drop: true };
        }
        return stage === 'dot' && to[0] === 'p7@example.com' ? { drop: true, take: true } : undefined;
      },
    });
    const pool = poolOf([relay(sink, { connections: 1 })], { queue: 50 });
    const outcomes = await sendMany(pool, 10);
    expect(kinds(outcomes)).toEqual(Array.from({ length: 10 }, (_, n) => (n === 7 ? 'lost' : 250)));
    expect(addressees(sink)).toEqual(many(10));
  });

  test('gives a message back that every connection loses', async () => {
    const sink = await sinkFor({ script: ({ stage }) => (stage === 'mail' ? { drop: true } : undefined) });
    const pool = poolOf([relay(sink)]);
    expect(await pool.send(mail())).toMatchObject({ kind: 'lost', stage: 'before_data' });
    expect(sink.connections).toBe(3);
  });

  test('backs off from a server that says 421, and keeps the message', async () => {
    const clock = fakeClock();
    let closing = true;
    const sink = await sinkFor({
      script: ({ stage }) =>
        stage === 'mail' && closing ? { reply: '421 4.7.0 too much', drop: true } : undefined,
    });
    const pool = poolOf([relay(sink)], { clock });
    expect(await pool.send(mail())).toMatchObject({ kind: 'unavailable', fault: 'rejected' });
    expect(sink.connections).toBe(1);
    closing = false;
    await clock.advance(2_000);
    expect(kinds([await pool.send(mail())])).toEqual([250]);
  });

  test('asks beforeMail again before a second MAIL FROM', async () => {
    let drops = 0;
    const sink = await sinkFor({
      script: ({ stage }) => {
        drops += stage === 'rcpt' ? 1 : 0;
        return stage === 'rcpt' && drops === 1 ? { drop: true } : undefined;
      },
    });
    const pool = poolOf([relay(sink)]);
    let asked = 0;
    const beforeMail = () => {
      asked += 1;
      return asked < 2;
    };
    expect(await pool.send(mail({ beforeMail }))).toMatchObject({ kind: 'cancelled' });
    expect(sink.count).toBe(0);
  });

  test('tells wrong credentials and missing TLS from a server that is down', async () => {
    const sink = await sinkFor({ extensions: { auth: { user: 'a', password: 'b' } } });
    const wrong = poolOf([relay(sink, { auth: { user: 'a', password: 'x' } })]);
    expect(await wrong.send(mail())).toMatchObject({ kind: 'unavailable', fault: 'auth' });
    const open = poolOf([relay(sink, { tls: 'required', tlsOptions: { ca: LOCALHOST_CERTIFICATE } })]);
    expect(await open.send(mail())).toMatchObject({ kind: 'unavailable', fault: 'tls' });
    expect(open.health()[0]).toMatchObject({ state: 'down', lastFault: 'tls' });
    const both = poolOf([await gone(), relay(sink, { auth: { user: 'a', password: 'b' }, priority: 1 })]);
    expect(kinds([await both.send(mail())])).toEqual([250]);
  });

  test('gives up connections in the making when it closes', async () => {
    const sink = await sinkFor({ script: ({ stage }) => (stage === 'connect' ? { hang: true } : undefined) });
    const pool = poolOf([relay(sink)]);
    const sending = pool.send(mail());
    await until(() => expect(sink.openConnections).toBe(1));
    await pool.close();
    expect(await sending).toMatchObject({ kind: 'unavailable', fault: 'closed' });
    await until(() => expect(sink.openConnections).toBe(0));
  });

  test('survives a server that is pulled away under load, with every message answered for truly', async () => {
    const sink = await sinkFor();
    const pool = poolOf([relay(sink, { connections: 4 })], { clock: systemClock, queue: 500 });
    const sending = sendMany(pool, 300);
    for (const count of [50, 120, 200]) {
      await sink.until(count);
      sink.dropAll();
    }
    const outcomes = await sending;
    const received = addressees(sink);
    expect(new Set(received).size).toBe(received.length);
    outcomes.forEach((outcome, n) => {
      const there = received.includes(`p${n}@example.com`);
      if (outcome.kind === 'reply') expect(there).toBe(true);
      else if (outcome.kind === 'lost' && outcome.stage === 'before_data') expect(there).toBe(false);
      else expect(outcome).toMatchObject({ kind: 'lost', stage: 'after_dot' });
    });
  });
});
