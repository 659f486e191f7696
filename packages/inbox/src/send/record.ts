import { attachStaged } from '../attachments/staged.ts';
import type { Connector } from '../connectors/connector.ts';
import { nextReceiveTime } from '../messages/receive-time.ts';
import { touchChannel } from '../messages/sink.ts';
import type { InboxPorts, InboxTransaction } from '../ports.ts';
import type { DeliveryResult } from './deliver.ts';
import type { StagedFile } from './stage.ts';

/** Records what reached the platform as one outbound message, whatever number of parts it has. */
export async function recordOutbound(
  tx: InboxTransaction,
  ports: InboxPorts,
  connector: Connector,
  sent: {
    messageId: string;
    channel: { channel_id: string; channel_type: 'dm' | 'group' };
    text: string;
    replyTo: string | null;
    agentId: string | null;
    result: DeliveryResult;
    staged: readonly StagedFile[];
  },
): Promise<void> {
  const first = sent.result.parts[0];
  if (!first) throw new Error('nothing was sent, so there is nothing to record');
  const whole = sent.result.error === null;
  const receivedUs = await nextReceiveTime(tx, ports.clock);
  await touchChannel(
    tx,
    connector.source,
    { id: sent.channel.channel_id, type: sent.channel.channel_type },
    receivedUs,
    true,
  );
  await tx
    .insertInto('inbox_messages')
    .values({
      message_id: sent.messageId,
      source: connector.source,
      channel_id: sent.channel.channel_id,
      channel_type: sent.channel.channel_type,
      direction: 'outbound',
      state: 'accepted',
      sender_id: connector.self.id,
      sender_name: connector.self.displayName,
      text: whole ? sent.text : sent.result.parts.map((part) => part.text).join(''),
      reply_to: sent.replyTo,
      timestamp_ms: first.timestampMs,
      received_us: receivedUs,
      feed_us: null,
      edited_us: null,
      deleted_us: null,
      raw: JSON.stringify({
        parts: sent.result.parts.map((part) => ({ platform_id: part.platformId, ...part.raw })),
        agent_id: sent.agentId,
        ...(whole ? {} : { delivery: sent.result.error?.delivery }),
      }),
    })
    .execute();
  await tx
    .insertInto('inbox_platform_ids')
    .values(
      sent.result.parts.map((part) => ({
        source: connector.source,
        account: connector.account,
        platform_id: part.platformId,
        message_id: sent.messageId,
      })),
    )
    .execute();
  if (whole) await attachStaged(tx, sent.messageId, sent.staged);
}

/** Whether a message is there already. */
export async function isRecorded(tx: InboxTransaction, messageId: string): Promise<boolean> {
  const found = await tx
    .selectFrom('inbox_messages')
    .select('message_id')
    .where('message_id', '=', messageId)
    .executeTakeFirst();
  return found !== undefined;
}
