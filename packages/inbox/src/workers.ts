import { runPairingReplies } from './access/pairing-replies.ts';
import type { Connector } from './connectors/connector.ts';
import type { InboxPorts } from './ports.ts';
import { runWebhooks } from './webhooks/run.ts';

/** What the inbox does on its own account beside its connectors. Resolves when all of it has stopped. */
export async function runInboxWorkers(
  ports: InboxPorts,
  connectorOf: (source: string) => Connector | undefined,
  signal: AbortSignal,
): Promise<void> {
  await Promise.all([runPairingReplies(ports, connectorOf, signal), runWebhooks(ports, signal)]);
}
