import type { Store } from './store.ts';
import type { StoreTables } from './tables.ts';

/**
 * Picks up after a process that died. Nobody else can be at work on a data folder that this process has
 * locked, so nothing has to wait for leases to run out: claimed jobs are due again, requests that had not
 * started their call are forgotten, those that had are of unknown outcome. With PostgreSQL others may be
 * alive, and leases decide. Call it after {@link migrate} and before any work is taken.
 */
export async function reclaimAfterRestart(store: Store<StoreTables>): Promise<void> {
  if (store.engine !== 'sqlite') return;
  await store.transaction(async (tx) => {
    const waiting = { state: 'pending' as const, lease_until_us: null };
    await tx.updateTable('outbox').set(waiting).where('state', '=', 'claimed').execute();
    await tx.deleteFrom('idempotency_keys').where('state', '=', 'running').execute();
    await tx
      .updateTable('idempotency_keys')
      .set({ state: 'unknown' })
      .where('state', '=', 'started')
      .execute();
  });
}
