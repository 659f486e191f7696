/**
 * What the platform needs of the embedded chat; joined to it where the product is put together. All but the plain
 * reads throw a `Failure` when the chat refuses, and then nothing was done.
 */
export interface LocalChat {
  /** Events after a cursor, oldest first; each change once, and none skipped. */
  eventsAfter(cursor: number, limit: number): Promise<readonly LocalEvent[]>;
  newestCursor(): Promise<number>;
  /** Of the time before this cursor, reactions are told no more. */
  oldestCursor(): Promise<number>;
  /** Resolves when there are events after the cursor, or the signal aborts. */
  waitForEvents(cursor: number, signal: AbortSignal): Promise<void>;
  /** The same nonce posts once. */
  post(message: {
    channelId: string;
    user: LocalPerson;
    text: string;
    threadId: string | null;
    attachments: readonly { name: string; mime: string; open(): Promise<AsyncIterable<Uint8Array>> }[];
    nonce?: string;
  }): Promise<LocalMessage>;
  edit(change: { messageId: string; userId: string; text: string }): Promise<unknown>;
  remove(change: { messageId: string; userId: string }): Promise<unknown>;
  react(change: { messageId: string; userId: string; emoji: string }): Promise<unknown>;
  unreact(change: { messageId: string; userId: string; emoji: string }): Promise<unknown>;
  typing(channelId: string, user: { id: string }): Promise<void>;
  readAttachment(
    id: string,
  ): Promise<{ readonly sizeBytes: number; open(): Promise<AsyncIterable<Uint8Array>> } | null>;
  /** A message, or its tombstone. */
  message(id: string): Promise<LocalMessage | null>;
  /** The newest of a channel or thread before a message, oldest first, tombstones among them. */
  messages(page: {
    channelId: string;
    threadId?: string;
    before?: string;
    limit: number;
  }): Promise<readonly LocalMessage[]>;
  search(search: {
    query: string;
    channelIds: readonly string[];
    limit: number;
  }): Promise<readonly LocalMessage[]>;
  channel(id: string): Promise<LocalChannel | null>;
  channels(): Promise<readonly LocalChannel[]>;
  people(by: { readonly id: string } | { readonly name: string }): Promise<readonly LocalPerson[]>;
  join(channelId: string, user: LocalPerson): Promise<void>;
  openDirect(user: LocalPerson, other: LocalPerson): Promise<LocalChannel>;
}

export interface LocalPerson {
  readonly id: string;
  readonly name: string;
}

export interface LocalChannel {
  readonly id: string;
  readonly name: string;
  readonly type: 'dm' | 'group';
  readonly members: readonly LocalPerson[];
}

export interface LocalMessage {
  readonly id: string;
  readonly channel_id: string;
  /** Null on a root. */
  readonly thread_id: string | null;
  readonly user: LocalPerson;
  readonly text: string;
  readonly attachments: readonly {
    readonly id: string;
    readonly name: string;
    readonly mime: string;
    readonly size_bytes: number;
  }[];
  readonly reactions: readonly { readonly emoji: string; readonly user_ids: readonly string[] }[];
  readonly created_at: string;
  readonly edited_at: string | null;
  /** Set on a tombstone: text, files and reactions are gone. */
  readonly deleted_at: string | null;
}

interface LocalReaction {
  readonly message_id: string;
  readonly channel_id: string;
  readonly user_id: string;
  readonly emoji: string;
}

export type LocalEvent = { readonly cursor: number; readonly channelId: string } & (
  | {
      readonly type: 'message.created' | 'message.updated' | 'message.deleted';
      readonly data: LocalMessage;
    }
  | { readonly type: 'reaction.added' | 'reaction.removed'; readonly data: LocalReaction }
);
