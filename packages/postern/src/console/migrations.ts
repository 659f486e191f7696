import { columns, type Migration } from '@postern/store';
import { sql } from 'kysely';

export const consoleMigrations: readonly Migration[] = [
  {
    name: 'console_0001_sessions',
    async up(db, engine) {
      const { text, integer } = columns(engine);
      const statements = [
        sql`CREATE TABLE console_login_links (
          token_hash ${text} PRIMARY KEY, created_us ${integer} NOT NULL, expires_us ${integer} NOT NULL)`,
        sql`CREATE TABLE console_sessions (
          session_hash ${text} PRIMARY KEY, created_us ${integer} NOT NULL, expires_us ${integer} NOT NULL)`,
        sql`CREATE INDEX console_sessions_created ON console_sessions (created_us)`,
      ];
      for (const statement of statements) await statement.execute(db);
    },
  },
];
