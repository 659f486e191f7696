/**
 * How many agents run at a time. A slot is taken in the same breath as it is asked for, so that of many starts at
 * once no two take the last one.
 */
export interface Slots {
  readonly limit: number;
  /** True when the holder has a slot, now or already. */
  take(holder: string): boolean;
  /** Gives it back; who waits longest is called. */
  free(holder: string): void;
  /** Calls back once, when a slot may be free. The same holder waits once only. */
  whenFree(holder: string, wake: () => void): void;
  forget(holder: string): void;
  readonly taken: number;
}

export function createSlots(limit: number): Slots {
  const holders = new Set<string>();
  const waiting = new Map<string, () => void>();
  return {
    limit,
    take(holder) {
      if (!holders.has(holder) && holders.size >= limit) return false;
      holders.add(holder);
      waiting.delete(holder);
      return true;
    },
    free(holder) {
      if (!holders.delete(holder)) return;
      const next = waiting.entries().next();
      if (next.done) return;
      waiting.delete(next.value[0]);
      next.value[1]();
    },
    whenFree: (holder, wake) => void waiting.set(holder, wake),
    forget: (holder) => void waiting.delete(holder),
    get taken() {
      return holders.size;
    },
  };
}
