import { createHash } from 'node:crypto';
import { runOutbox } from '@postern/store';
import type { Connector } from '../connectors/connector.ts';
import type { InboxPorts } from '../ports.ts';
import { sendPart } from '../send/deliver.ts';
import { PAIRING_TOPIC, type PairingReply } from './pairing.ts';

/** Sends the codes strangers were promised, each once: what may have been sent is not sent again. */
export function runPairingReplies(
  ports: InboxPorts,
  connectorOf: (source: string) => Connector | undefined,
  signal: AbortSignal,
): Promise<void> {
  return runOutbox({
    store: ports.store,
    topic: PAIRING_TOPIC,
    signal,
    log: ports.log,
    concurrency: 1,
    async handle(job, abandoned) {
      const reply: PairingReply = JSON.parse(job.payload);
      const connector = connectorOf(reply.source);
      if (!connector) return { result: 'dead', error: `no ${reply.source} connector is configured` };
      try {
        const part = {
          channelId: reply.channelId,
          text: reply.text,
          replyToPlatformId: null,
          attachments: [],
          allowMassMentions: false,
          nonce: createHash('sha256').update(`pairing:${job.id}`).digest('hex').slice(0, 24),
        };
        await sendPart(ports.clock, connector, part, abandoned);
        return { result: 'done' };
      } catch (error) {
        return { result: 'dead', error: error instanceof Error ? error.message : 'no reason given' };
      }
    },
  });
}
