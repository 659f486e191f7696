import type { InboxPorts } from '../ports.ts';

/** Long enough for a pool to notice that its connections are gone, or for a database to change its leader. */
const PAUSES_MS = [50, 500, 2_000];

/**
 * Does a piece of database work that must not be left undone because a connection was lost: what it is about
 * cannot be taken back or made again.
 *
 * @throws what the last try throws.
 */
export async function persistently<Result>(
  { clock, log }: Pick<InboxPorts, 'clock' | 'log'>,
  work: () => Promise<Result>,
): Promise<Result> {
  for (const pause of PAUSES_MS) {
    try {
      return await work();
    } catch (error) {
      log.warn({ err: error }, 'the database failed while a send was under way; trying again');
      await clock.sleep(pause);
    }
  }
  return work();
}
