import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { binaryPlist } from './plist-writer.ts';
import { CHAT_SCHEMA } from './schema.ts';
import { typedstream, type WrittenRun } from './typedstream-writer.ts';

/** 2001-01-01, from which Messages counts. */
const APPLE_EPOCH_MS = 978_307_200_000;

export interface WrittenFile {
  readonly name: string;
  /** Null: Messages has not received them yet. */
  readonly bytes: Uint8Array | null;
  readonly sizeBytes?: number;
  /** 5 with bytes and 3 without, unless told otherwise. */
  readonly transferState?: number;
  /** As in the database; beneath the folder of attachments unless told otherwise. */
  readonly path?: string;
  readonly isHidden?: boolean;
  readonly guid?: string;
}

export interface WrittenMessage {
  readonly chat: number | null;
  readonly from?: string | null;
  readonly text?: string | readonly WrittenRun[] | null;
  readonly files?: readonly WrittenFile[];
  readonly service?: string | null;
  readonly fromMe?: boolean;
  readonly atMs?: number;
  readonly replyTo?: string | null;
  readonly guid?: string;
  /** Further columns, over those that follow from the rest. */
  readonly columns?: Readonly<Record<string, SQLInputValue>>;
}

/** A database of Messages that a test writes as the app does: write-ahead log, text in `attributedBody` alone. */
export class ChatDb {
  readonly path: string;
  readonly #database: DatabaseSync;

  /** @param path of a database that is there already, or is made. */
  constructor(path: string) {
    this.path = path;
    this.#database = new DatabaseSync(path, { timeout: 5_000 });
    this.#database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF');
    const made = this.#database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'message'").get();
    if (!made) this.#database.exec(CHAT_SCHEMA);
  }

  get attachments(): string {
    return join(dirname(this.path), 'Attachments');
  }

  handle(id: string, service = 'iMessage'): number {
    this.run('INSERT OR IGNORE INTO handle (id, service) VALUES (?, ?)', id, service);
    return this.#number('SELECT ROWID FROM handle WHERE id = ? AND service = ?', id, service);
  }

