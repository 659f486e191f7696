import type { Clock } from '@postern/kit';
import type { ThreadsLimits } from '../config.ts';
import type { Say } from './joins.ts';

const MINUTE_MS = 60_000;

/** Warns in the thread and then does `pause`, once nothing has happened for as long as the limits say. */
export async function whenIdle(
  options: {
    readonly clock: Clock;
    readonly limits: Pick<ThreadsLimits, 'sessionTimeoutMinutes' | 'sessionWarningMinutes'>;
    readonly say: Say;
    /** Aborts as soon as something happens. */
    readonly signal: AbortSignal;
  },
  pause: () => Promise<void>,
): Promise<void> {
  const { clock, say, signal } = options;
  const { sessionTimeoutMinutes: limit, sessionWarningMinutes: warning } = options.limits;
  const beforeWarning = Math.max(0, limit - warning);
  await clock.sleep(beforeWarning * MINUTE_MS, signal);
  if (signal.aborted) return;
  if (warning > 0 && beforeWarning > 0)
    await say(`💤 Nothing has been said for a while. This session pauses in ${minutesInWords(warning)}.`);
  await clock.sleep((limit - beforeWarning) * MINUTE_MS, signal);
  if (!signal.aborted) await pause();
}

function minutesInWords(minutes: number): string {
  return minutes === 1 ? 'a minute' : `${minutes} minutes`;
}
