/**
 * How many agents run at a time. A slot is taken in the same breath as it is asked for, so that of many starts at
 * once no two take the last one.
 */
export interface Slots {
  readonly limit: number;
  /** True when the holder has a slot, now or already. */
  take(holder: string): boolean;
  /**
   * The same, and where all are taken, somebody idle is asked to give way: one that nobody follows before those that
   * people talk to, and of these whoever has been idle the longest.
   */
  takeOrMakeRoom(holder: string): Promise<boolean>;
  /** Gives it back; who waits longest is called. */
  free(holder: string): void;
  /**
   * The holder is idle and would give way: `giveWay` frees its slot and resolves to true, or to false when something
   * has come up. Who waits longest is called.
   */
  offer(holder: string, giveWay: () => Promise<boolean>, options?: { readonly isUnattended: boolean }): void;
  /** The holder is at work again. */
  keep(holder: string): void;
  /** Calls back once, when a slot may be free. The same holder waits once only. */
  whenFree(holder: string, wake: () => void): void;
  forget(holder: string): void;
  readonly taken: number;
}

export function createSlots(limit: number): Slots {
  const holders = new Set<string>();
  const waiting = new Map<string, () => void>();
  /** Who has been idle the longest comes first. */
  const idle = new Map<string, { giveWay: () => Promise<boolean>; isUnattended: boolean }>();

  function callNext(): void {
    const next = waiting.entries().next();
    if (next.done) return;
    waiting.delete(next.value[0]);
    next.value[1]();
  }

  function take(holder: string): boolean {
    if (!holders.has(holder) && holders.size >= limit) return false;
    holders.add(holder);
    waiting.delete(holder);
    return true;
  }

  return {
    limit,
    take,
    async takeOrMakeRoom(holder) {
      while (!take(holder)) {
        const all = [...idle];
        const first = all.find(([, { isUnattended }]) => isUnattended) ?? all[0];
        if (first === undefined) return false;
        // Off the list first, so that nobody else asks the same one.
        idle.delete(first[0]);
        await first[1].giveWay();
      }
      return true;
    },
    free(holder) {
      idle.delete(holder);
      if (holders.delete(holder)) callNext();
    },
    offer(holder, giveWay, { isUnattended } = { isUnattended: false }) {
      if (!holders.has(holder) || idle.has(holder)) return;
      idle.set(holder, { giveWay, isUnattended });
      callNext();
    },
    keep: (holder) => void idle.delete(holder),
    whenFree: (holder, wake) => void waiting.set(holder, wake),
    forget: (holder) => void waiting.delete(holder),
    get taken() {
      return holders.size;
    },
  };
}
