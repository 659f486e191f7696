import { secretHash } from '@postern/http';
import type { Clock, Random } from '@postern/kit';
import type { Store, Transaction } from '@postern/store';
import type { ConsoleTables } from './tables.ts';

/**
 * How a person gets into the console: a link that works once becomes a session, which the browser holds in a
 * cookie. A session acts with the rights of an admin key.
 */

export const LINK_MINUTES = 15;
export const SESSION_DAYS = 14;
/** Sessions kept; the oldest go. One person has a few browsers, and a loop of logins must not fill the table. */
const MOST_SESSIONS = 100;
/** SQLite wants a limit beside an offset; more than this go with the next login. */
const MOST_DROPPED = 1_000;
const RANDOM_BYTES = 32;
const MICROSECONDS = 1_000_000;

export interface SessionPorts {
  readonly store: Store<ConsoleTables>;
  readonly clock: Clock;
  readonly random: Random;
}

/** Makes the token of a one-time link; it is nowhere but in the answer. */
export async function createLoginToken({
  store,
  clock,
  random,
}: SessionPorts): Promise<{ token: string; expiresUs: number }> {
  const token = newToken(random, 'pst_login_');
  const now = clock.nowMicroseconds();
  const expiresUs = now + LINK_MINUTES * 60 * MICROSECONDS;
  await store.transaction(async (tx) => {
    await tx.deleteFrom('console_login_links').where('expires_us', '<=', now).execute();
    await tx
      .insertInto('console_login_links')
      .values({ token_hash: secretHash(token), created_us: now, expires_us: expiresUs })
      .execute();
  });
  return { token, expiresUs };
}

/** Spends a link's token and answers a new session's secret, or null when the token is spent, late or unknown. */
export async function redeemLoginToken(
  { store, clock, random }: SessionPorts,
  token: string,
): Promise<string | null> {
  const session = newToken(random, 'pst_session_');
  const now = clock.nowMicroseconds();
  return store.transaction(async (tx) => {
    const spent = await tx
      .deleteFrom('console_login_links')
      .where('token_hash', '=', secretHash(token))
      .where('expires_us', '>', now)
      .returning('token_hash')
      .executeTakeFirst();
    if (spent === undefined) return null;
    await tx
      .insertInto('console_sessions')
      .values({
        session_hash: secretHash(session),
        created_us: now,
        expires_us: now + SESSION_DAYS * 86_400 * MICROSECONDS,
      })
      .execute();
    await dropOldSessions(tx, now);
    return session;
  });
}

export async function isSession(
  { store, clock }: Pick<SessionPorts, 'store' | 'clock'>,
  secret: string,
): Promise<boolean> {
  const row = await store.db
    .selectFrom('console_sessions')
    .select('expires_us')
    .where('session_hash', '=', secretHash(secret))
    .executeTakeFirst();
  return row !== undefined && row.expires_us > clock.nowMicroseconds();
}

export async function endSession({ store }: Pick<SessionPorts, 'store'>, secret: string): Promise<void> {
  await store.db.deleteFrom('console_sessions').where('session_hash', '=', secretHash(secret)).execute();
}

async function dropOldSessions(tx: Transaction<ConsoleTables>, now: number): Promise<void> {
  await tx.deleteFrom('console_sessions').where('expires_us', '<=', now).execute();
  await tx
    .deleteFrom('console_sessions')
    .where('session_hash', 'in', (query) =>
      query
        .selectFrom('console_sessions')
        .select('session_hash')
        .orderBy('created_us', 'desc')
        .orderBy('session_hash')
        .limit(MOST_DROPPED)
        .offset(MOST_SESSIONS),
    )
    .execute();
}

function newToken(random: Random, prefix: string): string {
  return `${prefix}${Buffer.from(random.bytes(RANDOM_BYTES)).toString('base64url')}`;
}
