import { columns, type Migration } from '@postern/store';
import { sql } from 'kysely';

/** The campaigns' schema; what an index is for stands beside it. */
export const campaignsMigrations: readonly Migration[] = [
  {
    name: 'mail_0001_projects',
    async up(db, engine) {
      const { text, integer, flag } = columns(engine);
      const statements = [
        sql`CREATE TABLE mail_projects (
          project_id ${text} PRIMARY KEY, name ${text} NOT NULL, slug ${text} UNIQUE, last_slug ${text} NOT NULL,
          sender_address ${text}, created_us ${integer} NOT NULL, updated_us ${integer} NOT NULL, deleted_us ${integer})`,
        sql`CREATE TABLE mail_keys (
          key_id ${text} PRIMARY KEY, kind ${text} NOT NULL, project_id ${text} REFERENCES mail_projects (project_id),
          name ${text} NOT NULL, prefix ${text} NOT NULL, secret_hash ${text} NOT NULL UNIQUE, scopes ${text} NOT NULL,
          rate_per_minute ${integer}, created_us ${integer} NOT NULL, expires_us ${integer}, last_used_us ${integer},
          revoked_us ${integer})`,
        sql`CREATE INDEX mail_keys_project ON mail_keys (project_id, key_id)`,
        sql`CREATE TABLE mail_audit (
          audit_id ${text} PRIMARY KEY, at_us ${integer} NOT NULL, actor ${text} NOT NULL, action ${text} NOT NULL,
          target ${text} NOT NULL, details_json ${text} NOT NULL)`,
        // People in the answers that are kept for repeats of keyed requests; gone with the answer.
        sql`CREATE TABLE mail_kept_answers (
          person ${text} NOT NULL, idempotency_id ${integer} NOT NULL REFERENCES idempotency_keys (id) ON DELETE CASCADE,
          PRIMARY KEY (person, idempotency_id))`,
        sql`CREATE INDEX mail_kept_answers_id ON mail_kept_answers (idempotency_id)`,
        sql`CREATE TABLE mail_lists (
          list_id ${text} PRIMARY KEY, project_id ${text} NOT NULL REFERENCES mail_projects (project_id),
          name ${text} NOT NULL, description ${text}, opt_in ${text} NOT NULL, from_name ${text}, from_email ${text},
          public ${flag} NOT NULL, created_us ${integer} NOT NULL, updated_us ${integer} NOT NULL, deleted_us ${integer})`,
        sql`CREATE INDEX mail_lists_project ON mail_lists (project_id, list_id)`,
        sql`CREATE TABLE mail_list_counts (
          list_id ${text} NOT NULL, status ${text} NOT NULL, total ${integer} NOT NULL, PRIMARY KEY (list_id, status))`,
      ];
      for (const statement of statements) await statement.execute(db);
    },
  },
  {
    name: 'mail_0002_subscribers',
    async up(db, engine) {
      const { text, integer } = columns(engine);
      const statements = [
        sql`CREATE TABLE mail_subscribers (
          subscriber_id ${text} PRIMARY KEY, project_id ${text} NOT NULL,
          list_id ${text} NOT NULL REFERENCES mail_lists (list_id), email ${text}, email_key ${text} NOT NULL,
          name ${text}, attributes_json ${text} NOT NULL, status ${text} NOT NULL, consent_source ${text},
          consent_at_us ${integer}, consent_evidence ${text}, confirm_sent_us ${integer}, created_us ${integer} NOT NULL,
          updated_us ${integer} NOT NULL)`,
        // Pages of a list, and the freeze. Ids are all over the place, so every index is dear in an import.
        sql`CREATE INDEX mail_subscribers_list ON mail_subscribers (list_id, subscriber_id, status)`,
        // Pages of the few that are not subscribed.
        sql`CREATE INDEX mail_subscribers_status ON mail_subscribers (list_id, status, subscriber_id)
          WHERE status <> 'subscribed'`,
        // All of a person in a project: erasure, suppression, unsubscribing from several lists.
        sql`CREATE INDEX mail_subscribers_address ON mail_subscribers (project_id, email_key)`,
        sql`CREATE TABLE mail_suppressions (
          suppression_id ${text} PRIMARY KEY, project_id ${text} NOT NULL REFERENCES mail_projects (project_id),
          email ${text}, email_hash ${text} NOT NULL, reason ${text} NOT NULL, source ${text} NOT NULL, note ${text},
          created_us ${integer} NOT NULL)`,
        sql`CREATE UNIQUE INDEX mail_suppressions_hash ON mail_suppressions (project_id, email_hash)`,
        sql`CREATE INDEX mail_suppressions_page ON mail_suppressions (project_id, suppression_id)`,
        sql`CREATE TABLE mail_segments (
          segment_id ${text} PRIMARY KEY, project_id ${text} NOT NULL REFERENCES mail_projects (project_id),
          name ${text} NOT NULL, condition_json ${text} NOT NULL, created_us ${integer} NOT NULL, updated_us ${integer} NOT NULL)`,
        sql`CREATE INDEX mail_segments_project ON mail_segments (project_id, segment_id)`,
      ];
      for (const statement of statements) await statement.execute(db);
    },
  },
  {
    name: 'mail_0003_campaigns',
    async up(db, engine) {
      const { text, integer, flag, bytes } = columns(engine);
      const statements = [
        sql`CREATE TABLE mail_templates (
          template_id ${text} PRIMARY KEY, project_id ${text} NOT NULL REFERENCES mail_projects (project_id),
          name ${text} NOT NULL, subject ${text}, html ${text}, mjml ${text}, text ${text}, created_us ${integer} NOT NULL,
          updated_us ${integer} NOT NULL)`,
        sql`CREATE INDEX mail_templates_project ON mail_templates (project_id, template_id)`,
        sql`CREATE TABLE mail_campaigns (
          campaign_id ${text} PRIMARY KEY, project_id ${text} NOT NULL REFERENCES mail_projects (project_id),
          name ${text} NOT NULL, list_ids_json ${text} NOT NULL, segment_id ${text}, from_name ${text}, from_email ${text},
          reply_to ${text}, subject ${text}, preheader ${text}, template_id ${text}, html ${text}, text ${text},
          tracking_opens ${text} NOT NULL, tracking_clicks ${text} NOT NULL, send_at_us ${integer},
          max_lateness_seconds ${integer} NOT NULL, strict_variables ${flag} NOT NULL, rate_per_second ${integer},
          state ${text} NOT NULL, state_reason ${text}, frozen_us ${integer}, content_json ${text}, launched_us ${integer},
          finished_us ${integer}, created_us ${integer} NOT NULL, updated_us ${integer} NOT NULL)`,
        sql`CREATE INDEX mail_campaigns_project ON mail_campaigns (project_id, campaign_id)`,
        // What the engine looks for: due ones, and those that run.
        sql`CREATE INDEX mail_campaigns_state ON mail_campaigns (state, send_at_us)`,
        sql`CREATE TABLE mail_campaign_counts (
          campaign_id ${text} NOT NULL, state ${text} NOT NULL, total ${integer} NOT NULL, PRIMARY KEY (campaign_id, state))`,
        // Which campaigns have rows that are still to be moved on; small, whatever the number of campaigns.
        sql`CREATE INDEX mail_campaign_counts_open ON mail_campaign_counts (campaign_id, state)
          WHERE total > 0 AND state IN ('pending', 'claimed', 'submitted', 'deferred')`,
        sql`CREATE TABLE mail_campaign_runs (
          campaign_id ${text} PRIMARY KEY, freeze_pass ${integer} NOT NULL, freeze_list ${integer} NOT NULL,
          freeze_after ${text} NOT NULL, answers ${integer} NOT NULL, faults ${integer} NOT NULL)`,
        sql`CREATE TABLE mail_deliveries (
          delivery_id ${text} PRIMARY KEY, project_id ${text} NOT NULL, campaign_id ${text} NOT NULL, email_key ${text} NOT NULL,
          subscriber_id ${text} NOT NULL, list_id ${text} NOT NULL, email ${text} NOT NULL, state ${text} NOT NULL,
          reason ${text}, attempts ${integer} NOT NULL, due_us ${integer} NOT NULL, lease_until_us ${integer}, claimed_by ${text},
          smtp_reply ${text}, message_id ${text}, sent_us ${integer}, updated_us ${integer} NOT NULL)`,
        // Nobody gets one campaign twice, whatever goes wrong elsewhere.
        sql`CREATE UNIQUE INDEX mail_deliveries_once ON mail_deliveries (campaign_id, email_key)`,
        sql`CREATE INDEX mail_deliveries_open ON mail_deliveries (campaign_id, state, due_us)`,
        sql`CREATE INDEX mail_deliveries_page ON mail_deliveries (campaign_id, delivery_id)`,
        sql`CREATE INDEX mail_deliveries_subscriber ON mail_deliveries (subscriber_id)`,
        sql`CREATE TABLE mail_domains (
          domain_id ${text} PRIMARY KEY, project_id ${text} NOT NULL REFERENCES mail_projects (project_id),
          domain ${text} NOT NULL, state ${text} NOT NULL, dkim_selector ${text} NOT NULL, dkim_private_sealed ${text} NOT NULL,
          dkim_public ${text} NOT NULL, records_json ${text} NOT NULL, verified_us ${integer}, created_us ${integer} NOT NULL,
          updated_us ${integer} NOT NULL)`,
        sql`CREATE UNIQUE INDEX mail_domains_name ON mail_domains (project_id, domain)`,
        sql`CREATE TABLE mail_emails (
          email_id ${text} PRIMARY KEY, project_id ${text} NOT NULL REFERENCES mail_projects (project_id),
          recipient ${text} NOT NULL, email_key ${text} NOT NULL, reference ${text}, kind ${text} NOT NULL,
          request_json ${text} NOT NULL,
          state ${text} NOT NULL, reason ${text}, attempts ${integer} NOT NULL, due_us ${integer} NOT NULL,
          lease_until_us ${integer}, claimed_by ${text}, smtp_reply ${text}, message_id ${text}, sent_us ${integer},
          created_us ${integer} NOT NULL, updated_us ${integer} NOT NULL)`,
        sql`CREATE INDEX mail_emails_project ON mail_emails (project_id, email_id)`,
        sql`CREATE INDEX mail_emails_reference ON mail_emails (project_id, reference)`,
        sql`CREATE INDEX mail_emails_recipient ON mail_emails (project_id, email_key)`,
        sql`CREATE INDEX mail_emails_open ON mail_emails (state, due_us)`,
        sql`CREATE TABLE mail_webhooks (
          webhook_id ${text} PRIMARY KEY, project_id ${text} NOT NULL REFERENCES mail_projects (project_id),
          url ${text} NOT NULL, events ${text} NOT NULL, enabled ${flag} NOT NULL, secret_sealed ${text} NOT NULL,
          created_us ${integer} NOT NULL, updated_us ${integer} NOT NULL)`,
        sql`CREATE INDEX mail_webhooks_project ON mail_webhooks (project_id, webhook_id)`,
        sql`CREATE TABLE mail_webhook_deliveries (
          delivery_id ${text} PRIMARY KEY, webhook_id ${text} NOT NULL, project_id ${text} NOT NULL, event ${text} NOT NULL,
          person ${text}, body ${text} NOT NULL, state ${text} NOT NULL, attempts ${integer} NOT NULL, response_status ${integer},
          last_error ${text}, next_attempt_us ${integer}, created_us ${integer} NOT NULL, updated_us ${integer} NOT NULL)`,
        sql`CREATE INDEX mail_webhook_deliveries_page ON mail_webhook_deliveries (webhook_id, delivery_id)`,
        // What tells of a person goes with them.
        sql`CREATE INDEX mail_webhook_deliveries_person ON mail_webhook_deliveries (project_id, person)
          WHERE person IS NOT NULL`,
        // What is old goes.
        sql`CREATE INDEX mail_webhook_deliveries_age ON mail_webhook_deliveries (created_us)`,
        sql`CREATE TABLE mail_events (
          event_id ${text} PRIMARY KEY, project_id ${text} NOT NULL, campaign_id ${text}, subscriber_id ${text},
          type ${text} NOT NULL, details_json ${text} NOT NULL, at_us ${integer} NOT NULL)`,
        sql`CREATE INDEX mail_events_campaign ON mail_events (campaign_id, type, at_us)`,
        sql`CREATE INDEX mail_events_subscriber ON mail_events (subscriber_id, type, at_us)`,
        sql`CREATE TABLE mail_captured (
          captured_id ${text} PRIMARY KEY, mail_from ${text} NOT NULL, rcpt_to ${text} NOT NULL, subject ${text} NOT NULL,
          size_bytes ${integer} NOT NULL, raw ${bytes} NOT NULL, created_us ${integer} NOT NULL)`,
        sql`CREATE INDEX mail_captured_recipient ON mail_captured (rcpt_to, captured_id)`,
      ];
      for (const statement of statements) await statement.execute(db);
    },
  },
  {
    name: 'mail_0004_bounce_mailboxes',
    async up(db, engine) {
      const { text, integer } = columns(engine);
      // How far a mailbox has been read; UIDs mean something together with their UIDVALIDITY alone (RFC 9051, 2.3.1.1).
      await sql`CREATE TABLE mail_bounce_mailboxes (
        mailbox ${text} PRIMARY KEY, uid_validity ${text} NOT NULL, last_uid ${integer} NOT NULL,
        updated_us ${integer} NOT NULL)`.execute(db);
    },
  },
  {
    name: 'mail_0005_tests_about_people',
    async up(db, engine) {
      const { text } = columns(engine);
      // A test shows one subscriber's data to somebody else, and has to go with that subscriber.
      await sql`ALTER TABLE mail_emails ADD COLUMN about_id ${text}`.execute(db);
      await sql`CREATE INDEX mail_emails_about ON mail_emails (about_id) WHERE about_id IS NOT NULL`.execute(
        db,
      );
    },
  },
  {
    name: 'mail_0006_no_index_by_address',
    async up(db) {
      // Ids follow from list and address, so a person is found by them; this index was the dearest in an import.
      await sql`DROP INDEX mail_subscribers_address`.execute(db);
    },
  },
];
