import { type Stats, statSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import {
  type AttachmentRow,
  attachmentRowSchema,
  type ChatRow,
  chatRowSchema,
  type MessageRow,
  messageRowSchema,
} from './rows.ts';
import { ChatDatabaseTrouble, troubleOf } from './trouble.ts';

/** A reader waits this long for a lock; the process does nothing else meanwhile. */
const LOCK_MS = 100;
/** Bodies above this are left where they are. */
const LARGEST_COLUMN = 4 * 1_048_576;
/** Bytes of a page's bodies, above which it ends early. */
const PAGE_BYTES = 16 * 1_048_576;
/** Attachments of one message; Messages itself takes fewer. */
export const MOST_ATTACHMENTS = 64;

/** Seconds, or nanoseconds since macOS 10.13, from here on. */
const NANOSECONDS_FROM = 100_000_000_000;
/** 2001-01-01, where Apple's time begins. */
export const APPLE_EPOCH_MS = 978_307_200_000;

/**
 * The database of Messages, opened for reading alone. What another program writes is seen, the write-ahead log
 * included; nothing is ever written, and nothing is locked for longer than a statement.
 *
 * All methods throw what SQLite throws; {@link troubleOf} puts it in words.
 */
export class ChatDatabase {
  readonly #database: DatabaseSync;
  readonly #file: Pick<Stats, 'dev' | 'ino'>;
  readonly #path: string;
  readonly #statements = new Map<string, StatementSync>();
  readonly #columns = new Map<string, ReadonlySet<string>>();

  /** @throws ChatDatabaseTrouble */
  constructor(path: string) {
    this.#path = path;
    let database: DatabaseSync | undefined;
    try {
      this.#file = statSync(path);
      const address = pathToFileURL(path);
      address.searchParams.set('mode', 'ro');
      database = new DatabaseSync(address, { readOnly: true, timeout: LOCK_MS, allowExtension: false });
      database.exec('PRAGMA query_only = 1');
      this.#database = database;
      for (const [table, column] of NEEDED) this.#assertColumn(table, column);
    } catch (error) {
      database?.close();
      throw troubleOf(path, error);
    }
  }

  /** Whether the path still leads to the file that was opened. @throws as the file system does. */
  isCurrent(): boolean {
    const { dev, ino } = statSync(this.#path);
    return dev === this.#file.dev && ino === this.#file.ino;
  }

  /** Another number whenever another connection has committed. */
  version(): number {
    return this.#number('PRAGMA data_version') ?? 0;
  }

  /** The newest ROWID that there is, 0 without any. */
  newestRow(): number {
    return this.#number('SELECT MAX(ROWID) FROM message') ?? 0;
  }

  /** The newest ROWID that there ever was, or that there is. */
  newestRowEver(): number {
    const ever = this.#has('sqlite_sequence', 'seq')
      ? this.#number("SELECT seq FROM sqlite_sequence WHERE name = 'message'")
      : null;
    return Math.max(ever ?? 0, this.newestRow());
  }

  guidOf(row: number): string | null {
    const found = this.#prepare('SELECT guid FROM message WHERE ROWID = ?').get(row);
    return typeof found?.guid === 'string' ? found.guid : null;
  }

  /** The row before the first one that is newer than a moment, by its date. */
  rowBefore(ms: number): number {
    const first = this.#number(
      `SELECT MIN(ROWID) FROM message WHERE date > ?`,
      BigInt(Math.floor(ms - APPLE_EPOCH_MS)) * 1_000_000n,
    );
    return first === null ? this.newestRow() : first - 1;
  }

  /**
   * Messages after a ROWID, in their order, and the ROWID up to which these are all; null when there are none.
   * Fewer than the limit do not mean that there are no more.
   */
  messagesAfter(row: number, limit: number): { messages: MessageRow[]; throughRow: number } | null {
    const messages: MessageRow[] = [];
    let throughRow: number | null = null;
    let bytes = 0;
    for (const raw of this.#messages('m.ROWID > ? ORDER BY m.ROWID LIMIT ?').iterate(row, limit)) {
      throughRow = Number(raw.row);
      const message = parsed(raw);
      if (!message) continue;
      messages.push(message);
      bytes += (message.body?.length ?? 0) + (message.summary?.length ?? 0) + (message.text?.length ?? 0);
      if (bytes > PAGE_BYTES) break;
    }
    return throughRow === null ? null : { messages, throughRow };
  }

  message(row: number): MessageRow | null {
    return parsed(this.#messages('m.ROWID = ?').get(row)) ?? null;
  }

  /** The one that stands before a message in its chat. */
  messageBefore({ row, chatGuid }: Pick<MessageRow, 'row' | 'chatGuid'>): MessageRow | null {
    const before = this.#number(
      `SELECT MAX(message_id) FROM chat_message_join
       WHERE chat_id = (SELECT ROWID FROM chat WHERE guid = ?) AND message_id < ?`,
      chatGuid,
      row,
    );
    return before === null ? null : this.message(before);
  }

  /** ROWIDs of a stretch whose messages were changed or taken back, each with a mark of how they are now. */
  changes(afterRow: number, throughRow: number): { row: number; change: string }[] {
    const marks = ['date_edited', 'date_retracted'].filter((column) => this.#has('message', column));
    if (marks.length === 0) return [];
    const statement = this.#prepare(`
      SELECT ROWID AS row, ${marks.map((column) => `CAST(${column} AS TEXT)`).join(` || ' ' || `)} AS change
      FROM message WHERE ROWID > ? AND ROWID <= ? AND (${marks.map((column) => `${column} > 0`).join(' OR ')})
      ORDER BY ROWID
    `);
    return statement
      .all(afterRow, throughRow)
      .map(({ row, change }) => ({ row: Number(row), change: String(change) }));
  }

  /** Own messages after a ROWID, in their order. */
  ownMessagesAfter(row: number, limit: number): MessageRow[] {
    return this.#messages('m.ROWID > ? AND m.is_from_me = 1 ORDER BY m.ROWID LIMIT ?')
      .all(row, limit)
      .flatMap((raw) => parsed(raw) ?? []);
  }

  /** Own messages of a chat in a stretch of ROWIDs, newest first. */
  ownMessagesNear(chatGuid: string, row: number, reach: number): MessageRow[] {
    return this.#messages(
      'm.ROWID >= ? AND m.ROWID <= ? AND m.is_from_me = 1 AND c.guid = ? ORDER BY m.ROWID DESC',
    )
      .all(row - reach, row + reach, chatGuid)
      .flatMap((raw) => parsed(raw) ?? []);
  }

  attachmentsOf(row: number): AttachmentRow[] {
    if (!this.#has('message_attachment_join', 'attachment_id') || !this.#has('attachment', 'guid')) return [];
    const column = (name: string, fallback: string) => this.#column('attachment', 'a', name, fallback);
    const statement = this.#prepare(`
      SELECT a.guid AS guid, ${column('filename', 'NULL')} AS filename, ${column('transfer_name', 'NULL')} AS name,
        ${column('mime_type', 'NULL')} AS mime, ${column('transfer_state', 'NULL')} AS state,
        ${column('total_bytes', '0')} AS sizeBytes, ${column('hide_attachment', '0')} AS hidden
      FROM message_attachment_join j JOIN attachment a ON a.ROWID = j.attachment_id
      WHERE j.message_id = ? ORDER BY a.ROWID LIMIT ${MOST_ATTACHMENTS}
    `);
    return statement.all(row).flatMap((raw) => {
      const result = attachmentRowSchema.safeParse(raw);
      return result.success ? [result.data] : [];
    });
  }

  /** Chats with one person, those that had a message last first. */
  directChats(): ChatRow[] {
    const style = this.#has('chat', 'style') ? 'style = 45' : `guid LIKE '%;-;%'`;
    const statement = this.#prepare(`
      SELECT guid, chat_identifier AS identifier, ${this.#column('chat', 'chat', 'service_name', 'NULL')} AS service
      FROM chat WHERE ${style}
      ORDER BY (SELECT MAX(message_id) FROM chat_message_join j WHERE j.chat_id = chat.ROWID) DESC
    `);
    return statement.all().flatMap((raw) => {
      const result = chatRowSchema.safeParse(raw);
      return result.success ? [result.data] : [];
    });
  }

  hasChat(guid: string): boolean {
    return this.#prepare('SELECT 1 FROM chat WHERE guid = ?').get(guid) !== undefined;
  }

  close(): void {
    this.#statements.clear();
    if (this.#database.isOpen) this.#database.close();
  }

  #messages(where: string): StatementSync {
    const column = (name: string, fallback = 'NULL') => this.#column('message', 'm', name, fallback);
    const chat = (name: string) => this.#column('chat', 'c', name, 'NULL');
    const small = (name: string) =>
      this.#has('message', name)
        ? `CASE WHEN length(m.${name}) <= ${LARGEST_COLUMN} THEN m.${name} END`
        : 'NULL';
    const style = this.#has('chat', 'style')
      ? 'c.style'
      : `CASE WHEN c.guid LIKE '%;+;%' THEN 43 WHEN c.guid LIKE '%;-;%' THEN 45 END`;
    return this.#prepare(`
      SELECT m.ROWID AS row, m.guid AS guid, ${small('text')} AS text, ${column('subject')} AS subject,
        ${small('attributedBody')} AS body, ${small('message_summary_info')} AS summary,
        ${column('service')} AS service, h.id AS handle, ${milliseconds(column('date'))} AS dateMs,
        ${milliseconds(column('date_edited'))} AS editedMs, ${milliseconds(column('date_retracted'))} AS retractedMs,
        m.is_from_me AS fromMe, ${column('item_type', '0')} AS itemType,
        ${column('associated_message_type', '0')} AS associatedType,
        ${column('thread_originator_guid')} AS threadOriginator, ${column('balloon_bundle_id')} AS balloon,
        ${column('cache_has_attachments', '1')} AS hasAttachments,
        ${column('destination_caller_id')} AS addressedTo, ${column('account')} AS account,
        ${column('error', '0')} AS error, ${column('is_sent', '1')} AS sent,
        c.guid AS chatGuid, ${style} AS chatStyle, c.chat_identifier AS chatIdentifier,
        ${chat('display_name')} AS chatName, ${chat('account_login')} AS chatLogin,
        ${chat('last_addressed_handle')} AS chatAddressedTo
      FROM message m
      LEFT JOIN handle h ON h.ROWID = m.handle_id
      LEFT JOIN chat c ON c.ROWID =
        (SELECT chat_id FROM chat_message_join j WHERE j.message_id = m.ROWID ORDER BY chat_id LIMIT 1)
      WHERE ${where}
    `);
  }

  #column(table: string, alias: string, name: string, fallback: string): string {
    return this.#has(table, name) ? `${alias}.${name}` : fallback;
  }

  /** Columns came with versions of macOS, so what an older one lacks is read as nothing. */
  #has(table: string, column: string): boolean {
    let columns = this.#columns.get(table);
    if (!columns) {
      const found = this.#database.prepare('SELECT name FROM pragma_table_info(?)').all(table);
      columns = new Set(found.map(({ name }) => String(name)));
      this.#columns.set(table, columns);
    }
    return columns.has(column);
  }

  #assertColumn(table: string, column: string): void {
    if (this.#has(table, column)) return;
    const message = `${this.#path} is no database of Messages: it has no ${table}.${column}.`;
    throw new ChatDatabaseTrouble('broken', message);
  }

  #number(sql: string, ...values: SQLInputValue[]): number | null {
    const [value] = Object.values(this.#prepare(sql).get(...values) ?? {});
    return typeof value === 'number' ? value : null;
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

const NEEDED = [
  ['message', 'guid'],
  ['message', 'text'],
  ['message', 'date'],
  ['message', 'is_from_me'],
  ['message', 'handle_id'],
  ['handle', 'id'],
  ['chat', 'guid'],
  ['chat', 'chat_identifier'],
  ['chat_message_join', 'message_id'],
] as const;

function parsed(raw: unknown): MessageRow | undefined {
  if (raw === undefined) return undefined;
  const result = messageRowSchema.safeParse(raw);
  return result.success ? result.data : undefined;
}

/** Milliseconds since 1970; computed by SQLite, since nanoseconds are too large for a number of JavaScript. */
function milliseconds(column: string): string {
  return `CASE WHEN typeof(${column}) NOT IN ('integer', 'real') OR ${column} = 0 THEN NULL
    WHEN ABS(${column}) >= ${NANOSECONDS_FROM} THEN CAST(${column} / 1000000 AS INTEGER) + ${APPLE_EPOCH_MS}
    ELSE CAST(${column} * 1000 AS INTEGER) + ${APPLE_EPOCH_MS} END`;
}
