import type { Clock } from '../clock.ts';

/** A clock that moves only when a test moves it. */
export interface FakeClock extends Clock {
  /**
   * Moves on by so many milliseconds. Sleepers wake in the order of their due times, each seeing its own due time
   * as now, and get a turn of the event loop before the next one wakes, so a loop that sleeps again within the
   * span wakes again within it.
   */
  advance(milliseconds: number): Promise<void>;
  /** Sets the time, also backwards, and wakes nobody. */
  set(microseconds: number): void;
  /** How many sleep now. */
  readonly sleeping: number;
  /** Resolves as soon as at least so many sleep (at once when they already do). */
  untilSleeping(count?: number): Promise<void>;
}

interface Sleeper {
  readonly due: number;
  wake(): void;
}

/** Midnight UTC of 1 May 2026, a default that looks like a real time. */
const DEFAULT_START_MICROSECONDS = 1_777_593_600_000_000;

/** A {@link FakeClock} that starts at the given microseconds since the epoch. */
export function fakeClock(startMicroseconds: number = DEFAULT_START_MICROSECONDS): FakeClock {
  let now = startMicroseconds;
  const sleepers = new Set<Sleeper>();
  const watchers = new Set<{ readonly count: number; notify(): void }>();

  const nextDue = (end: number): Sleeper | undefined => {
    let first: Sleeper | undefined;
    for (const sleeper of sleepers) {
      if (sleeper.due <= end && (first === undefined || sleeper.due < first.due)) first = sleeper;
    }
    return first;
  };

  return {
    nowMicroseconds: () => now,
    sleep(milliseconds, signal) {
      if (signal?.aborted === true || milliseconds <= 0) return Promise.resolve();
      return new Promise((resolve) => {
        const wake = () => {
          sleepers.delete(sleeper);
          signal?.removeEventListener('abort', wake);
          resolve();
        };
        const sleeper: Sleeper = { due: now + Math.round(milliseconds * 1_000), wake };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', wake, { once: true });
        for (const watcher of watchers) if (sleepers.size >= watcher.count) watcher.notify();
      });
    },
    async advance(milliseconds) {
      const end = now + Math.round(milliseconds * 1_000);
      for (let sleeper = nextDue(end); sleeper !== undefined; sleeper = nextDue(end)) {
        now = Math.max(now, sleeper.due);
        sleeper.wake();
        await turn();
      }
      now = Math.max(now, end);
      await turn();
    },
    set(microseconds) {
      now = microseconds;
    },
    get sleeping() {
      return sleepers.size;
    },
    untilSleeping(count = 1) {
      if (sleepers.size >= count) return Promise.resolve();
      return new Promise((resolve) => {
        const watcher = {
          count,
          notify: () => {
            watchers.delete(watcher);
            resolve();
          },
        };
        watchers.add(watcher);
      });
    },
  };
}

/** One turn of the event loop: every promise that can settle without waiting has settled after it. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
