/**
 * The tables of Messages that hold conversations, with the columns, keys and indexes that macOS 14 gives them. Its
 * triggers call functions of the app and are left out.
 */
const flags = (...names: string[]) => names.map((name) => `${name} INTEGER DEFAULT 0`).join(', ');
const empty = (type: string, ...names: string[]) =>
  names.map((name) => `${name} ${type} DEFAULT NULL`).join(', ');

export const CHAT_SCHEMA = `
  CREATE TABLE handle (
    ROWID INTEGER PRIMARY KEY AUTOINCREMENT UNIQUE, id TEXT NOT NULL, country TEXT, service TEXT NOT NULL,
    uncanonicalized_id TEXT, person_centric_id TEXT, UNIQUE (id, service));
  CREATE TABLE chat (
    ROWID INTEGER PRIMARY KEY AUTOINCREMENT, guid TEXT UNIQUE NOT NULL, style INTEGER, state INTEGER,
    account_id TEXT, properties BLOB, chat_identifier TEXT, service_name TEXT, room_name TEXT, account_login TEXT,
    is_archived INTEGER DEFAULT 0, last_addressed_handle TEXT, display_name TEXT, group_id TEXT,
    ${flags('is_filtered')}, successful_query INTEGER, engram_id TEXT, server_change_token TEXT,
    ${flags('ck_sync_state')}, original_group_id TEXT, ${flags('last_read_message_timestamp')},
    cloudkit_record_id TEXT, last_addressed_sim_id TEXT,
    ${flags('is_blackholed', 'syndication_date', 'syndication_type', 'is_recovered', 'is_deleting_incoming_messages')});
  CREATE TABLE message (
    ROWID INTEGER PRIMARY KEY AUTOINCREMENT, guid TEXT UNIQUE NOT NULL, text TEXT, ${flags('replace')},
    service_center TEXT, handle_id INTEGER DEFAULT 0, subject TEXT, country TEXT, attributedBody BLOB,
    ${flags('version', 'type')}, service TEXT, account TEXT, account_guid TEXT, ${flags('error')}, date INTEGER,
    date_read INTEGER, date_delivered INTEGER,
    ${flags('is_delivered', 'is_finished', 'is_emote', 'is_from_me', 'is_empty', 'is_delayed', 'is_auto_reply')},
    ${flags('is_prepared', 'is_read', 'is_system_message', 'is_sent', 'has_dd_results', 'is_service_message')},
    ${flags('is_forward', 'was_downgraded', 'is_archive', 'cache_has_attachments')}, cache_roomnames TEXT,
    ${flags('was_data_detected', 'was_deduplicated', 'is_audio_message', 'is_played')}, date_played INTEGER,
    ${flags('item_type', 'other_handle')}, group_title TEXT,
    ${flags('group_action_type', 'share_status', 'share_direction', 'is_expirable', 'expire_state')},
    ${flags('message_action_type', 'message_source')}, associated_message_guid TEXT, balloon_bundle_id TEXT,
    payload_data BLOB, ${flags('associated_message_type')}, expressive_send_style_id TEXT,
    ${flags('associated_message_range_location', 'associated_message_range_length')},
    ${flags('time_expressive_send_played')}, message_summary_info BLOB, ${flags('ck_sync_state')},
    ${empty('TEXT', 'ck_record_id', 'ck_record_change_tag', 'destination_caller_id')}, ${flags('is_corrupt')},
    ${empty('TEXT', 'reply_to_guid')}, ${flags('sort_id', 'is_spam', 'has_unseen_mention')},
    ${empty('TEXT', 'thread_originator_guid', 'thread_originator_part', 'syndication_ranges')},
    ${flags('was_delivered_quietly', 'did_notify_recipient')}, ${empty('TEXT', 'synced_syndication_ranges')},
    ${flags('date_retracted', 'date_edited', 'was_detonated', 'part_count', 'is_stewie', 'is_kt_verified')},
    ${flags('is_sos', 'is_critical')}, ${empty('TEXT', 'bia_reference_id')}, ${flags('fallback_hash')},
    ${empty('TEXT', 'associated_message_emoji')}, ${flags('is_pending_satellite_send', 'needs_relay')},
    ${flags('schedule_type', 'schedule_state', 'sent_or_received_off_grid')});
  CREATE TABLE attachment (
    ROWID INTEGER PRIMARY KEY AUTOINCREMENT, guid TEXT UNIQUE NOT NULL, ${flags('created_date', 'start_date')},
    filename TEXT, uti TEXT, mime_type TEXT, ${flags('transfer_state', 'is_outgoing')}, user_info BLOB,
    transfer_name TEXT, ${flags('total_bytes', 'is_sticker')}, sticker_user_info BLOB, attribution_info BLOB,
    ${flags('hide_attachment', 'ck_sync_state')}, ck_server_change_token_blob BLOB, ck_record_id TEXT,
    original_guid TEXT, ${flags('is_commsafety_sensitive')}, emoji_image_content_identifier TEXT,
    emoji_image_short_description TEXT, preview_generation_state INTEGER DEFAULT 0);
  CREATE TABLE chat_handle_join (
    chat_id INTEGER REFERENCES chat (ROWID) ON DELETE CASCADE,
    handle_id INTEGER REFERENCES handle (ROWID) ON DELETE CASCADE, UNIQUE (chat_id, handle_id));
  CREATE TABLE chat_message_join (
    chat_id INTEGER REFERENCES chat (ROWID) ON DELETE CASCADE,
    message_id INTEGER REFERENCES message (ROWID) ON DELETE CASCADE, message_date INTEGER DEFAULT 0,
    PRIMARY KEY (chat_id, message_id));
  CREATE TABLE message_attachment_join (
    message_id INTEGER REFERENCES message (ROWID) ON DELETE CASCADE,
    attachment_id INTEGER REFERENCES attachment (ROWID) ON DELETE CASCADE, UNIQUE (message_id, attachment_id));
  CREATE INDEX chat_idx_chat_identifier ON chat (chat_identifier);
  CREATE INDEX chat_message_join_idx_message_id_only ON chat_message_join (message_id);
  CREATE INDEX chat_message_join_idx_message_date_id_chat_id
    ON chat_message_join (chat_id, message_date, message_id);
  CREATE INDEX message_attachment_join_idx_message_id ON message_attachment_join (message_id);
  CREATE INDEX message_attachment_join_idx_attachment_id ON message_attachment_join (attachment_id);
  CREATE INDEX message_idx_date ON message (date);
  CREATE INDEX message_idx_handle ON message (handle_id, date);
`;
