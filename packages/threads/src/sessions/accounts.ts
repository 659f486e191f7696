import type { Clock } from '@postern/kit';
import { type Store, serialise, type Transaction } from '@postern/store';
import type { AgentLaunch } from '../agent/agent.ts';
import type { ClaudeAccount, ThreadsConfig } from '../config.ts';
import type { ThreadsTables } from '../tables.ts';
import { accountOf } from './launch-facts.ts';
import type { Db } from './records.ts';

/** The pool of the agent's accounts: which one a session begins with, and which have reached their limit. */

const HOUR_US = 3_600_000_000;
/** A limit that is said to be lifted later than this is looked at again then: the longest are of a week. */
const LONGEST_US = 8 * 24 * HOUR_US;
/** In order of what they say about how busy an account is. */
const RUNNING = ['starting', 'active', 'interrupted'] as const;

type Ports = { readonly store: Store<ThreadsTables>; readonly clock: Clock };
type Pool = Pick<ThreadsConfig, 'claudeAccounts'>;

export interface AccountView {
  readonly id: string;
  readonly login: 'home' | 'api_key';
  /** Sessions whose agent runs, and those that would go on with this account. */
  readonly running: number;
  readonly paused: number;
  /** Until when nothing new is begun with it; null when it may be used. */
  readonly limitedUntilMs: number | null;
}

/** The accounts in the order of the configuration. */
export function accountsOf(
  { store, clock }: Ports,
  accounts: readonly ClaudeAccount[],
): Promise<AccountView[]> {
  return viewsOf(store.db, clock, accounts);
}

async function viewsOf(db: Db, clock: Clock, accounts: readonly ClaudeAccount[]): Promise<AccountView[]> {
  if (accounts.length === 0) return [];
  const used = await db
    .selectFrom('threads_sessions')
    .select(['account_id', 'state', (count) => count.fn.countAll<number>().as('count')])
    .where('state', '<>', 'ended')
    .groupBy(['account_id', 'state'])
    .execute();
  const limits = await db
    .selectFrom('settings')
    .selectAll()
    .where(
      'key',
      'in',
      accounts.map(({ id }) => keyOf(id)),
    )
    .execute();
  const now = clock.nowMicroseconds();
  return accounts.map(({ id, home }) => {
    const count = (states: readonly string[]) =>
      used
        .filter((row) => row.account_id === id && states.includes(row.state))
        .reduce((sum, row) => sum + Number(row.count), 0);
    const until = Number(limits.find(({ key }) => key === keyOf(id))?.value ?? 0);
    return {
      id,
      login: home === undefined ? 'api_key' : 'home',
      running: count(RUNNING),
      paused: count(['paused']),
      limitedUntilMs: until > now ? Math.ceil(until / 1_000) : null,
    };
  });
}

/**
 * The account with the most room: not limited, then the fewest running sessions, then the fewest that may come back,
 * then the first. When all are limited, the one that is free again first. Null without a pool.
 */
async function roomiest(db: Db, clock: Clock, { claudeAccounts }: Pool): Promise<string | null> {
  const views = await viewsOf(db, clock, claudeAccounts);
  const [first] = views.toSorted(
    (one, other) =>
      (one.limitedUntilMs ?? 0) - (other.limitedUntilMs ?? 0) ||
      one.running - other.running ||
      one.paused - other.paused,
  );
  return first?.id ?? null;
}

/**
 * The account that a session begins with, of many starts at once in any process too: until the transaction, which
 * puts the session on record, is over, nobody else is given one.
 */
export async function accountFor(
  tx: Transaction<ThreadsTables>,
  clock: Clock,
  pool: Pool,
): Promise<string | null> {
  if (pool.claudeAccounts.length > 0) await serialise(tx, 'threads-accounts');
  return roomiest(tx, clock, pool);
}

/** The login for a question beside the sessions, which belongs to none of them; null is the operator's own. */
export async function accountToAsk({ store, clock }: Ports, pool: Pool): Promise<AgentLaunch['account']> {
  return accountOf(pool, await roomiest(store.db, clock, pool));
}

/** Keeps an account from new sessions until its limit is lifted, or for an hour where nobody says when. */
export async function coolAccount(
  { store, clock }: Ports,
  accountId: string,
  resetsAtMs: number | null,
): Promise<void> {
  const now = clock.nowMicroseconds();
  const said = resetsAtMs === null ? 0 : resetsAtMs * 1_000;
  const until = said > now ? Math.min(said, now + LONGEST_US) : now + HOUR_US;
  await store.db
    .insertInto('settings')
    .values({ key: keyOf(accountId), value: String(until) })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: String(until) }))
    .execute();
}

function keyOf(accountId: string): string {
  return `threads.account.${accountId}.limited_until_us`;
}
