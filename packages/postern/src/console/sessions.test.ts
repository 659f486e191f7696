import { fakeClock, seededRandom } from '@postern/kit/testing';
import { describeEngines, freshStore } from '@postern/store/testing';
import { expect, test } from 'vitest';
import { consoleMigrations } from './migrations.ts';
import {
  createLoginToken,
  endSession,
  isSession,
  LINK_MINUTES,
  redeemLoginToken,
  SESSION_DAYS,
} from './sessions.ts';
import type { ConsoleTables } from './tables.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

describeEngines('sessions', (engine) => {
  async function setUp() {
    const clock = fakeClock(1_800_000_000_000_000);
    const { store } = await freshStore<ConsoleTables>(engine, { migrations: consoleMigrations, clock });
    return { store, clock, random: seededRandom(7) };
  }

  test('a link opens one session, once', async () => {
    const ports = await setUp();
    const { token } = await createLoginToken(ports);
    const session = await redeemLoginToken(ports, token);
    expect(session !== null && (await isSession(ports, session))).toBe(true);
    expect(await redeemLoginToken(ports, token)).toBeNull();
    expect(await isSession(ports, 'pst_session_made-up')).toBe(false);
  });

  test('of two browsers that open a link at the same time, one gets in', async () => {
    const ports = await setUp();
    const { token } = await createLoginToken(ports);
    const sessions = await Promise.all([redeemLoginToken(ports, token), redeemLoginToken(ports, token)]);
    expect(sessions.filter((session) => session !== null)).toHaveLength(1);
  });

  test('a link ends after its time', async () => {
    const ports = await setUp();
    const { token } = await createLoginToken(ports);
    ports.clock.advance(LINK_MINUTES * MINUTE_MS);
    expect(await redeemLoginToken(ports, token)).toBeNull();
  });

  test('a session ends after its time, or when it is ended', async () => {
    const ports = await setUp();
    const open = async () => (await redeemLoginToken(ports, (await createLoginToken(ports)).token)) ?? '';
    const ended = await open();
    const kept = await open();
    await endSession(ports, ended);
    expect([await isSession(ports, ended), await isSession(ports, kept)]).toEqual([false, true]);
    ports.clock.advance(SESSION_DAYS * DAY_MS);
    expect(await isSession(ports, kept)).toBe(false);
  });

  test('sessions do not pile up: the oldest make room', async () => {
    const ports = await setUp();
    const sessions: string[] = [];
    for (let count = 0; count < 105; count += 1) {
      ports.clock.advance(1);
      sessions.push((await redeemLoginToken(ports, (await createLoginToken(ports)).token)) ?? '');
    }
    expect(await isSession(ports, sessions[4] ?? '')).toBe(false);
    expect(await isSession(ports, sessions[5] ?? '')).toBe(true);
  });

  test('neither tokens nor sessions stand in the database', async () => {
    const ports = await setUp();
    const { token } = await createLoginToken(ports);
    const { token: other } = await createLoginToken(ports);
    const session = await redeemLoginToken(ports, other);
    const rows = [
      await ports.store.db.selectFrom('console_login_links').selectAll().execute(),
      await ports.store.db.selectFrom('console_sessions').selectAll().execute(),
    ];
    const text = JSON.stringify(rows);
    expect(text).not.toContain(token);
    expect(text).not.toContain(session);
  });
});
