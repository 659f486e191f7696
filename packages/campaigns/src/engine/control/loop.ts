import type { CampaignsPorts } from '../../ports.ts';
import { purgeDeliveries } from '../../webhooks/deliveries.ts';
import { recoverRows } from '../ledger/recover.ts';
import type { Launcher } from '../ports.ts';
import { ENGINE_CHANNEL, PROGRESS_CHANNEL } from './channels.ts';
import { Dropping } from './dropping.ts';
import { startDue } from './due.ts';
import { cancelOrphans, finishDone } from './finish.ts';
import { Freezing } from './freezing.ts';

const TURN_MS = 1_000;
/** Between two looks for rows of dead workers. */
const RECOVER_US = 5_000_000;
/** Between two removals of what is old. */
const PURGE_US = 3_600_000_000;

/**
 * Moves campaigns along: starts those that are due, freezes audiences, takes rows back from dead workers, drops what
 * was cancelled, finishes what is done. Any number of processes may run it on one database; each step decides in one
 * transaction. Resolves when it has stopped.
 */
export async function runControl(
  ports: CampaignsPorts,
  launcher: Launcher,
  signal: AbortSignal,
): Promise<void> {
  const { store, clock } = ports;
  const freezing = new Freezing(ports, signal);
  const dropping = new Dropping(ports, signal);
  let wake = new AbortController();
  const stops = [ENGINE_CHANNEL, PROGRESS_CHANNEL].map((channel) =>
    store.listen(channel, () => wake.abort()),
  );
  let recoveredUs = Number.NEGATIVE_INFINITY;
  let purgedUs = Number.NEGATIVE_INFINITY;
  try {
    while (!signal.aborted) {
      // Made anew before looking, so that what happens meanwhile is not missed.
      wake = new AbortController();
      await step(ports, 'due campaigns', () => startDue(ports, launcher));
      await step(ports, 'audiences', () => freezing.look());
      if (clock.nowMicroseconds() - recoveredUs >= RECOVER_US) {
        recoveredUs = clock.nowMicroseconds();
        await step(ports, 'claims of dead workers', () => recoverRows(ports, 'expired'));
      }
      await step(ports, 'campaigns of deleted projects', () => cancelOrphans(ports));
      await step(ports, 'ended campaigns', () => dropping.look());
      await step(ports, 'done campaigns', () => finishDone(ports));
      if (clock.nowMicroseconds() - purgedUs >= PURGE_US) {
        purgedUs = clock.nowMicroseconds();
        await step(ports, 'old webhook deliveries', () => purgeDeliveries(ports));
      }
      await clock.sleep(TURN_MS, AbortSignal.any([signal, wake.signal]));
    }
  } finally {
    for (const stop of stops) stop();
    await Promise.all([freezing.idle(), dropping.idle()]);
  }
}

/** One step's failure keeps none of the others from being done. */
async function step({ log }: CampaignsPorts, what: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    log.warn({ err: error }, `${what} could not be looked after; trying again`);
  }
}
