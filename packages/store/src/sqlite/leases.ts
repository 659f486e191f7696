import type { HeldLease } from '../store.ts';

/** Leases of the only process on a data folder, so memory is enough. */
export class NamedLeases {
  readonly #held = new Map<string, AbortController>();

  take(name: string): HeldLease | undefined {
    if (this.#held.has(name)) return undefined;
    const lost = new AbortController();
    this.#held.set(name, lost);
    const release = async (): Promise<void> => {
      if (this.#held.get(name) === lost) this.#held.delete(name);
    };
    return { lost: lost.signal, release };
  }

  loseAll(): void {
    for (const lost of this.#held.values()) lost.abort();
    this.#held.clear();
  }
}
