import { sql } from 'kysely';
import { columns } from './columns.ts';
import type { Migration } from './migrate.ts';

/** The schema of this package; goes first in every list given to {@link migrate}. */
export const storeMigrations: readonly Migration[] = [
  {
    name: 'store_0001_outbox',
    async up(db, engine) {
      const { text, integer, serialKey } = columns(engine);
      const statements = [
        sql`CREATE TABLE outbox (
          id ${serialKey}, topic ${text} NOT NULL, dedupe_key ${text}, payload ${text} NOT NULL,
          state ${text} NOT NULL CHECK (state IN ('pending', 'claimed', 'done', 'dead')),
          attempts ${integer} NOT NULL, claims ${integer} NOT NULL, run_at_us ${integer} NOT NULL,
          lease_until_us ${integer}, created_us ${integer} NOT NULL, finished_us ${integer},
          last_error ${text}, last_status ${integer})`,
        sql`CREATE UNIQUE INDEX outbox_dedupe ON outbox (topic, dedupe_key) WHERE dedupe_key IS NOT NULL`,
        // What is due next, and whose lease has run out. Partial, so finished jobs don't slow them down.
        sql`CREATE INDEX outbox_due ON outbox (topic, run_at_us, id) WHERE state = 'pending'`,
        sql`CREATE INDEX outbox_leased ON outbox (topic, lease_until_us) WHERE state = 'claimed'`,
        sql`CREATE INDEX outbox_list ON outbox (topic, state, id)`,
        sql`CREATE INDEX outbox_finished ON outbox (finished_us) WHERE finished_us IS NOT NULL`,
      ];
      for (const statement of statements) await statement.execute(db);
    },
  },
  {
    name: 'store_0002_idempotency',
    async up(db, engine) {
      const { text, integer, serialKey } = columns(engine);
      const statements = [
        sql`CREATE TABLE idempotency_keys (
          id ${serialKey}, scope ${text} NOT NULL, key ${text} NOT NULL, body_hash ${text} NOT NULL,
          state ${text} NOT NULL CHECK (state IN ('running', 'started', 'unknown', 'done')),
          claims ${integer} NOT NULL, lease_until_us ${integer} NOT NULL, expires_us ${integer} NOT NULL,
          status ${integer}, body ${text})`,
        sql`CREATE UNIQUE INDEX idempotency_keys_key ON idempotency_keys (scope, key)`,
        sql`CREATE INDEX idempotency_keys_expiry ON idempotency_keys (expires_us)`,
        sql`CREATE INDEX idempotency_keys_open ON idempotency_keys (state) WHERE state IN ('running', 'started')`,
      ];
      for (const statement of statements) await statement.execute(db);
    },
  },
  {
    name: 'store_0003_buckets_settings_blobs',
    async up(db, engine) {
      const { text, integer, flag, bytes, serialKey } = columns(engine);
      const statements = [
        sql`CREATE TABLE token_buckets (name ${text} PRIMARY KEY, full_at_us ${integer} NOT NULL)`,
        sql`CREATE INDEX token_buckets_full ON token_buckets (full_at_us)`,
        sql`CREATE TABLE settings (key ${text} PRIMARY KEY, value ${text} NOT NULL)`,
        sql`CREATE TABLE blobs (
          upload_id ${serialKey}, blob_id ${text} NOT NULL, size_bytes ${integer} NOT NULL, complete ${flag} NOT NULL,
          created_us ${integer} NOT NULL)`,
        sql`CREATE UNIQUE INDEX blobs_complete ON blobs (blob_id) WHERE complete = 1`,
        sql`CREATE INDEX blobs_incomplete ON blobs (created_us) WHERE complete = 0`,
        sql`CREATE TABLE blob_chunks (
          upload_id ${integer} NOT NULL REFERENCES blobs (upload_id) ON DELETE CASCADE, position ${integer} NOT NULL,
          data ${bytes} NOT NULL, PRIMARY KEY (upload_id, position))`,
      ];
      for (const statement of statements) await statement.execute(db);
    },
  },
];
