import { problem } from '@postern/http';
import type { Kysely } from 'kysely';
import { attach, discard, type NewAttachment, stage } from './attachments.ts';
import { assertChannel, join } from './channels.ts';
import { checked, refuse } from './checks.ts';
import { record } from './event-log.ts';
import { assembleOne, type MessageRow, present } from './message-rows.ts';
import type { ChatPorts, ChatTransaction } from './ports.ts';
import { nextMoment } from './sequence.ts';
import { type ChatMessage, type ChatPerson, messageText, person, reference } from './shapes.ts';
import type { ChatTables } from './tables.ts';
import { fold, storable } from './text.ts';

export interface NewMessage {
  readonly channelId: string;
  readonly user: ChatPerson;
  /** May be empty when there are attachments. */
  readonly text: string;
  /** Any message of the thread; the new one hangs on its root. */
  readonly threadId?: string | null;
  /** Any message of the channel. Without `threadId` the new message goes where that one is. */
  readonly replyTo?: string | null;
  readonly attachments?: readonly NewAttachment[];
  /** A second message of the same user and nonce is not posted; the first one is answered. */
  readonly nonce?: string;
}

/**
 * Posts a message. Its author becomes a member of the channel.
 *
 * @throws Failure not_found for an unknown channel, thread or message; validation_failed; body_too_large for a
 *   big file; conflict when the nonce was used in another channel; precondition_failed when a bound is reached.
 */
export async function post(ports: ChatPorts, message: NewMessage): Promise<ChatMessage> {
  const { db } = ports.store;
  const { attachments = [], nonce = null } = message;
  checked(person, message.user, 'user');
  assertText(message.text, attachments.length > 0);
  if (nonce !== null) checked(reference, nonce, 'nonce');
  await assertChannel(db, message.channelId);
  const messageId = ports.newId('post');
  const place = await placeOf(db, messageId, message);
  const earlier = await findByNonce(db, message);
  if (earlier !== undefined) return present(await assembleOne(db, earlier), ports.publicUrl());

  const files = await stage(ports, attachments);
  let posted: { stored: Awaited<ReturnType<typeof assembleOne>>; isNew: boolean };
  try {
    posted = await ports.store.transaction(async (tx) => {
      const moment = await nextMoment(tx, ports.clock);
      const rival = await findByNonce(tx, message);
      if (rival !== undefined) return { stored: await assembleOne(tx, rival), isNew: false };
      await join(ports, tx, message.channelId, message.user);
      const row = {
        message_id: messageId,
        channel_id: message.channelId,
        position: moment.position,
        ...place,
        user_id: message.user.id,
        user_name: storable(message.user.name),
        text: storable(message.text),
        folded: fold(storable(message.text)),
        nonce,
        created_us: moment.atMicroseconds,
        edited_us: null,
        deleted_us: null,
        changed: null,
      };
      await tx.insertInto('chat_messages').values(row).execute();
      await attach(tx, messageId, files);
      const stored = await assembleOne(tx, row);
      await record(ports, tx, moment.position, { type: 'message.created', data: stored });
      return { stored, isNew: true };
    });
  } catch (error) {
    await discard(
      ports,
      files.map((file) => file.id),
    );
    throw error;
  }
  if (!posted.isNew)
    await discard(
      ports,
      files.map((file) => file.id),
    );
  return present(posted.stored, ports.publicUrl());
}

/** @throws Failure validation_failed for a text that is too long, or that is all and is empty. */
export function assertText(text: string, hasFiles: boolean): void {
  checked(messageText, text, 'text');
  if (text === '' && !hasFiles) {
    refuse('text', 'too_short', 'must not be empty where there are no attachments');
  }
}

/** Where in the channel a message goes. Messages never vanish, so this needs no lock. */
async function placeOf(
  db: Kysely<ChatTables>,
  messageId: string,
  { channelId, threadId = null, replyTo = null }: NewMessage,
): Promise<Pick<MessageRow, 'root_id' | 'reply_to'>> {
  const threaded = threadId === null ? null : await findIn(db, channelId, threadId, 'thread_id');
  const answered = replyTo === null ? null : await findIn(db, channelId, replyTo, 'reply_to');
  // An answer to a reply stays in its thread; one to a root does not open a thread by itself.
  const followed = answered !== null && answered.root_id !== answered.message_id ? answered : null;
  return {
    root_id: (threaded ?? followed)?.root_id ?? messageId,
    reply_to: answered?.message_id ?? null,
  };
}

/** @throws Failure not_found when the channel has no message of that id. */
export async function findIn(
  db: Kysely<ChatTables>,
  channelId: string,
  messageId: string,
  field: string,
): Promise<Pick<MessageRow, 'message_id' | 'root_id' | 'position'>> {
  const row = await db
    .selectFrom('chat_messages')
    .select(['message_id', 'root_id', 'position'])
    .where('message_id', '=', checked(reference, messageId, field))
    .where('channel_id', '=', channelId)
    .executeTakeFirst();
  if (row === undefined) {
    throw problem('not_found', `${field}: ${channelId} has no message ${messageId}.`);
  }
  return row;
}

async function findByNonce(
  db: Kysely<ChatTables> | ChatTransaction,
  { channelId, user, nonce }: NewMessage,
): Promise<MessageRow | undefined> {
  if (nonce === undefined) return undefined;
  const row = await db
    .selectFrom('chat_messages')
    .selectAll()
    .where('user_id', '=', user.id)
    .where('nonce', '=', nonce)
    .executeTakeFirst();
  if (row !== undefined && row.channel_id !== channelId) {
    throw problem('conflict', `The nonce ${nonce} was used by ${user.id} in another channel.`);
  }
  return row;
}
