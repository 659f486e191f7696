import type { Clock, NewId, Random } from '@postern/kit';
import type { Store, Transaction } from '@postern/store';
import type { CampaignsConfig } from './config.ts';
import type { CampaignsTables } from './tables.ts';
import type { Workers } from './workers/task.ts';

export type CampaignsStore = Store<CampaignsTables>;
export type CampaignsTransaction = Transaction<CampaignsTables>;

export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** What the campaigns' parts work with; made once, at start. */
export interface CampaignsPorts {
  readonly store: CampaignsStore;
  /** Where the database is, so that worker threads can open connections of their own. */
  readonly place: { readonly file: string } | { readonly url: string };
  readonly clock: Clock;
  readonly random: Random;
  readonly newId: NewId;
  readonly config: CampaignsConfig;
  readonly log: Log;
  /** Base of the addresses people follow, without a trailing slash. */
  publicUrl(): string;
  /** 32 bytes, the same in every process on one database: ids of subscribers, tokens, sealed secrets. */
  readonly installationKey: Uint8Array;
  /** The admin key of the configuration, which has no row of its own. */
  readonly bootstrap: { readonly secretHash: string; readonly prefix: string };
  /** Lets campaigns leave by SMTP from domains that have not passed their checks. */
  readonly allowUnverifiedDomains: boolean;
  /** Resolvers for domain checks, `host:port`; the system's when empty. */
  readonly dnsServers: readonly string[];
  /** Makes a DKIM key (PKCS #8 PEM); a new one each time unless a test wants the same. */
  readonly makeDkimKey?: (() => Promise<{ readonly privateKey: string }>) | undefined;
  /** Threads for work that takes long; without them it is done in place. */
  readonly workers?: Workers | undefined;
}
