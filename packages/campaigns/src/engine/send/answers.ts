import type { Reply, SendStage } from '../ports.ts';

/**
 * What a server's answer means (RFC 5321, RFC 3463; contract, section 3). Only what blames the recipient's address
 * itself suppresses anybody.
 */

/** Codes for the ledger's `reason`. */
export type FailureReason =
  /** No such mailbox. */
  | 'hard_bounce'
  | 'mailbox_full'
  /** The sender, its domain or its network is not welcome. */
  | 'policy'
  /** The message is not welcome. */
  | 'content'
  /** Anything else a server said no to. */
  | 'rejected'
  /** No yes within 48 hours. */
  | 'expired'
  /** The address needs SMTPUTF8 and the relay does not offer it. */
  | 'smtputf8_unsupported'
  | 'message_too_large'
  | 'render_error'
  | 'invalid_email'
  | 'suppressed';

export type DeferReason = 'temporary_failure' | 'rate_limited' | 'mailbox_full';

export type Verdict =
  | { readonly kind: 'sent' }
  | {
      readonly kind: 'defer';
      readonly reason: DeferReason;
      /** Too much for this destination just now: all mail to it slows down. */
      readonly isTooFast: boolean;
    }
  | {
      readonly kind: 'fail';
      readonly reason: FailureReason;
      /** Counts towards the share of errors that pauses a campaign. */
      readonly isOurFault: boolean;
    };

const NO_SUCH_MAILBOX = new Set(['5.1.1', '5.1.2', '5.1.10', '5.2.1']);
const TOO_FAST = /rate|too (?:many|fast|much)|throttl|slow down|try again later|limit/i;
/** Where a server gives no enhanced code, its words must tell a policy from a missing mailbox. */
const POLICY_WORDS =
  /spam|block|black ?list|black-list|polic|reputation|denied|dmarc|\bspf\b|dkim|\brbl\b|dnsbl|listed|unauthenticated|relay|banned|prohibited|refused by|not authorized|not allowed/i;

const fail = (reason: FailureReason, isOurFault = false): Verdict => ({ kind: 'fail', reason, isOurFault });
const defer = (reason: DeferReason, isTooFast = false): Verdict => ({ kind: 'defer', reason, isTooFast });

export function judgeReply(reply: Reply, stage: SendStage): Verdict {
  if (reply.code >= 200 && reply.code < 400) return { kind: 'sent' };
  return reply.code < 500 ? judgeTransient(reply) : judgePermanent(reply, stage);
}

function judgeTransient({ code, enhanced, text }: Reply): Verdict {
  if (code === 421 || code === 432 || enhanced === '4.7.28') return defer('rate_limited', true);
  if (code === 454 || enhanced?.startsWith('4.7.') === true) {
    // Greylisting says 4.7.1 as well; it asks for time, not for a slower pace.
    return TOO_FAST.test(text) && !/gr[ea]y/i.test(text)
      ? defer('rate_limited', true)
      : defer('temporary_failure');
  }
  return defer(enhanced === '4.2.2' || code === 452 ? 'mailbox_full' : 'temporary_failure');
}

function judgePermanent({ code, enhanced, text }: Reply, stage: SendStage): Verdict {
  // What is said of the return path is never said of the recipient.
  if (stage === 'mail') return fail('policy', true);
  if (enhanced !== null) return judgeEnhanced(enhanced);
  if (code === 552) return stage === 'rcpt' ? fail('mailbox_full') : fail('content', true);
  if (stage !== 'rcpt') return fail(POLICY_WORDS.test(text) ? 'policy' : 'content', true);
  if (code === 554 || POLICY_WORDS.test(text)) return fail('policy', true);
  return code === 550 || code === 551 ? fail('hard_bounce') : fail('rejected');
}

function judgeEnhanced(enhanced: string): Verdict {
  if (NO_SUCH_MAILBOX.has(enhanced)) return fail('hard_bounce');
  if (enhanced === '5.2.2') return fail('mailbox_full');
  if (enhanced === '5.6.7') return fail('smtputf8_unsupported');
  if (enhanced.startsWith('5.7.')) return fail('policy', true);
  if (enhanced.startsWith('5.6.') || enhanced === '5.3.4' || enhanced === '5.2.3')
    return fail('content', true);
  return fail('rejected');
}

const LONGEST_REPLY = 500;

/** A reply as the ledger keeps it: one line, bounded, nothing that a database or a page could trip over. */
export function replyText({ code, enhanced, text }: Reply): string {
  const words = enhanced === null || text.startsWith(enhanced) ? text : `${enhanced} ${text}`;
  const line = `${code} ${words}`.replace(/[\s\p{Cc}\p{Cf}\p{Cs}]+/gu, ' ').trim();
  return line.length > LONGEST_REPLY ? `${line.slice(0, LONGEST_REPLY).toWellFormed()}…` : line;
}
