import { type Clock, systemClock } from '@postern/kit';

/** The system's clock, which a test can put forward: whoever sleeps until then wakes. */
export interface MovableClock extends Clock {
  forward(milliseconds: number): void;
}

export function movableClock(): MovableClock {
  let aheadUs = 0;
  const sleepers = new Set<() => void>();
  const nowMicroseconds = () => systemClock.nowMicroseconds() + aheadUs;
  return {
    nowMicroseconds,
    sleep(milliseconds, signal) {
      if (signal?.aborted === true || milliseconds <= 0) return Promise.resolve();
      const due = nowMicroseconds() + milliseconds * 1_000;
      return new Promise((resolve) => {
        let timer: NodeJS.Timeout | undefined;
        const wake = () => {
          clearTimeout(timer);
          sleepers.delete(look);
          signal?.removeEventListener('abort', wake);
          resolve();
        };
        const look = () => {
          clearTimeout(timer);
          const rest = Math.ceil((due - nowMicroseconds()) / 1_000);
          if (rest <= 0) wake();
          // A timer takes no longer times; it looks again then.
          else timer = setTimeout(look, Math.min(rest, 2 ** 31 - 1));
        };
        sleepers.add(look);
        signal?.addEventListener('abort', wake, { once: true });
        look();
      });
    },
    forward(milliseconds) {
      aheadUs += milliseconds * 1_000;
      for (const look of [...sleepers]) look();
    },
  };
}
