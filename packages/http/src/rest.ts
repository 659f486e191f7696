import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long one request may compute before the others have a turn. */
const LONGEST_STRETCH_MS = 5;

/**
 * Gives the other requests a turn when what was done since `since` (of `performance.now()`) took long: parsing a large
 * body, checking it and writing a large answer would otherwise follow each other without a gap.
 */
export async function restAfter(since: number): Promise<void> {
  if (performance.now() - since > LONGEST_STRETCH_MS) await nextTurn();
}
