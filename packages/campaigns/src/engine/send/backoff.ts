import type { Random } from '@postern/kit';

/** Waits after the first attempt, the second and so on; from then on the last one again (RFC 5321, 4.5.4.1). */
const DELAYS_MS: readonly number[] = [60_000, 300_000, 900_000, 1_800_000, 3_600_000, 7_200_000, 14_400_000];
const LAST_DELAY_MS = 14_400_000;
/** After this long a mail that is still put off has failed (contract, section 3). */
const DEADLINE_MS = 48 * 3_600_000;
/** Part of a wait that chance adds or takes, so that what was put off together does not come back together. */
const JITTER = 0.2;

/**
 * How long to wait after so many attempts without a yes; null when it has been tried long enough. The waits so far
 * follow from their number alone, so nothing else has to be remembered.
 */
export function delayAfter(attempts: number, random: Random): number | null {
  let waited = 0;
  for (let attempt = 1; attempt < attempts; attempt += 1) waited += delayOf(attempt);
  if (waited >= DEADLINE_MS) return null;
  return spread(Math.min(delayOf(attempts), DEADLINE_MS - waited), random);
}

function delayOf(attempt: number): number {
  return DELAYS_MS[attempt - 1] ?? LAST_DELAY_MS;
}

/** A wait, a little longer or shorter. */
export function spread(milliseconds: number, random: Random): number {
  const chance = Buffer.from(random.bytes(4)).readUInt32BE() / 0xffff_ffff;
  return Math.round(milliseconds * (1 + JITTER * (2 * chance - 1)));
}
