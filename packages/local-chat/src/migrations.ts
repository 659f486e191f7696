import { columns, type Migration } from '@postern/store';
import { sql } from 'kysely';

/**
 * The chat's schema. Text compares byte by byte on both engines. What an index is for stands beside it.
 */
export const chatMigrations: readonly Migration[] = [
  {
    name: 'chat_0001_messages',
    async up(db, engine) {
      const { text, integer } = columns(engine);
      const statements = [
        sql`CREATE TABLE chat_sequence (
          id ${integer} PRIMARY KEY, value ${integer} NOT NULL, at_us ${integer} NOT NULL, pruned ${integer} NOT NULL)`,
        sql`INSERT INTO chat_sequence (id, value, at_us, pruned) VALUES (1, 0, 0, 0)`,
        sql`CREATE TABLE chat_channels (
          channel_id ${text} PRIMARY KEY, name ${text} NOT NULL UNIQUE, type ${text} NOT NULL,
          position ${integer} NOT NULL, created_us ${integer} NOT NULL)`,
        sql`CREATE TABLE chat_members (
          channel_id ${text} NOT NULL REFERENCES chat_channels (channel_id), user_id ${text} NOT NULL,
          user_name ${text} NOT NULL, position ${integer} NOT NULL, PRIMARY KEY (channel_id, user_id))`,
        sql`CREATE TABLE chat_messages (
          message_id ${text} PRIMARY KEY, channel_id ${text} NOT NULL REFERENCES chat_channels (channel_id),
          position ${integer} NOT NULL UNIQUE, root_id ${text} NOT NULL REFERENCES chat_messages (message_id),
          user_id ${text} NOT NULL, user_name ${text} NOT NULL, text ${text} NOT NULL, folded ${text} NOT NULL,
          reply_to ${text} REFERENCES chat_messages (message_id), nonce ${text}, created_us ${integer} NOT NULL,
          edited_us ${integer}, deleted_us ${integer}, changed ${integer})`,
        // Pages of a channel, and of a thread.
        sql`CREATE INDEX chat_messages_channel ON chat_messages (channel_id, position)`,
        sql`CREATE INDEX chat_messages_thread ON chat_messages (root_id, position)`,
        // What stands in for the events that the log no longer has.
        sql`CREATE INDEX chat_messages_changed ON chat_messages (changed) WHERE changed IS NOT NULL`,
        // One message for each nonce of a poster, however often it is tried.
        sql`CREATE UNIQUE INDEX chat_messages_nonce ON chat_messages (user_id, nonce) WHERE nonce IS NOT NULL`,
        sql`CREATE TABLE chat_attachments (
          attachment_id ${text} PRIMARY KEY, message_id ${text} NOT NULL REFERENCES chat_messages (message_id),
          ordinal ${integer} NOT NULL, name ${text} NOT NULL, mime ${text} NOT NULL, size_bytes ${integer} NOT NULL)`,
        sql`CREATE INDEX chat_attachments_message ON chat_attachments (message_id, ordinal)`,
        sql`CREATE TABLE chat_reactions (
          message_id ${text} NOT NULL REFERENCES chat_messages (message_id), emoji ${text} NOT NULL,
          user_id ${text} NOT NULL, position ${integer} NOT NULL, PRIMARY KEY (message_id, emoji, user_id))`,
        sql`CREATE TABLE chat_events (
          position ${integer} PRIMARY KEY, type ${text} NOT NULL, channel_id ${text} NOT NULL,
          message_id ${text} NOT NULL, data ${text} NOT NULL)`,
        // The events of a message, to be emptied when it is deleted.
        sql`CREATE INDEX chat_events_message ON chat_events (message_id)`,
        sql`CREATE TABLE chat_loose_blobs (blob_id ${text} PRIMARY KEY, since_us ${integer} NOT NULL)`,
      ];
      for (const statement of statements) await statement.execute(db);
    },
  },
];
