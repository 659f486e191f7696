import { type Clock, nowMilliseconds } from '@postern/kit';

/** Answers of a platform kept for a while, the oldest going first; who asks while one is under way shares it. */
export interface Remembered<Value> {
  get(key: string): Promise<Value>;
}

export interface RememberOptions<Value> {
  readonly clock: Clock;
  readonly most: number;
  readonly forMs: number;
  /** A failure is not kept. */
  load(key: string): Promise<Value>;
}

export function remembered<Value>({ clock, most, forMs, load }: RememberOptions<Value>): Remembered<Value> {
  const kept = new Map<string, { readonly value: Promise<Value>; readonly untilMs: number }>();
  return {
    get(key) {
      const known = kept.get(key);
      if (known !== undefined && known.untilMs > nowMilliseconds(clock)) return known.value;
      const value = load(key);
      kept.delete(key);
      kept.set(key, { value, untilMs: nowMilliseconds(clock) + forMs });
      forgetOldest(kept, most);
      value.catch(() => {
        if (kept.get(key)?.value === value) kept.delete(key);
      });
      return value;
    },
  };
}

/** A map that holds the last so many keys that were set. */
export class RecentMap<Value> {
  readonly #kept = new Map<string, Value>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  get(key: string): Value | undefined {
    return this.#kept.get(key);
  }

  has(key: string): boolean {
    return this.#kept.has(key);
  }

  set(key: string, value: Value): void {
    this.#kept.delete(key);
    this.#kept.set(key, value);
    forgetOldest(this.#kept, this.#most);
  }

  delete(key: string): void {
    this.#kept.delete(key);
  }
}

function forgetOldest(kept: Map<string, unknown>, most: number): void {
  for (const oldest of kept.keys()) {
    if (kept.size <= most) return;
    kept.delete(oldest);
  }
}
