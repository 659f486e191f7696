import type { ReplyStage } from '@postern/mail';
import type { Kysely, Transaction } from 'kysely';
import type { StateReason } from '../campaigns/lifecycle.ts';
import type { CampaignsTables, CampaignTable, EmailTable } from '../tables.ts';

/** What the engine needs of others; narrow, so that each can be replaced in a test. */

/** A mail that is ready to leave. */
export interface OutgoingMail {
  /** Of MAIL FROM: the return path. */
  readonly from: string;
  /** Of RCPT TO. */
  readonly to: string;
  /** The whole message, CRLF, not dot-stuffed. */
  readonly bytes: Uint8Array;
  readonly messageId: string;
  readonly subject: string;
  /** Whether it can only travel by SMTPUTF8 (RFC 6531). */
  readonly smtpUtf8: boolean;
}

/** An answer of an SMTP server. */
export interface Reply {
  readonly code: number;
  /** `5.1.1`, where it gave one. */
  readonly enhanced: string | null;
  /** All its lines, joined by spaces. */
  readonly text: string;
}

/** The command that a reply answers; `dot` is the end of the message. */
export type SendStage = ReplyStage;

/** What became of one attempt. */
export type SendResult =
  | { readonly kind: 'accepted'; readonly reply: Reply }
  /** The server said no; the connection is in order, unless the reply is a 421. */
  | { readonly kind: 'refused'; readonly reply: Reply; readonly stage: SendStage }
  /** A hook said no, so nothing was sent. */
  | { readonly kind: 'held' }
  /** The connection broke before the last byte left: nothing was sent. */
  | { readonly kind: 'interrupted'; readonly detail: string }
  /** The last byte left and no answer came. */
  | { readonly kind: 'unknown'; readonly detail: string }
  /** No relay could be had; nothing was sent. */
  | { readonly kind: 'unreachable'; readonly detail: string }
  /** Relays can be reached and won't have us: bad credentials, or no TLS where it is required. */
  | { readonly kind: 'misconfigured'; readonly detail: string }
  /** This mail needs something no relay offers. */
  | { readonly kind: 'unsupported'; readonly what: 'smtputf8' | 'size'; readonly detail: string };

/** Asked on the way; false or an error stops the mail before anything of it is accepted. */
export interface SendHooks {
  /** Right before MAIL FROM, on a connection that is ready. */
  beforeMail(): Promise<boolean>;
  /** When all but the last bytes of the message have been handed over. */
  beforeEnd(): Promise<boolean>;
}

/** A way out. */
export interface Transport {
  /** Mails it takes at a time. */
  readonly connections: number;
  /** Never throws for what a server or a network does. */
  send(mail: OutgoingMail, hooks: SendHooks, signal: AbortSignal): Promise<SendResult>;
  close(): Promise<void>;
}

/** Whom a mail is for. */
export interface Recipient {
  readonly deliveryId: string;
  readonly subscriberId: string;
  readonly listId: string;
  readonly email: string;
  readonly emailKey: string;
  readonly name: string | null;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** Writes the mails of one campaign. */
export interface CampaignMailer {
  /** A-label domain of the From address, for throttles. */
  readonly fromDomain: string;
  /** @throws MailBuildError when this recipient's mail can't be made; others' may. */
  build(recipient: Recipient): Promise<OutgoingMail>;
}

/** A mail that can't be made for one recipient: a template or a value. */
export class MailBuildError extends Error {
  override readonly name = 'MailBuildError';
  /** For the ledger. */
  readonly reason: 'render_error' | 'invalid_email';

  constructor(reason: 'render_error' | 'invalid_email', message: string) {
    super(message);
    this.reason = reason;
  }
}

export type CampaignsDatabase = Kysely<CampaignsTables> | Transaction<CampaignsTables>;

/** Where mails are written. */
export interface MailerSource {
  /** @throws CampaignUnfitError when the campaign as a whole can't be written, which fails it. */
  campaignMailer(campaign: CampaignTable): Promise<CampaignMailer>;
  /** A single e-mail. @throws MailBuildError */
  email(email: EmailTable): Promise<OutgoingMail>;
}

/** A campaign none of whose mails can be made. */
export class CampaignUnfitError extends Error {
  override readonly name = 'CampaignUnfitError';
  readonly reason: Extract<StateReason, 'template_error' | 'domain_unverified' | 'audience_gone'>;

  constructor(reason: CampaignUnfitError['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Makes a scheduled campaign ready at its due time, as a launch does. */
export interface Launcher {
  /** Checks all that a launch checks, and compiles the content; or tells why it can't go. */
  prepare(
    campaign: CampaignTable,
  ): Promise<{ readonly contentJson: string } | { readonly unfit: StateReason }>;
}
