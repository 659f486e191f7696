import type { Clock, NewId } from '@postern/kit';
import type { BlobStore, Store, Transaction } from '@postern/store';
import type { ChatLimits } from './limits.ts';
import type { ChatTables } from './tables.ts';

export type ChatStore = Store<ChatTables>;
export type ChatTransaction = Transaction<ChatTables>;

/** What the chat's parts work with. */
export interface ChatPorts {
  readonly store: ChatStore;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly newId: NewId;
  /** Base of the addresses people follow, without a trailing slash; asked at each use. */
  publicUrl(): string;
  readonly limits: ChatLimits;
}
