import type { Clock } from '@postern/kit';
import type { Store } from '@postern/store';
import type { AgentLaunch } from '../agent/agent.ts';
import type { ClaudeAccount, ThreadsConfig } from '../config.ts';
import type { ThreadsTables } from '../tables.ts';
import { accountOf } from './launch-facts.ts';

/** The pool of the agent's accounts: which one a session begins with, and which have reached their limit. */

const HOUR_US = 3_600_000_000;
/** A limit that is said to be lifted later than this is looked at again then: the longest are of a week. */
const LONGEST_US = 8 * 24 * HOUR_US;
/** In order of what they say about how busy an account is. */
const RUNNING = ['starting', 'active', 'interrupted'] as const;

type Ports = { readonly store: Store<ThreadsTables>; readonly clock: Clock };

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
export async function accountsOf(
  { store, clock }: Ports,
  accounts: readonly ClaudeAccount[],
): Promise<AccountView[]> {
  if (accounts.length === 0) return [];
  const used = await store.db
    .selectFrom('threads_sessions')
    .select(['account_id', 'state', (count) => count.fn.countAll<number>().as('count')])
    .where('state', '<>', 'ended')
    .groupBy(['account_id', 'state'])
    .execute();
  const limits = await store.db
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
export async function accountFor(
  ports: Ports,
  { claudeAccounts }: Pick<ThreadsConfig, 'claudeAccounts'>,
): Promise<string | null> {
  const views = await accountsOf(ports, claudeAccounts);
  const [first] = views.toSorted(
    (one, other) =>
      (one.limitedUntilMs ?? 0) - (other.limitedUntilMs ?? 0) ||
      one.running - other.running ||
      one.paused - other.paused,
  );
  return first?.id ?? null;
}

/** The login for a question beside the sessions, which belongs to none of them; null is the operator's own. */
export async function accountToAsk(
  ports: Ports,
  config: Pick<ThreadsConfig, 'claudeAccounts'>,
): Promise<AgentLaunch['account']> {
  return accountOf(config, await accountFor(ports, config));
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
