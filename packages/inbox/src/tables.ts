import type { StoreTables } from '@postern/store';

/** Times ending in `_us` are microseconds since the epoch, `_ms` milliseconds; flags are 0 or 1. */

export interface ChannelTable {
  channel_id: string;
  source: string;
  channel_type: 'dm' | 'group';
  name: string | null;
  allow_mass_mentions: number;
  message_count: number;
  last_message_us: number | null;
  created_us: number;
}

export interface MessageTable {
  message_id: string;
  source: string;
  channel_id: string;
  channel_type: 'dm' | 'group';
  direction: 'inbound' | 'outbound';
  state: 'accepted' | 'quarantined';
  sender_id: string;
  sender_name: string;
  text: string;
  reply_to: string | null;
  timestamp_ms: number;
  received_us: number;
  /** The receive time while the message is one that agents can have unread, else null. */
  feed_us: number | null;
  edited_us: number | null;
  deleted_us: number | null;
  raw: string;
}

/** Every platform id of a message: one for an inbound, one for each part of an outbound. */
export interface PlatformIdTable {
  source: string;
  account: string;
  platform_id: string;
  message_id: string;
}

export interface AttachmentTable {
  attachment_id: string;
  /** Null while an outbound attachment is staged and its message not yet recorded. */
  message_id: string | null;
  position: number;
  name: string;
  mime: string;
  size_bytes: number;
  /** 0 once the bytes are gone; the row stays. */
  available: number;
  created_us: number;
  /** What the platform calls the file among those of its message; null where it has no name for it. */
  platform_key: string | null;
}

export interface AgentTable {
  agent_id: string;
  first_seen_us: number;
  last_read_us: number | null;
  read_count: number;
  /** Messages up to here were there before the agent; those up to `filled_us` have their unread rows. */
  history_until_us: number;
  filled_us: number;
}

export interface UnreadTable {
  agent_id: string;
  received_us: number;
  message_id: string;
  channel_id: string;
  source: string;
}

export interface ReadTable {
  message_id: string;
  agent_id: string;
  read_us: number;
}

export interface AllowlistTable {
  source: string;
  sender_id: string;
  display_name: string | null;
  person_id: string | null;
  created_us: number;
}

export interface PairingTable {
  code: string;
  source: string;
  sender_id: string;
  display_name: string;
  channel_id: string;
  replies: number;
  created_us: number;
  expires_us: number;
}

export interface TokenTable {
  token_id: string;
  name: string;
  agent_id: string;
  scopes: string;
  token_hash: string;
  created_us: number;
  last_used_us: number | null;
}

export interface AuditTable {
  audit_id: string;
  at_us: number;
  actor: string;
  action: string;
  target: string;
  details: string;
}

export interface InboxTables extends StoreTables {
  inbox_clock: { id: number; last_us: number };
  inbox_channels: ChannelTable;
  inbox_messages: MessageTable;
  inbox_platform_ids: PlatformIdTable;
  inbox_attachments: AttachmentTable;
  inbox_agents: AgentTable;
  inbox_unread: UnreadTable;
  inbox_reads: ReadTable;
  inbox_allowlist: AllowlistTable;
  inbox_pairings: PairingTable;
  inbox_tokens: TokenTable;
  inbox_cursors: { source: string; account: string; cursor: string };
  inbox_channel_cursors: { source: string; account: string; channel_id: string; cursor: string };
  inbox_audit: AuditTable;
}
