import { type Failure, formatMilliseconds, storableText } from '@postern/kit';
import { finishIdempotent, type IdempotencyHold, markIdempotentStarted, takeTokens } from '@postern/store';
import { discardStaged } from '../attachments/staged.ts';
import { type ChannelRow, findChannel } from '../channels.ts';
import { type Connector, SendError } from '../connectors/connector.ts';
import type { InboxCaller } from '../context.ts';
import { fail, inboxErrors } from '../errors.ts';
import type { InboxPorts, InboxTransaction } from '../ports.ts';
import { type DeliveryResult, deliver } from './deliver.ts';
import {
  beginKeyed,
  forgetKey,
  holdingKey,
  KEY_LEASE_MS,
  leaveKeyUnknown,
  type StoredFailure,
  told,
} from './key.ts';
import { persistently } from './persistently.ts';
import { isRecorded, recordOutbound } from './record.ts';
import { type AttachmentRequest, type StagedFile, stageAttachments } from './stage.ts';

export interface SendRequest {
  readonly channel_id: string;
  readonly text: string;
  readonly reply_to?: string | undefined;
  readonly attachments?: readonly AttachmentRequest[] | undefined;
}

export interface SendAnswer {
  readonly message_id: string;
  readonly sent_at: string;
}

/**
 * Sends one message, at most once for a key: channel known → idempotency → attachments → rate limit →
 * platform → one transaction that records the message and the answer.
 *
 * From the moment the platform is called the record says `started`; a process that dies then leaves it so,
 * and a replay answers "unknown" instead of sending again. So it does when what came of the call cannot be
 * recorded. What fails before that moment is forgotten and may be tried again with the same key.
 */
export async function sendMessage(
  ports: InboxPorts,
  connectorOf: (source: string) => Connector | undefined,
  request: SendRequest,
  caller: InboxCaller,
  key: string | null,
  signal: AbortSignal,
): Promise<{ answer: SendAnswer; replayed: boolean }> {
  const channel = await findChannel(ports, request.channel_id);
  const begun = key === null ? null : await beginKeyed(ports, caller, key, request);
  if (begun && 'replay' in begun) return begun.replay;
  const hold = begun?.hold ?? null;
  return holdingKey(ports, hold, async () => ({
    answer: await carryOut(ports, connectorOf, channel, request, caller, hold, signal),
    replayed: false,
  }));
}

/** The send itself, by whoever holds its key. */
async function carryOut(
  ports: InboxPorts,
  connectorOf: (source: string) => Connector | undefined,
  channel: ChannelRow,
  request: SendRequest,
  caller: InboxCaller,
  hold: IdempotencyHold | null,
  signal: AbortSignal,
): Promise<SendAnswer> {
  const messageId = ports.newId('msg');
  let staged: StagedFile[] = [];
  let connector: Connector;
  let replyToPlatformId: string | null;
  try {
    connector = requireConnector(connectorOf, channel);
    replyToPlatformId = await resolveReply(ports, connector, channel, request.reply_to);
    const { maxBytes, maxCount } = connector.capabilities.attachments;
    staged = await stageAttachments(
      ports,
      request.attachments ?? [],
      { maxCount, maxBytes: Math.min(maxBytes, ports.config.attachments.maxBytes) },
      signal,
    );
    await takeSendToken(ports, channel.channel_id);
    if (hold) await markIdempotentStarted(ports.store, hold, KEY_LEASE_MS);
  } catch (error) {
    await discardStaged(ports, staged);
    await forgetKey(ports, hold);
    throw error;
  }

  const text = storableText(request.text);
  const result = await deliver(ports.clock, connector, {
    channelId: channel.channel_id,
    text,
    replyToPlatformId,
    attachments: staged,
    allowMassMentions: channel.allow_mass_mentions === 1,
    nonceSeed: messageId,
  });
  if (result.error) logFailure(ports, channel, result.error);
  const failure = result.error === null ? null : storedFailure(result, messageId);
  const first = result.parts[0];
  const answer = first && { message_id: messageId, sent_at: formatMilliseconds(first.timestampMs) };
  const record = async (tx: InboxTransaction): Promise<void> => {
    // A commit that got no answer may have come through all the same.
    if (await isRecorded(tx, messageId)) return;
    if (answer) {
      await recordOutbound(tx, ports, connector, {
        messageId,
        channel,
        text,
        replyTo: request.reply_to ?? null,
        agentId: caller.agentId,
        result,
        staged,
      });
    }
    if (hold) {
      const status = failure ? inboxErrors[failure.code].status : 200;
      await finishIdempotent(tx, hold, { status, body: JSON.stringify(failure ?? answer) });
    }
  };
  await persistently(ports, () => ports.store.transaction(record)).catch(async (error: unknown) => {
    throw await unrecorded(ports, hold, failure, error);
  });
  if (failure) {
    await discardStaged(ports, staged);
    throw told(failure);
  }
  if (!answer) throw new Error('a send without an error has no part');
  return answer;
}

