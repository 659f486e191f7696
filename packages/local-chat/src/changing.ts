import { problem } from '@postern/http';
import { detach, discard } from './attachments.ts';
import { checked } from './checks.ts';
import { emptyEventsOf, record } from './event-log.ts';
import { assembleOne, type MessageRow, present } from './message-rows.ts';
import type { ChatPorts, ChatTransaction } from './ports.ts';
import { assertText } from './posting.ts';
import { nextMoment } from './sequence.ts';
import { type ChatMessage, emojiName, reference, userId } from './shapes.ts';
import { fold, storable } from './text.ts';

/** Changes of a message that is there: edit, delete, react. Each is one transaction with its event. */

export interface TextChange {
  readonly messageId: string;
  readonly userId: string;
  readonly text: string;
}

/**
 * Replaces the text. The same text again changes nothing.
 *
 * @throws Failure not_found; forbidden unless `userId` wrote it; precondition_failed when it is deleted.
 */
export async function edit(ports: ChatPorts, change: TextChange): Promise<ChatMessage> {
  checked(userId, change.userId, 'user_id');
  const text = storable(change.text);
  const stored = await ports.store.transaction(async (tx) => {
    const moment = await nextMoment(tx, ports.clock);
    const row = await find(tx, change.messageId);
    assertAuthor(row, change.userId);
    assertThere(row);
    const before = await assembleOne(tx, row);
    assertText(text, before.attachments.length > 0);
    if (row.text === text) return before;
    const changes = {
      text,
      folded: fold(text),
      edited_us: moment.atMicroseconds,
      changed: moment.position,
    };
    await tx.updateTable('chat_messages').set(changes).where('message_id', '=', row.message_id).execute();
    const after = await assembleOne(tx, { ...row, ...changes });
    await record(ports, tx, moment.position, { type: 'message.updated', data: after });
    return after;
  });
  return present(stored, ports.publicUrl());
}

/**
 * Leaves a tombstone: no text, no attachments, no reactions, also in the events that told them. A second
 * time changes nothing.
 *
 * @throws Failure not_found; forbidden unless `userId` wrote it.
 */
export async function remove(ports: ChatPorts, change: Omit<TextChange, 'text'>): Promise<ChatMessage> {
  checked(userId, change.userId, 'user_id');
  const { stored, blobs } = await ports.store.transaction(async (tx) => {
    const moment = await nextMoment(tx, ports.clock);
    const row = await find(tx, change.messageId);
    assertAuthor(row, change.userId);
    if (row.deleted_us !== null) return { stored: await assembleOne(tx, row), blobs: [] };
    const changes = {
      text: '',
      folded: '',
      deleted_us: moment.atMicroseconds,
      changed: moment.position,
    };
    await tx.updateTable('chat_messages').set(changes).where('message_id', '=', row.message_id).execute();
    await tx.deleteFrom('chat_reactions').where('message_id', '=', row.message_id).execute();
    const detached = await detach(ports, tx, row.message_id);
    const tombstone = await assembleOne(tx, { ...row, ...changes });
    await emptyEventsOf(tx, tombstone);
    await record(ports, tx, moment.position, { type: 'message.deleted', data: tombstone });
    return { stored: tombstone, blobs: detached };
  });
  await discard(ports, blobs);
  return present(stored, ports.publicUrl());
}

export interface ReactionChange {
  readonly messageId: string;
  readonly userId: string;
  /** Name without colons; a skin tone makes it another reaction. */
  readonly emoji: string;
}

/**
 * Adds a reaction; one that is there already stays as it is.
 *
 * @throws Failure not_found; validation_failed; precondition_failed on a deleted message or a full one.
 */
export async function react(ports: ChatPorts, change: ReactionChange): Promise<ChatMessage> {
  return changeReaction(ports, change, async (tx, row, position) => {
    assertThere(row);
    const { count } = await tx
      .selectFrom('chat_reactions')
      .select((expression) => expression.fn.countAll<number>().as('count'))
      .where('message_id', '=', row.message_id)
      .executeTakeFirstOrThrow();
    const added = await tx
      .insertInto('chat_reactions')
      .values({ message_id: row.message_id, emoji: change.emoji, user_id: change.userId, position })
      .onConflict((conflict) => conflict.doNothing())
      .returning('emoji')
      .execute();
    if (added.length === 0) return null;
    if (count >= ports.limits.reactionsPerMessage) {
      throw problem('precondition_failed', `The message has ${count} reactions, which is the limit.`);
    }
    return 'reaction.added';
  });
}

/**
 * Takes a reaction back; one that is not there is no error.
 *
 * @throws Failure not_found; validation_failed.
 */
export async function unreact(ports: ChatPorts, change: ReactionChange): Promise<ChatMessage> {
  return changeReaction(ports, change, async (tx, row) => {
    const removed = await tx
      .deleteFrom('chat_reactions')
      .where('message_id', '=', row.message_id)
      .where('emoji', '=', change.emoji)
      .where('user_id', '=', change.userId)
      .returning('emoji')
      .execute();
    return removed.length === 0 ? null : 'reaction.removed';
  });
}

async function changeReaction(
  ports: ChatPorts,
  change: ReactionChange,
  apply: (
    tx: ChatTransaction,
    row: MessageRow,
    position: number,
  ) => Promise<'reaction.added' | 'reaction.removed' | null>,
): Promise<ChatMessage> {
  checked(userId, change.userId, 'user_id');
  checked(emojiName, change.emoji, 'emoji');
  const stored = await ports.store.transaction(async (tx) => {
    const { position } = await nextMoment(tx, ports.clock);
    const row = await find(tx, change.messageId);
    const type = await apply(tx, row, position);
    if (type !== null) {
      const data = {
        message_id: row.message_id,
        channel_id: row.channel_id,
        user_id: change.userId,
        emoji: change.emoji,
      };
      await record(ports, tx, position, { type, data });
    }
    return assembleOne(tx, row);
  });
  return present(stored, ports.publicUrl());
}

/** The row, after {@link nextMoment} safe from other writers. */
async function find(tx: ChatTransaction, messageId: string): Promise<MessageRow> {
  const row = await tx
    .selectFrom('chat_messages')
    .selectAll()
    .where('message_id', '=', checked(reference, messageId, 'message_id'))
    .executeTakeFirst();
  if (row === undefined) throw problem('not_found', `No message ${messageId} exists.`);
  return row;
}

function assertAuthor(row: MessageRow, user: string): void {
  if (row.user_id !== user) {
    throw problem('forbidden', `user_id: only ${row.user_id}, who wrote ${row.message_id}, may change it.`);
  }
}

function assertThere(row: MessageRow): void {
  if (row.deleted_us !== null) throw problem('precondition_failed', `${row.message_id} is deleted.`);
}
