import type { Migration } from '@postern/store';
import { sql } from 'kysely';

/**
 * The inbox's schema. Ids compare byte by byte on both engines, so cursors and pages agree between them.
 * What an index is for stands beside it.
 */
export const inboxMigrations: readonly Migration[] = [
  {
    name: 'inbox_0001_messages',
    async up(db, engine) {
      const text = engine === 'postgres' ? sql`text COLLATE "C"` : sql`text`;
      const statements = [
        sql`CREATE TABLE inbox_clock (id bigint PRIMARY KEY, last_us bigint NOT NULL)`,
        sql`INSERT INTO inbox_clock (id, last_us) VALUES (1, 0)`,
        sql`CREATE TABLE inbox_channels (
          channel_id ${text} PRIMARY KEY, source ${text} NOT NULL, channel_type ${text} NOT NULL, name ${text},
          allow_mass_mentions bigint NOT NULL, message_count bigint NOT NULL, last_message_us bigint, created_us bigint NOT NULL)`,
        sql`CREATE INDEX inbox_channels_activity ON inbox_channels (last_message_us)`,
        sql`CREATE TABLE inbox_messages (
          message_id ${text} PRIMARY KEY, source ${text} NOT NULL,
          channel_id ${text} NOT NULL REFERENCES inbox_channels (channel_id), channel_type ${text} NOT NULL,
          direction ${text} NOT NULL, state ${text} NOT NULL, sender_id ${text} NOT NULL, sender_name ${text} NOT NULL,
          text ${text} NOT NULL, reply_to ${text}, timestamp_ms bigint NOT NULL, received_us bigint NOT NULL,
          feed_us bigint, edited_us bigint, deleted_us bigint, raw ${text} NOT NULL)`,
        // The feed, whole, by channel and by source: what an agent that has read nothing yet pages through.
        sql`CREATE UNIQUE INDEX inbox_messages_feed ON inbox_messages (feed_us) WHERE feed_us IS NOT NULL`,
        sql`CREATE INDEX inbox_messages_feed_channel ON inbox_messages (channel_id, feed_us) WHERE feed_us IS NOT NULL`,
        sql`CREATE INDEX inbox_messages_feed_source ON inbox_messages (source, feed_us) WHERE feed_us IS NOT NULL`,
        // Context windows and the console's conversation pages.
        sql`CREATE INDEX inbox_messages_context ON inbox_messages (channel_id, timestamp_ms, received_us) WHERE state = 'accepted'`,
        sql`CREATE INDEX inbox_messages_quarantine ON inbox_messages (message_id) WHERE state = 'quarantined'`,
        sql`CREATE INDEX inbox_messages_quarantine_sender ON inbox_messages (source, sender_id) WHERE state = 'quarantined'`,
        sql`CREATE TABLE inbox_platform_ids (
          source ${text} NOT NULL, account ${text} NOT NULL, platform_id ${text} NOT NULL,
          message_id ${text} NOT NULL REFERENCES inbox_messages (message_id),
          PRIMARY KEY (source, account, platform_id))`,
        sql`CREATE INDEX inbox_platform_ids_message ON inbox_platform_ids (message_id)`,
        sql`CREATE TABLE inbox_attachments (
          attachment_id ${text} PRIMARY KEY, message_id ${text} REFERENCES inbox_messages (message_id),
          position bigint NOT NULL, name ${text} NOT NULL, mime ${text} NOT NULL, size_bytes bigint NOT NULL,
          available bigint NOT NULL, created_us bigint NOT NULL)`,
        sql`CREATE INDEX inbox_attachments_message ON inbox_attachments (message_id, position)`,
        sql`CREATE INDEX inbox_attachments_staged ON inbox_attachments (created_us) WHERE message_id IS NULL`,
        sql`CREATE TABLE inbox_cursors (
          source ${text} NOT NULL, account ${text} NOT NULL, cursor ${text} NOT NULL, PRIMARY KEY (source, account))`,
      ];
      for (const statement of statements) await statement.execute(db);
    },
  },
  {
    name: 'inbox_0002_agents',
    async up(db, engine) {
      const text = engine === 'postgres' ? sql`text COLLATE "C"` : sql`text`;
      const statements = [
        sql`CREATE TABLE inbox_agents (
          agent_id ${text} PRIMARY KEY, first_seen_us bigint NOT NULL, last_read_us bigint, read_count bigint NOT NULL,
          history_until_us bigint NOT NULL, filled_us bigint NOT NULL)`,
        // One row per agent and unread message, so that a page costs what it holds, whatever lies in the past.
        sql`CREATE TABLE inbox_unread (
          agent_id ${text} NOT NULL REFERENCES inbox_agents (agent_id), received_us bigint NOT NULL,
          message_id ${text} NOT NULL, channel_id ${text} NOT NULL, source ${text} NOT NULL,
          PRIMARY KEY (agent_id, received_us))`,
        sql`CREATE INDEX inbox_unread_channel ON inbox_unread (agent_id, channel_id, received_us)`,
        sql`CREATE INDEX inbox_unread_source ON inbox_unread (agent_id, source, received_us)`,
        sql`CREATE INDEX inbox_unread_message ON inbox_unread (message_id)`,
        sql`CREATE TABLE inbox_reads (
          message_id ${text} NOT NULL, agent_id ${text} NOT NULL, read_us bigint NOT NULL, PRIMARY KEY (message_id, agent_id))`,
      ];
      for (const statement of statements) await statement.execute(db);
    },
  },
  {
    name: 'inbox_0003_access',
    async up(db, engine) {
      const text = engine === 'postgres' ? sql`text COLLATE "C"` : sql`text`;
      const statements = [
        sql`CREATE TABLE inbox_allowlist (
          source ${text} NOT NULL, sender_id ${text} NOT NULL, display_name ${text}, person_id ${text},
          created_us bigint NOT NULL, PRIMARY KEY (source, sender_id))`,
        sql`CREATE TABLE inbox_pairings (
          code ${text} PRIMARY KEY, source ${text} NOT NULL, sender_id ${text} NOT NULL, display_name ${text} NOT NULL,
          channel_id ${text} NOT NULL, replies bigint NOT NULL, created_us bigint NOT NULL, expires_us bigint NOT NULL)`,
        sql`CREATE UNIQUE INDEX inbox_pairings_sender ON inbox_pairings (source, sender_id)`,
        sql`CREATE TABLE inbox_tokens (
          token_id ${text} PRIMARY KEY, name ${text} NOT NULL, agent_id ${text} NOT NULL, scopes ${text} NOT NULL,
          token_hash ${text} NOT NULL UNIQUE, created_us bigint NOT NULL, last_used_us bigint)`,
        sql`CREATE TABLE inbox_audit (
          audit_id ${text} PRIMARY KEY, at_us bigint NOT NULL, actor ${text} NOT NULL, action ${text} NOT NULL,
          target ${text} NOT NULL, details ${text} NOT NULL)`,
        sql`CREATE INDEX inbox_audit_at ON inbox_audit (at_us)`,
      ];
      for (const statement of statements) await statement.execute(db);
    },
  },
  {
    name: 'inbox_0004_attachment_age',
    async up(db) {
      // What has been kept long enough; the rows of what is gone stay, and are not looked through.
      await sql`CREATE INDEX inbox_attachments_kept ON inbox_attachments (created_us)
        WHERE available = 1 AND message_id IS NOT NULL`.execute(db);
    },
  },
  {
    name: 'inbox_0005_channel_cursors',
    async up(db, engine) {
      const text = engine === 'postgres' ? sql`text COLLATE "C"` : sql`text`;
      // For platforms that are read channel by channel; one string with all of them would be rewritten by each message.
      await sql`CREATE TABLE inbox_channel_cursors (
        source ${text} NOT NULL, account ${text} NOT NULL, channel_id ${text} NOT NULL, cursor ${text} NOT NULL,
        PRIMARY KEY (source, account, channel_id))`.execute(db);
    },
  },
  {
    name: 'inbox_0006_attachment_keys',
    async up(db, engine) {
      const text = engine === 'postgres' ? sql`text COLLATE "C"` : sql`text`;
      await sql`ALTER TABLE inbox_attachments ADD COLUMN platform_key ${text}`.execute(db);
    },
  },
];