  /** @returns its ROWID. */
  directChat(
    address: string,
    options: {
      readonly service?: string;
      readonly prefix?: string;
      readonly columns?: Readonly<Record<string, SQLInputValue>>;
    } = {},
  ): number {
    const { service = 'iMessage', prefix = service, columns = {} } = options;
    const chat = this.#insert('chat', {
      guid: `${prefix};-;${address}`,
      style: 45,
      chat_identifier: address,
      service_name: service,
      ...columns,
    });
    this.#insert('chat_handle_join', { chat_id: chat, handle_id: this.handle(address, service) });
    return chat;
  }

  groupChat(
    guid: string,
    members: readonly string[],
    { name = '', service = 'iMessage', style = 43 as number | null } = {},
  ): number {
    const identifier = guid.split(';').at(-1) ?? guid;
    const chat = this.#insert('chat', {
      guid,
      style,
      chat_identifier: identifier,
      room_name: identifier,
      service_name: service,
      display_name: name,
    });
    for (const member of members)
      this.#insert('chat_handle_join', { chat_id: chat, handle_id: this.handle(member, service) });
    return chat;
  }

  chat(guid: string): number {
    return this.#number('SELECT ROWID FROM chat WHERE guid = ?', guid);
  }

  /** @returns the message's guid. */
  message(message: WrittenMessage): string {
    const { chat, text = null, service = 'iMessage', fromMe = false, from = null } = message;
    const files = (message.files ?? []).map((file) => ({
      guid: `at_0_${randomUUID().toUpperCase()}`,
      ...file,
    }));
    const guid = message.guid ?? randomUUID().toUpperCase();
    const date = nanoseconds(message.atMs ?? Date.now());
    this.run('BEGIN IMMEDIATE');
    const row = this.#insert('message', {
      guid,
      attributedBody: bodyOf(
        text,
        files.map(({ guid }) => guid),
      ),
      service,
      date,
      handle_id: from === null ? 0 : this.handle(from, service ?? 'iMessage'),
      is_from_me: fromMe ? 1 : 0,
      is_sent: fromMe ? 1 : 0,
      is_finished: 1,
      cache_has_attachments: files.length > 0 ? 1 : 0,
      thread_originator_guid: message.replyTo ?? null,
      thread_originator_part: message.replyTo ? '0:0:5' : null,
      ...message.columns,
    });
    if (chat !== null) this.join(guid, chat);
    for (const file of files) this.#attach(row, file, fromMe);
    this.run('COMMIT');
    return guid;
  }

  /** Puts a message that is there into a chat. */
  join(guid: string, chat: number): void {
    this.run(
      'INSERT INTO chat_message_join (chat_id, message_id, message_date) SELECT ?, ROWID, date FROM message WHERE guid = ?',
      chat,
      guid,
    );
  }

  /** As Messages does it: the new text in the body, all versions in the summary. */
  edit(guid: string, text: string): void {
    const summary = {
      ec: {
        '0': [
          { d: 0.5, t: typedstream('before') },
          { d: 1.5, t: typedstream(text) },
        ],
      },
    };
    this.run(
      'UPDATE message SET text = NULL, attributedBody = ?, message_summary_info = ?, date_edited = ? WHERE guid = ?',
      typedstream(text),
      binaryPlist({ ...summary, ep: [0], ust: true }),
      nanoseconds(Date.now()),
      guid,
    );
  }

  unsend(guid: string): void {
    const now = nanoseconds(Date.now());
    this.run(
      `UPDATE message SET text = NULL, attributedBody = NULL, message_summary_info = ?, date_edited = ?, date_retracted = ?
       WHERE guid = ?`,
      binaryPlist({ rp: [0], otr: { '0': { lo: 0, le: 5 } } }),
      now,
      now,
      guid,
    );
  }

  /** The file that a message waits for has come. */
  receive(name: string, bytes: Uint8Array, transferState = 5): void {
    const file = this.#database.prepare('SELECT guid FROM attachment WHERE transfer_name = ?').get(name) as {
      guid: string;
    };
    const path = this.#write(file.guid, name, bytes);
    this.run(
      'UPDATE attachment SET filename = ?, transfer_state = ?, total_bytes = ? WHERE guid = ?',
      path,
      transferState,
      bytes.length,
      file.guid,
    );
  }

  /** Any statement. */
  run(sql: string, ...values: SQLInputValue[]): void {
    this.#database.prepare(sql).run(...values);
  }

  all(sql: string, ...values: SQLInputValue[]): Record<string, unknown>[] {
    return this.#database.prepare(sql).all(...values);
  }

  close(): void {
    this.#database.close();
  }

  /** A file that is written down after its message. */
  attach(guid: string, file: WrittenFile & { readonly guid: string }): void {
    const row = this.#number('SELECT ROWID FROM message WHERE guid = ?', guid);
    this.#attach(row, file, false);
    this.run('UPDATE message SET cache_has_attachments = 1 WHERE guid = ?', guid);
  }

  #attach(message: number, file: WrittenFile & { readonly guid: string }, isOutgoing: boolean): void {
    const { guid } = file;
    const path = file.path ?? (file.bytes === null ? null : this.#write(guid, file.name, file.bytes));
    const attachment = this.#insert('attachment', {
      guid,
      filename: path,
      transfer_name: file.name,
      mime_type: 'application/octet-stream',
      transfer_state: file.transferState ?? (file.bytes === null ? 3 : 5),
      total_bytes: file.sizeBytes ?? file.bytes?.length ?? 0,
      is_outgoing: isOutgoing ? 1 : 0,
      hide_attachment: file.isHidden ? 1 : 0,
    });
    this.#insert('message_attachment_join', { message_id: message, attachment_id: attachment });
  }

  /** @returns the path as the database has it. */
  #write(guid: string, name: string, bytes: Uint8Array): string {
    const folder = join('00', '00', guid);
    mkdirSync(join(this.attachments, folder), { recursive: true });
    writeFileSync(join(this.attachments, folder, name), bytes);
    return `~/Library/Messages/Attachments/${folder}/${name}`;
  }

  #insert(table: string, values: Readonly<Record<string, SQLInputValue>>): number {
    const columns = Object.keys(values);
    const sql = `INSERT INTO ${table} (${columns.map((name) => `"${name}"`).join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;
    return Number(this.#database.prepare(sql).run(...Object.values(values)).lastInsertRowid);
  }

  #number(sql: string, ...values: SQLInputValue[]): number {
    const [value] = Object.values(this.#database.prepare(sql).get(...values) ?? {});
    if (typeof value !== 'number') throw new Error('there is no such row');
    return value;
  }
}

export function nanoseconds(ms: number): bigint {
  return BigInt(Math.round(ms - APPLE_EPOCH_MS)) * 1_000_000n;
}

function bodyOf(text: WrittenMessage['text'], files: readonly string[]): Buffer | null {
  const marks: WrittenRun[] = files.map((guid, part) => ({
    text: '\ufffc',
    attributes: { __kIMMessagePartAttributeName: part, __kIMFileTransferGUIDAttributeName: guid },
  }));
  if (text === null || text === undefined) return files.length === 0 ? null : typedstream(marks);
  const runs =
    typeof text === 'string' ? [{ text, attributes: { __kIMMessagePartAttributeName: files.length } }] : text;
  return typedstream([...marks, ...runs]);
}
