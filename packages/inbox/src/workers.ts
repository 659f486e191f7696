import { runPairingReplies } from './access/pairing-replies.ts';
import { expireAttachments } from './attachments/expire.ts';
import { sweepStaged } from './attachments/staged.ts';
import type { Connector } from './connectors/connector.ts';
import type { InboxPorts } from './ports.ts';
import { runWebhooks } from './webhooks/run.ts';

const HOUR_MS = 3_600_000;
const DAY_US = 24 * HOUR_MS * 1_000;

/** What the inbox does on its own account beside its connectors. Resolves when all of it has stopped. */
export async function runInboxWorkers(
  ports: InboxPorts,
  connectorOf: (source: string) => Connector | undefined,
  signal: AbortSignal,
): Promise<void> {
  await Promise.all([
    runPairingReplies(ports, connectorOf, signal),
    runWebhooks(ports, signal),
    tidyUp(ports, signal),
  ]);
}

/** Lets go, now and every hour, of bytes that nothing refers to any more or that have been kept long enough. */
async function tidyUp(ports: InboxPorts, signal: AbortSignal): Promise<void> {
  const { clock, config, log } = ports;
  while (!signal.aborted) {
    const now = clock.nowMicroseconds();
    try {
      // After a day nothing can still be at work on what is staged.
      await sweepStaged(ports, now - DAY_US);
      await expireAttachments(ports, now - config.attachments.retentionDays * DAY_US, signal);
    } catch (error) {
      log.warn({ err: error }, 'attachments could not be swept; trying again in an hour');
    }
    await clock.sleep(HOUR_MS, signal);
  }
}
