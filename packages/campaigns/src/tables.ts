import type { StoreTables } from '@postern/store';

/** Times ending in `_us` are microseconds since the epoch; flags are 0 or 1; `*_json` is JSON text. */

export interface ProjectTable {
  project_id: string;
  name: string;
  /** Null once deleted, so that the slug is free. */
  slug: string | null;
  /** The slug it had, for answers after its deletion. */
  last_slug: string;
  sender_address: string | null;
  created_us: number;
  updated_us: number;
  deleted_us: number | null;
}

export interface KeyTable {
  key_id: string;
  kind: 'admin' | 'api';
  project_id: string | null;
  name: string;
  /** First characters of the secret, to tell keys apart. */
  prefix: string;
  secret_hash: string;
  /** Space-separated, sorted; empty for admin keys. */
  scopes: string;
  /** Requests a minute; null takes the configuration's. */
  rate_per_minute: number | null;
  created_us: number;
  expires_us: number | null;
  last_used_us: number | null;
  revoked_us: number | null;
}

export interface ListTable {
  list_id: string;
  project_id: string;
  name: string;
  description: string | null;
  opt_in: 'single' | 'double';
  from_name: string | null;
  from_email: string | null;
  public: number;
  created_us: number;
  updated_us: number;
  deleted_us: number | null;
}

export type SubscriberStatus =
  | 'subscribed'
  | 'unconfirmed'
  | 'unsubscribed'
  | 'bounced'
  | 'complained'
  | 'erased';

export interface SubscriberTable {
  subscriber_id: string;
  project_id: string;
  list_id: string;
  /** As typed; null once erased. */
  email: string | null;
  /** Canonical address; `erased:<id>` once erased. */
  email_key: string;
  name: string | null;
  attributes_json: string;
  status: SubscriberStatus;
  consent_source: string | null;
  consent_at_us: number | null;
  consent_evidence: string | null;
  /** When the latest confirmation mail was queued; null where none ever was. */
  confirm_sent_us: number | null;
  created_us: number;
  updated_us: number;
}

/** Kept counters: subscribers of a list by status. */
export interface ListCountTable {
  list_id: string;
  status: SubscriberStatus;
  total: number;
}

export type SuppressionReason = 'hard_bounce' | 'complaint' | 'unsubscribe' | 'manual' | 'erased';

export interface SuppressionTable {
  suppression_id: string;
  project_id: string;
  /** Null when erased; then only the salted hash is left. */
  email: string | null;
  /** HMAC of project and canonical address, so that an erased address is still recognised. */
  email_hash: string;
  reason: SuppressionReason;
  source: string;
  note: string | null;
  created_us: number;
}

export interface SegmentTable {
  segment_id: string;
  project_id: string;
  name: string;
  condition_json: string;
  created_us: number;
  updated_us: number;
}

export interface TemplateTable {
  template_id: string;
  project_id: string;
  name: string;
  subject: string | null;
  html: string | null;
  mjml: string | null;
  text: string | null;
  created_us: number;
  updated_us: number;
}

export type CampaignState =
  | 'draft'
  | 'scheduled'
  | 'running'
  | 'paused'
  | 'finished'
  | 'cancelled'
  | 'failed';

export interface CampaignTable {
  campaign_id: string;
  project_id: string;
  name: string;
  list_ids_json: string;
  segment_id: string | null;
  from_name: string | null;
  from_email: string | null;
  reply_to: string | null;
  subject: string | null;
  preheader: string | null;
  template_id: string | null;
  html: string | null;
  text: string | null;
  tracking_opens: 'off' | 'anonymous' | 'person';
  tracking_clicks: 'off' | 'anonymous' | 'person';
  send_at_us: number | null;
  max_lateness_seconds: number;
  strict_variables: number;
  rate_per_second: number | null;
  state: CampaignState;
  /** Why it paused or failed, for the report. */
  state_reason: string | null;
  /** Set once the audience stands in the ledger; null while it is being frozen. */
  frozen_us: number | null;
  /** What was compiled at launch: subject, html, text, from, links. */
  content_json: string | null;
  launched_us: number | null;
  finished_us: number | null;
  created_us: number;
  updated_us: number;
}

export type DeliveryState =
  | 'pending'
  | 'claimed'
  | 'submitted'
  | 'sent'
  | 'deferred'
  | 'failed'
  | 'unknown'
  | 'skipped'
  | 'cancelled';

/** The ledger: one row per campaign and canonical address. */
export interface DeliveryTable {
  delivery_id: string;
  project_id: string;
  campaign_id: string;
  /** Canonical address; `erased:<id>` once erased. */
  email_key: string;
  subscriber_id: string;
  list_id: string;
  /** Empty once erased. */
  email: string;
  state: DeliveryState;
  reason: string | null;
  attempts: number;
  /** Not before this time; for deferred rows. */
  due_us: number;
  lease_until_us: number | null;
  /** Worker that holds the claim. */
  claimed_by: string | null;
  smtp_reply: string | null;
  message_id: string | null;
  sent_us: number | null;
  updated_us: number;
}

