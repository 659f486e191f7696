import { classifyRefusal, type OutcomeClass } from '@postern/mail';
import type { Reply, SendStage } from '../ports.ts';

/**
 * What a server's answer means for the ledger (contract, section 3). The mail package classifies it; here is decided
 * what follows. Only what blames the recipient's address itself suppresses anybody.
 */

/** `reason` of a failed row. */
export type FailureReason =
  | Extract<
      OutcomeClass,
      'hard_bounce' | 'soft_bounce' | 'sender_fault' | 'content_fault' | 'recipient_refused'
    >
  /** No yes within 48 hours. */
  | 'expired'
  /** The address needs SMTPUTF8 and no relay offers it. */
  | 'smtputf8_unsupported'
  | 'message_too_large'
  | 'render_error'
  | 'invalid_email'
  | 'suppressed';

export type Verdict =
  | { readonly kind: 'sent' }
  | {
      readonly kind: 'defer';
      /** A word for the ledger: `greylisted`, `rate_limited`. */
      readonly reason: string;
      /** Too much for this destination just now: all mail to it slows down. */
      readonly isTooFast: boolean;
      /** When the server wants to be asked again, at the earliest; 0 when it did not say. */
      readonly atLeastMs: number;
    }
  | {
      readonly kind: 'fail';
      readonly reason: FailureReason;
      /** Counts towards the share of errors that pauses a campaign. */
      readonly isOurFault: boolean;
      readonly isTooFast: boolean;
    }
  /** The relay wants other credentials; no mail is at fault. */
  | { readonly kind: 'misconfigured' };

export function judgeReply(reply: Reply, stage: SendStage): Verdict {
  if (reply.code >= 200 && reply.code < 300) return { kind: 'sent' };
  const {
    class: outcome,
    reason,
    slowDown: isTooFast,
    retryAfterSeconds,
  } = classifyRefusal({ ...reply, stage });
  switch (outcome) {
    case 'hard_bounce':
    case 'soft_bounce':
    case 'recipient_refused':
      return { kind: 'fail', reason: outcome, isOurFault: false, isTooFast };
    case 'sender_fault':
    case 'content_fault':
      return { kind: 'fail', reason: outcome, isOurFault: true, isTooFast };
    case 'configuration':
      return { kind: 'misconfigured' };
    default:
      return { kind: 'defer', reason, isTooFast, atLeastMs: (retryAfterSeconds ?? 0) * 1_000 };
  }
}

const LONGEST_REPLY = 500;

/** A reply as the ledger keeps it: one line, bounded, nothing that a database or a page could trip over. */
export function replyText({ code, enhanced, text }: Reply): string {
  const words = enhanced === null || text.startsWith(enhanced) ? text : `${enhanced} ${text}`;
  const line = `${code} ${words}`.replace(/[\s\p{Cc}\p{Cf}\p{Cs}]+/gu, ' ').trim();
  return line.length > LONGEST_REPLY ? `${line.slice(0, LONGEST_REPLY).toWellFormed()}…` : line;
}
