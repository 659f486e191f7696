import type { Clock, NewId, Random } from '@postern/kit';
import type { BlobStore, Store, Transaction } from '@postern/store';
import type { InboxConfig } from './config.ts';
import type { InboxTables } from './tables.ts';

export type InboxStore = Store<InboxTables>;
export type InboxTransaction = Transaction<InboxTables>;

export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** What the inbox's parts work with; made once by `createInbox`. */
export interface InboxPorts {
  readonly store: InboxStore;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly newId: NewId;
  readonly config: InboxConfig;
  readonly log: Log;
  /** Base of the addresses agents follow, without a trailing slash. */
  publicUrl(): string;
  /**
   * Fetches an attachment of another server behind the address guard.
   * @throws Failure VALIDATION_FAILED naming the field when the address is refused or does not answer.
   */
  fetchAttachment(
    address: URL,
    field: string,
    maxBytes: number,
    signal: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>>;
  /** Key of attachment signatures; the same in every process on one database. */
  readonly signingKey: Uint8Array;
}

/** Store notifications: something new may be unread, and deliveries may be due. */
export const FEED_CHANNEL = 'inbox_feed';