/** Kept counters: ledger rows of a campaign by state. */
export interface CampaignCountTable {
  campaign_id: string;
  state: DeliveryState;
  total: number;
}

/** How far the engine is with a campaign; one row from its launch on. */
export interface CampaignRunTable {
  campaign_id: string;
  /** Where the freezing of the audience goes on: pass, position of the list, last subscriber. */
  freeze_pass: number;
  freeze_list: number;
  freeze_after: string;
  /** Servers' answers since the campaign was last started, and those that blame sender or content. */
  answers: number;
  faults: number;
}

export interface DomainTable {
  domain_id: string;
  project_id: string;
  /** A-label, lower case. */
  domain: string;
  state: 'unverified' | 'verified' | 'failing';
  dkim_selector: string;
  /** PKCS #8 PEM, sealed with the installation's key. */
  dkim_private_sealed: string;
  dkim_public: string;
  records_json: string;
  verified_us: number | null;
  created_us: number;
  updated_us: number;
}

export interface EmailTable {
  email_id: string;
  project_id: string;
  /** Empty once erased. */
  recipient: string;
  /** Canonical address; `erased:<id>` once erased. */
  email_key: string;
  reference: string | null;
  /** `api`: sent by send_email, and listed; the others are the service's own. */
  kind: 'api' | 'confirm' | 'test';
  /** The subscriber whose data a test shows to its recipient; null where it is nobody's. */
  about_id: string | null;
  /** What was composed: from, subject, html, text. */
  request_json: string;
  state: 'pending' | 'claimed' | 'submitted' | 'sent' | 'deferred' | 'failed' | 'unknown';
  reason: string | null;
  attempts: number;
  due_us: number;
  lease_until_us: number | null;
  claimed_by: string | null;
  smtp_reply: string | null;
  message_id: string | null;
  sent_us: number | null;
  created_us: number;
  updated_us: number;
}

export interface WebhookTable {
  webhook_id: string;
  project_id: string;
  url: string;
  /** Space-separated event types. */
  events: string;
  enabled: number;
  secret_sealed: string;
  created_us: number;
  updated_us: number;
}

/** One event on its way to one webhook; the outbox has the work, this is what is shown of it. */
export interface WebhookDeliveryTable {
  delivery_id: string;
  webhook_id: string;
  project_id: string;
  event: string;
  /** Whom it tells of, as the suppression list knows them; null where it names nobody. */
  person: string | null;
  /** The exact JSON text that is signed and sent. */
  body: string;
  state: 'pending' | 'done' | 'dead';
  attempts: number;
  response_status: number | null;
  last_error: string | null;
  next_attempt_us: number | null;
  created_us: number;
  updated_us: number;
}

/** What people did with a mail, and what happened to subscribers: history, reports and segments read it. */
export interface EventTable {
  event_id: string;
  project_id: string;
  campaign_id: string | null;
  subscriber_id: string | null;
  type: string;
  details_json: string;
  at_us: number;
}

/** Mails the capture transport kept. */
export interface CapturedTable {
  captured_id: string;
  mail_from: string;
  rcpt_to: string;
  subject: string;
  size_bytes: number;
  /** The message, byte for byte. */
  raw: Uint8Array;
  created_us: number;
}

/** How far a mailbox with bounces has been read. */
export interface BounceMailboxTable {
  /** Account, server and name. */
  mailbox: string;
  uid_validity: string;
  last_uid: number;
  updated_us: number;
}

export interface MailAuditTable {
  audit_id: string;
  at_us: number;
  actor: string;
  action: string;
  target: string;
  details_json: string;
}

/** Whom an answer is about that is kept for repeats: a subscriber's id, or a keyed hash of an address. */
export interface KeptAnswerTable {
  person: string;
  idempotency_id: number;
}

export interface CampaignsTables extends StoreTables {
  mail_projects: ProjectTable;
  mail_keys: KeyTable;
  mail_lists: ListTable;
  mail_list_counts: ListCountTable;
  mail_subscribers: SubscriberTable;
  mail_suppressions: SuppressionTable;
  mail_segments: SegmentTable;
  mail_templates: TemplateTable;
  mail_campaigns: CampaignTable;
  mail_campaign_counts: CampaignCountTable;
  mail_campaign_runs: CampaignRunTable;
  mail_deliveries: DeliveryTable;
  mail_domains: DomainTable;
  mail_emails: EmailTable;
  mail_webhooks: WebhookTable;
  mail_webhook_deliveries: WebhookDeliveryTable;
  mail_events: EventTable;
  mail_captured: CapturedTable;
  mail_bounce_mailboxes: BounceMailboxTable;
  mail_audit: MailAuditTable;
  mail_kept_answers: KeptAnswerTable;
}
