/** Times ending in `_us` are microseconds since the epoch. A position is a number of the one sequence. */

export interface ChatChannelTable {
  /** `local:<name>`. */
  channel_id: string;
  name: string;
  type: 'dm' | 'group';
  position: number;
  created_us: number;
}

export interface ChatMemberTable {
  channel_id: string;
  user_id: string;
  /** The name last seen with the id. */
  user_name: string;
  position: number;
}

export interface ChatMessageTable {
  message_id: string;
  channel_id: string;
  /** Order of creation, and the id of the message's first event. */
  position: number;
  /** Root of the thread; a root's own id is its root too. */
  root_id: string;
  user_id: string;
  user_name: string;
  text: string;
  /** The text as search compares it. */
  folded: string;
  reply_to: string | null;
  nonce: string | null;
  created_us: number;
  edited_us: number | null;
  deleted_us: number | null;
  /** Position of the newest edit or of the deletion. */
  changed: number | null;
}

export interface ChatAttachmentTable {
  /** Also the id of the blob. */
  attachment_id: string;
  message_id: string;
  ordinal: number;
  name: string;
  mime: string;
  size_bytes: number;
}

export interface ChatReactionTable {
  message_id: string;
  emoji: string;
  user_id: string;
  position: number;
}

export interface ChatEventTable {
  position: number;
  type: string;
  channel_id: string;
  message_id: string;
  /** JSON of the event's data, without addresses, since the public URL may change. */
  data: string;
}

export interface ChatTables {
  /** One row. `pruned` is the position up to which the event log has been cut. */
  chat_sequence: { id: number; value: number; at_us: number; pruned: number };
  chat_channels: ChatChannelTable;
  chat_members: ChatMemberTable;
  chat_messages: ChatMessageTable;
  chat_attachments: ChatAttachmentTable;
  chat_reactions: ChatReactionTable;
  chat_events: ChatEventTable;
  /** Blobs that belong to no message: not yet, or no more. */
  chat_loose_blobs: { blob_id: string; since_us: number };
}
