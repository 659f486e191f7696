import { campaignsMigrations } from '@postern/campaigns';
import { inboxMigrations } from '@postern/inbox';
import { chatMigrations } from '@postern/local-chat';
import { type Migration, storeMigrations } from '@postern/store';
import { threadsMigrations } from '@postern/threads/migrations';
import { consoleMigrations } from '../console/migrations.ts';

/** The whole schema, the store's own part first. */
export const allMigrations: readonly Migration[] = [
  ...storeMigrations,
  ...chatMigrations,
  ...inboxMigrations,
  ...campaignsMigrations,
  ...threadsMigrations,
  ...consoleMigrations,
];
