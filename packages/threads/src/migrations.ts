import { columns, type Migration } from '@postern/store';
import { sql } from 'kysely';

/** The schema of the threads service; see tables.ts for what the columns mean. */
export const threadsMigrations: readonly Migration[] = [
  {
    name: 'threads_0001_sessions',
    async up(db, engine) {
      const { text, integer, flag } = columns(engine);
      const statements = [
        sql`CREATE TABLE threads_cursors (platform_id ${text} PRIMARY KEY, cursor ${text} NOT NULL)`,
        sql`CREATE TABLE threads_sessions (
          session_id ${text} PRIMARY KEY, platform_id ${text} NOT NULL, channel_id ${text} NOT NULL,
          thread_id ${text} NOT NULL, kind ${text} NOT NULL, state ${text} NOT NULL,
          agent_session_id ${text} NOT NULL, has_begun ${flag} NOT NULL, owner_id ${text} NOT NULL,
          owner_name ${text} NOT NULL, working_dir ${text} NOT NULL, worktree_json ${text},
          permission_mode ${text} NOT NULL, mentions_only ${flag} NOT NULL, is_unattended ${flag} NOT NULL,
          account_id ${text}, title ${text}, facts_json ${text} NOT NULL, resume_failures ${integer} NOT NULL,
          created_us ${integer} NOT NULL, active_us ${integer} NOT NULL, ended_us ${integer}, end_reason ${text})`,
        // One live session a thread, whatever races.
        sql`CREATE UNIQUE INDEX threads_sessions_live ON threads_sessions (platform_id, channel_id, thread_id)
          WHERE state <> 'ended'`,
        sql`CREATE INDEX threads_sessions_activity ON threads_sessions (active_us)`,
        sql`CREATE TABLE threads_messages (
          platform_id ${text} NOT NULL, channel_id ${text} NOT NULL, post_id ${text} NOT NULL,
          position ${integer} NOT NULL, thread_id ${text} NOT NULL,
          session_id ${text} REFERENCES threads_sessions (session_id), author_id ${text} NOT NULL,
          author_name ${text} NOT NULL, is_bot ${flag} NOT NULL, hops ${integer} NOT NULL, text ${text} NOT NULL,
          mentions_json ${text} NOT NULL,
          files_json ${text} NOT NULL, created_ms ${integer} NOT NULL, received_us ${integer} NOT NULL,
          state ${text} NOT NULL, agent_uuid ${text}, outcome ${text},
          PRIMARY KEY (platform_id, channel_id, post_id))`,
        // What is still to be done, in order.
        sql`CREATE INDEX threads_messages_open ON threads_messages (platform_id, position) WHERE state <> 'done'`,
        sql`CREATE INDEX threads_messages_session ON threads_messages (session_id, position)`,
        sql`CREATE INDEX threads_messages_thread ON threads_messages (platform_id, channel_id, thread_id, position)`,
        sql`CREATE INDEX threads_messages_age ON threads_messages (received_us)`,
        sql`CREATE TABLE threads_participants (
          session_id ${text} NOT NULL REFERENCES threads_sessions (session_id), person_id ${text} NOT NULL,
          person_name ${text} NOT NULL, invited_by ${text} NOT NULL, invited_us ${integer} NOT NULL,
          PRIMARY KEY (session_id, person_id))`,
        sql`CREATE TABLE threads_allowances (
          session_id ${text} NOT NULL REFERENCES threads_sessions (session_id), tool ${text} NOT NULL,
          allowed_by ${text} NOT NULL, allowed_us ${integer} NOT NULL, PRIMARY KEY (session_id, tool))`,
        sql`CREATE TABLE threads_direct_messages (
          session_id ${text} NOT NULL REFERENCES threads_sessions (session_id), recipient_id ${text} NOT NULL,
          sent ${integer} NOT NULL, is_pending ${flag} NOT NULL, is_allowed ${flag} NOT NULL,
          PRIMARY KEY (session_id, recipient_id))`,
        sql`CREATE TABLE threads_questions (
          question_id ${text} PRIMARY KEY, platform_id ${text} NOT NULL, session_id ${text}, kind ${text} NOT NULL,
          channel_id ${text} NOT NULL, thread_id ${text}, post_id ${text}, markdown ${text} NOT NULL,
          options_json ${text} NOT NULL, takes_text ${flag} NOT NULL, approvers ${text} NOT NULL,
          subject_json ${text} NOT NULL, state ${text} NOT NULL, decision_json ${text},
          created_us ${integer} NOT NULL, deadline_us ${integer} NOT NULL, decided_us ${integer})`,
        sql`CREATE INDEX threads_questions_open ON threads_questions (platform_id, question_id) WHERE state = 'open'`,
        sql`CREATE INDEX threads_questions_session ON threads_questions (session_id, question_id)`,
        // Each reaction anywhere asks whether a question hangs on its post.
        sql`CREATE INDEX threads_questions_post ON threads_questions (platform_id, channel_id, post_id)`,
      ];
      for (const statement of statements) await statement.execute(db);
    },
  },
  {
    name: 'threads_0002_memory',
    async up(db, engine) {
      const { text, integer } = columns(engine);
      const statements = [
        sql`CREATE TABLE threads_memories (
          memory_id ${text} PRIMARY KEY, platform_id ${text} NOT NULL, channel_id ${text} NOT NULL,
          position ${integer} NOT NULL, source ${text} NOT NULL, author_id ${text} NOT NULL,
          author_name ${text} NOT NULL, session_id ${text}, text ${text} NOT NULL, fingerprint ${text} NOT NULL,
          created_us ${integer} NOT NULL, edited_us ${integer})`,
        // One of a kind, whatever races.
        sql`CREATE UNIQUE INDEX threads_memories_once ON threads_memories (platform_id, channel_id, fingerprint)`,
        sql`CREATE INDEX threads_memories_order ON threads_memories (platform_id, channel_id, position)`,
        sql`CREATE TABLE threads_memory_saves (session_id ${text} PRIMARY KEY, saves ${integer} NOT NULL)`,
      ];
      for (const statement of statements) await statement.execute(db);
    },
  },
  {
    name: 'threads_0003_routines_watches',
    async up(db, engine) {
      const { text, integer, flag } = columns(engine);
      const statements = [
        sql`CREATE TABLE threads_tasks (
          task_id ${text} PRIMARY KEY, platform_id ${text} NOT NULL, channel_id ${text} NOT NULL,
          kind ${text} NOT NULL, name ${text} NOT NULL, prompt ${text} NOT NULL, spec_json ${text} NOT NULL,
          is_enabled ${flag} NOT NULL, disabled_reason ${text}, failures ${integer} NOT NULL,
          created_by ${text} NOT NULL, creator_name ${text} NOT NULL, created_us ${integer} NOT NULL,
          mark_us ${integer} NOT NULL)`,
        sql`CREATE INDEX threads_tasks_platform ON threads_tasks (platform_id, kind, task_id)`,
        sql`CREATE TABLE threads_fires (
          fire_id ${text} PRIMARY KEY, unique_key ${text} NOT NULL UNIQUE, platform_id ${text} NOT NULL,
          channel_id ${text} NOT NULL, task_id ${text}, state ${text} NOT NULL, outcome ${text}, detail ${text},
          count ${integer} NOT NULL, due_us ${integer} NOT NULL, session_id ${text}, ended_us ${integer})`,
        sql`CREATE INDEX threads_fires_task ON threads_fires (task_id, due_us)`,
        sql`CREATE INDEX threads_fires_session ON threads_fires (session_id)`,
        sql`CREATE INDEX threads_fires_open ON threads_fires (platform_id, fire_id) WHERE state <> 'done'`,
        sql`CREATE INDEX threads_fires_age ON threads_fires (due_us)`,
        sql`CREATE TABLE threads_proposals (
          question_id ${text} PRIMARY KEY, platform_id ${text} NOT NULL, channel_id ${text} NOT NULL,
          draft_json ${text} NOT NULL, created_by ${text} NOT NULL, creator_name ${text} NOT NULL)`,
      ];
      for (const statement of statements) await statement.execute(db);
    },
  },
  {
    name: 'threads_0004_proposal_outcome',
    async up(db, engine) {
      const { text } = columns(engine);
      await sql`ALTER TABLE threads_proposals ADD COLUMN outcome ${text}`.execute(db);
    },
  },
  {
    name: 'threads_0005_question_follow_up',
    async up(db, engine) {
      const { text } = columns(engine);
      const statements = [
        sql`ALTER TABLE threads_questions ADD COLUMN follow_up ${text} NOT NULL DEFAULT 'done'`,
        sql`UPDATE threads_questions SET follow_up = 'due' WHERE state = 'open'`,
        // What the next start has to see to.
        sql`CREATE INDEX threads_questions_due ON threads_questions (platform_id, question_id)
          WHERE follow_up <> 'done'`,
      ];
      for (const statement of statements) await statement.execute(db);
    },
  },
  {
    name: 'threads_0006_memory_news',
    async up(db, engine) {
      const { text } = columns(engine);
      await sql`CREATE TABLE threads_memory_news (memory_id ${text} PRIMARY KEY)`.execute(db);
    },
  },
  {
    name: 'threads_0007_tasks_switched_off',
    async up(db, engine) {
      const { text } = columns(engine);
      await sql`ALTER TABLE threads_tasks ADD COLUMN off_fire_id ${text}`.execute(db);
    },
  },
];