/** What the platform's library threw may hold the message itself, so its reason alone is logged; a bug's trace is wanted. */
function logFailure(
  ports: InboxPorts,
  channel: ChannelRow,
  error: NonNullable<DeliveryResult['error']>,
): void {
  const { code, delivery, cause } = error;
  const why = cause instanceof SendError ? { reason: cause.message } : { err: cause };
  const fields = { source: channel.source, channelId: channel.channel_id, code, delivery, ...why };
  ports.log.warn(fields, 'the platform did not take a message');
}

/**
 * What to tell when the platform has been called and what came of it cannot be recorded. A message that may be
 * there leaves its key unknown; staged attachments are left to the sweep, since nobody knows of the commit.
 */
async function unrecorded(
  ports: InboxPorts,
  hold: IdempotencyHold | null,
  failure: StoredFailure | null,
  error: unknown,
): Promise<Failure> {
  ports.log.error({ err: error }, 'what came of a send could not be recorded');
  if (failure?.details?.delivery === 'failed') {
    await forgetKey(ports, hold);
    return told(failure);
  }
  await leaveKeyUnknown(ports, hold);
  return fail(
    'PLATFORM_SEND_FAILED',
    'The hub could not record what came of this send; the message may have been sent, and is not sent again. Look at the channel, then send with a fresh key if it is missing.',
    { details: { delivery: 'unknown' } },
  );
}

function requireConnector(
  connectorOf: (source: string) => Connector | undefined,
  channel: ChannelRow,
): Connector {
  const connector = connectorOf(channel.source);
  if (!connector) {
    throw fail('PLATFORM_SEND_FAILED', `The ${channel.source} connector is not configured on this hub.`, {
      details: { delivery: 'failed' },
    });
  }
  return connector;
}

/** The platform's id of the message that is answered. */
async function resolveReply(
  ports: InboxPorts,
  connector: Connector,
  channel: ChannelRow,
  replyTo: string | undefined,
): Promise<string | null> {
  if (replyTo === undefined) return null;
  const found = await ports.store.db
    .selectFrom('inbox_messages')
    .innerJoin('inbox_platform_ids', 'inbox_platform_ids.message_id', 'inbox_messages.message_id')
    .select('inbox_platform_ids.platform_id')
    .where('inbox_messages.message_id', '=', replyTo)
    .where('inbox_messages.channel_id', '=', channel.channel_id)
    .where('inbox_messages.state', '=', 'accepted')
    .where('inbox_platform_ids.source', '=', connector.source)
    .where('inbox_platform_ids.account', '=', connector.account)
    .orderBy('inbox_platform_ids.platform_id')
    .executeTakeFirst();
  if (!found)
    throw fail('MESSAGE_NOT_FOUND', `reply_to: no message ${replyTo} is in channel ${channel.channel_id}.`);
  return found.platform_id;
}

async function takeSendToken(ports: InboxPorts, channelId: string): Promise<void> {
  const taken = await takeTokens(ports.store.db, {
    name: `inbox:send:${channelId}`,
    perSecond: ports.config.rateLimit.perSecond,
    burst: ports.config.rateLimit.burst,
  });
  if (!taken.ok) {
    throw fail('RATE_LIMITED', `Too many messages to ${channelId}; wait ${taken.retryAfterSeconds} s.`, {
      retryAfterSeconds: taken.retryAfterSeconds,
    });
  }
}

function storedFailure(result: DeliveryResult, messageId: string): StoredFailure {
  const { error } = result;
  if (!error) throw new Error('no failure to store');
  return {
    code: error.code,
    message: error.message,
    details: {
      delivery: error.delivery,
      ...(result.parts.length > 0 ? { sent_parts: result.parts.length, message_id: messageId } : {}),
    },
  };
}
