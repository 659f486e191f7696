import { sql } from 'kysely';
import type { InboxPorts, InboxStore } from '../ports.ts';

/** A process that stops right before it commits, so that a race with another one is no matter of chance. */
export interface HeldCommit {
  /** The ports to give to the part that shall stop. */
  readonly ports: InboxPorts;
  /** Resolves when its next transaction has done all but commit. */
  readonly reached: Promise<void>;
  commit(): void;
}

/** PostgreSQL only: with SQLite a transaction that is held holds up everybody. */
export function heldCommit(ports: InboxPorts): HeldCommit {
  const reached = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const store: InboxStore = {
    ...ports.store,
    transaction: (work, options) =>
      ports.store.transaction(async (tx) => {
        const result = await work(tx);
        reached.resolve();
        await gate.promise;
        return result;
      }, options),
  };
  return { ports: { ...ports, store }, reached: reached.promise, commit: gate.resolve };
}

/** Resolves when `work` has settled, or waits for a lock that another transaction on its database holds. */
export async function untilBlockedOrDone(store: InboxStore, work: Promise<unknown>): Promise<void> {
  let isDone = false;
  const end = () => {
    isDone = true;
  };
  work.then(end, end);
  while (!isDone) {
    const { rows } = await sql<{ waiting: number }>`
      SELECT count(*) AS waiting FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`.execute(store.db);
    if ((rows[0]?.waiting ?? 0) > 0) return;
  }
}
