import type { HeldLease, Store } from './store.ts';

const CHANNEL = 'store_leases';

export interface LeaseOptions<DB> {
  readonly store: Store<DB>;
  /** What only one process at a time may do: `connector:discord`. */
  readonly name: string;
  /** Ends the waiting as well as the work. */
  readonly signal: AbortSignal;
  /** How often to ask again while another process has it. */
  readonly retryMs?: number;
}

/**
 * Does `work` while no other process does, waiting for its turn. The signal it gets is aborted when the
 * lease is lost or the caller's signal is; it should then end soon. After a lost lease it waits for the
 * next turn and does the work again.
 *
 * @returns when the work has ended by itself or the caller's signal is aborted.
 * @throws what the work throws while it has the lease.
 */
export async function withLease<DB>(
  { store, name, signal, retryMs = 2_000 }: LeaseOptions<DB>,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  let released = new AbortController();
  const stopListening = store.listen(CHANNEL, (freed) => {
    if (freed === name || freed === '') released.abort();
  });
  try {
    while (!signal.aborted) {
      // Made anew before asking, so that a release in between is not missed.
      released = new AbortController();
      const lease = await store.tryLease(name);
      if (!lease) await store.clock.sleep(retryMs, AbortSignal.any([signal, released.signal]));
      else if (await workUnder(lease)) return;
    }
  } finally {
    stopListening();
  }

  /** Whether the work has ended while the lease was held. */
  async function workUnder(lease: HeldLease): Promise<boolean> {
    try {
      await work(AbortSignal.any([signal, lease.lost]));
      return !lease.lost.aborted;
    } catch (error) {
      // A worker that was told to stop may well end with an error; it is not the caller's.
      if (lease.lost.aborted) return false;
      throw error;
    } finally {
      await lease.release();
      store.notify(CHANNEL, name);
    }
  }
}
