import { forUpdate } from '@postern/store';
import type { Transaction } from 'kysely';
import * as z from 'zod';
import type { Mention, Post, PostFile } from '../platforms/platform.ts';
import type { MessageOutcome, MessageTable, SessionTable, ThreadsTables } from '../tables.ts';
import type { Db } from './records.ts';
import type { Actor } from './session.ts';

/**
 * What people wrote, from its arrival until it is done. A message moves new → (held →) queued → given → taken →
 * done, or from new straight to done; each step is on record before the next is begun.
 */

const mentionsSchema = z.array(z.object({ text: z.string(), personId: z.string().nullable() }));
const filesSchema = z.array(
  z.object({ id: z.string(), name: z.string(), mime: z.string(), sizeBytes: z.number() }),
);

export interface MessageKey {
  readonly platformId: string;
  readonly channelId: string;
  readonly postId: string;
}

export const keyOf = (row: Pick<MessageTable, 'platform_id' | 'channel_id' | 'post_id'>): MessageKey => ({
  platformId: row.platform_id,
  channelId: row.channel_id,
  postId: row.post_id,
});

/** The post as it was recorded. */
export function postOf(row: MessageTable): Post {
  return {
    channelId: row.channel_id,
    postId: row.post_id,
    threadId: row.thread_id,
    author: { id: row.author_id, name: row.author_name, isBot: row.is_bot === 1 },
    text: row.text,
    mentions: mentionsSchema.parse(JSON.parse(row.mentions_json)) satisfies Mention[],
    files: filesSchema.parse(JSON.parse(row.files_json)) satisfies PostFile[],
    createdMs: row.created_ms,
    editedMs: null,
    isSystem: false,
  };
}

export function messageRow(
  post: Post,
  more: Pick<MessageTable, 'platform_id' | 'position' | 'hops' | 'received_us'>,
): MessageTable {
  return {
    ...more,
    channel_id: post.channelId,
    post_id: post.postId,
    thread_id: post.threadId,
    session_id: null,
    author_id: post.author.id,
    author_name: post.author.name,
    is_bot: post.author.isBot ? 1 : 0,
    text: post.text,
    mentions_json: JSON.stringify(post.mentions),
    files_json: JSON.stringify(post.files),
    created_ms: post.createdMs,
    state: 'new',
    agent_uuid: null,
    outcome: null,
  };
}

export async function messageByKey(db: Db, key: MessageKey): Promise<MessageTable | null> {
  const row = await db
    .selectFrom('threads_messages')
    .selectAll()
    .where('platform_id', '=', key.platformId)
    .where('channel_id', '=', key.channelId)
    .where('post_id', '=', key.postId)
    .executeTakeFirst();
  return row ?? null;
}

/** The same, kept from others until the transaction ends. */
export async function messageForUpdate(
  tx: Transaction<ThreadsTables>,
  key: MessageKey,
): Promise<MessageTable | null> {
  const query = tx
    .selectFrom('threads_messages')
    .selectAll()
    .where('platform_id', '=', key.platformId)
    .where('channel_id', '=', key.channelId)
    .where('post_id', '=', key.postId);
  return (await forUpdate(tx, query).executeTakeFirst()) ?? null;
}

/**
 * Moves a message on; false when it is no longer in one of the states it may come from, or its text is not what it
 * was taken for.
 */
export async function moveMessage(
  db: Db,
  key: MessageKey,
  from: readonly MessageTable['state'][],
  changes: Partial<Pick<MessageTable, 'state' | 'session_id' | 'agent_uuid' | 'outcome' | 'text'>>,
  text?: string,
): Promise<boolean> {
  let query = db
    .updateTable('threads_messages')
    .set(changes)
    .where('platform_id', '=', key.platformId)
    .where('channel_id', '=', key.channelId)
    .where('post_id', '=', key.postId)
    .where('state', 'in', from);
  if (text !== undefined) query = query.where('text', '=', text);
  const moved = await query.executeTakeFirst();
  return Number(moved.numUpdatedRows) > 0;
}

/** Puts another text in the place of a message's, as long as it is in that state. */
export async function rewriteMessage(
  db: Db,
  key: MessageKey,
  state: MessageTable['state'],
  post: Pick<Post, 'text' | 'mentions'>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('threads_messages')
    .set({ text: post.text, mentions_json: JSON.stringify(post.mentions) })
    .where('platform_id', '=', key.platformId)
    .where('channel_id', '=', key.channelId)
    .where('post_id', '=', key.postId)
    .where('state', '=', state)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** All messages of a session in some states, oldest first. */
export function messagesIn(
  db: Db,
  sessionId: string,
  states: readonly MessageTable['state'][],
  limit = 1_000,
): Promise<MessageTable[]> {
  return db
    .selectFrom('threads_messages')
    .selectAll()
    .where('session_id', '=', sessionId)
    .where('state', 'in', states)
    .orderBy('position')
    .limit(limit)
    .execute();
}

/** Ends all messages of a session that are in some states; gives how many there were. */
export async function finishMessages(
  db: Db,
  sessionId: string,
  states: readonly MessageTable['state'][],
  outcome: MessageOutcome,
): Promise<number> {
  const finished = await db
    .updateTable('threads_messages')
    .set({ state: 'done', outcome })
    .where('session_id', '=', sessionId)
    .where('state', 'in', states)
    .executeTakeFirst();
  return Number(finished.numUpdatedRows);
}

const OWN = 'own:';

/** Whether a message is text that a command hands to the agent. */
export function isOwnMessage(row: Pick<MessageTable, 'post_id'>): boolean {
  return row.post_id.startsWith(OWN);
}

/** A message of no post: text that a command hands to the agent as it stands. It belongs to no thread's order. */
export function ownMessage(
  session: Pick<SessionTable, 'session_id' | 'platform_id' | 'channel_id'>,
  message: { readonly text: string; readonly actor: Actor; readonly id: string; readonly nowUs: number },
): MessageTable {
  return {
    platform_id: session.platform_id,
    channel_id: session.channel_id,
    post_id: `${OWN}${message.id}`,
    position: message.nowUs,
    thread_id: '',
    session_id: session.session_id,
    author_id: message.actor.id,
    author_name: message.actor.name,
    is_bot: 0,
    hops: 0,
    text: message.text,
    mentions_json: '[]',
    files_json: '[]',
    created_ms: Math.floor(message.nowUs / 1_000),
    received_us: message.nowUs,
    state: 'queued',
    agent_uuid: null,
    outcome: null,
  };
}
