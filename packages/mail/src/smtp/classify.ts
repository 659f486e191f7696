import type { ReplyStage, SendOutcome } from './outcome.ts';
import type { PoolOutcome } from './pool.ts';

/**
 * What an outcome means for the message, for its recipient and for those who send: pure, from RFC 3463, RFC 5248 and
 * what large receivers really answer. Only `hard_bounce` says anything lasting about a recipient.
 */

export type OutcomeClass =
  /** The server took the message. */
  | 'sent'
  /** Not now; try again later. */
  | 'deferred'
  /** The mailbox does not exist: suppress the address. */
  | 'hard_bounce'
  /** This message is lost to a mailbox that exists: counts towards suppression only when it repeats. */
  | 'soft_bounce'
  /** The sender, its domain or its reputation is refused; the next recipient will fare alike. */
  | 'sender_fault'
  /** The message is refused for what it holds, or for its size. */
  | 'content_fault'
  /** This recipient cannot be reached by this message, for no lasting reason that is known. */
  | 'recipient_refused'
  /** The server was not reached, or left; no attempt was made. */
  | 'connection'
  /** The relay's set-up (credentials, TLS) is wrong; nothing will go out until it is changed. */
  | 'configuration'
  /** The connection was lost after the message had left: it may have arrived. */
  | 'unknown';

export interface Classification {
  readonly class: OutcomeClass;
  /** A word for counting and for people: `mailbox_unknown`, `rate_limited`. */
  readonly reason: string;
  /** Whether the server asks for less mail at a time. */
  readonly slowDown: boolean;
  /** What a temporary refusal says about when to come again. */
  readonly retryAfterSeconds: number | null;
}

/** @param outcome of a session or of a pool; a message that was cancelled has nothing to classify. */
export function classifyOutcome(
  outcome: Exclude<SendOutcome | PoolOutcome, { kind: 'cancelled' }>,
): Classification {
  switch (outcome.kind) {
    case 'lost':
      return outcome.stage === 'after_dot'
        ? result('unknown', 'no_reply')
        : result('connection', 'connection_lost');
    case 'unavailable': {
      const wrong = outcome.fault === 'auth' || outcome.fault === 'tls';
      const retryAfterSeconds = Math.ceil(outcome.retryAfterMilliseconds / 1_000);
      return { ...result(wrong ? 'configuration' : 'connection', outcome.fault), retryAfterSeconds };
    }
    case 'refused':
      return classifyRefusal({ ...outcome, stage: 'mail' });
    case 'reply':
      return outcome.code < 300 ? result('sent', 'accepted') : classifyRefusal(outcome);
  }
}

export interface Refusal {
  readonly code: number;
  readonly enhanced: string | null;
  readonly text: string;
  readonly stage: ReplyStage;
}

/** A reply of 4xx or 5xx. */
export function classifyRefusal(reply: Refusal): Classification {
  // Bounds the work on a server's flood of words.
  const refusal = { ...reply, text: reply.text.slice(0, LONGEST_TEXT) };
  return refusal.code < 500 ? classifyTemporary(refusal) : classifyPermanent(refusal);
}

const LONGEST_TEXT = 2_000;

const GREYLISTED = /gr[ae]y[- ]?list/i;
const RATE =
  /\brate\b|too (?:many|much|fast|quickly)|throttl|exceed\w* .{0,40}(?:limit|quota).{0,30}(?:hour|minute|day|connection|message)|slow down|unusual/i;

function classifyTemporary({ code, enhanced, text }: Refusal): Classification {
  const retryAfterSeconds = waitHint(text);
  const deferred = (reason: string, slowDown = false): Classification => ({
    class: 'deferred',
    reason,
    slowDown,
    retryAfterSeconds,
  });
  if (code === 421) return deferred('server_closing', true);
  if (GREYLISTED.test(text)) return deferred('greylisted');
  if (enhanced === '4.2.2') return deferred('mailbox_full');
  const limited = code === 432 || enhanced === '4.7.28' || (code === 454 && enhanced === '4.7.0');
  if (limited || RATE.test(text)) return deferred('rate_limited', true);
  return deferred('temporary');
}

function classifyPermanent(refusal: Refusal): Classification {
  const { code, enhanced, stage, text } = refusal;
  if (code === 530 || code === 535 || code === 538) return result('configuration', 'authentication');
  // `5.2.0` and the like tell where it failed and leave the rest to the words. Of 5.6 and 5.7 none may suppress.
  const vague = enhanced === null || !/^5\.[1-9][0-9]*\.[1-9]|^5\.[67]\./.test(enhanced);
  const said = vague ? byText(text, stage) : undefined;
  return said ?? (enhanced === null ? undefined : byEnhanced(enhanced, text)) ?? byCode(code, stage);
}

/** The codes that say by themselves what is meant (RFC 3463 and the registry of RFC 5248). */
const EXACT: Readonly<Record<string, readonly [OutcomeClass, string]>> = {
  '5.1.1': ['hard_bounce', 'mailbox_unknown'],
  '5.1.2': ['hard_bounce', 'domain_unknown'],
  '5.1.3': ['recipient_refused', 'address_syntax'],
  '5.1.6': ['hard_bounce', 'mailbox_moved'],
  '5.1.7': ['sender_fault', 'return_path'],
  '5.1.8': ['sender_fault', 'return_path'],
  '5.1.10': ['hard_bounce', 'domain_takes_no_mail'],
  '5.2.1': ['hard_bounce', 'mailbox_disabled'],
  '5.2.2': ['soft_bounce', 'mailbox_full'],
  '5.2.3': ['content_fault', 'too_large'],
  '5.3.4': ['content_fault', 'too_large'],
  // Exchange Online says so of recipients that its directory does not know.
  '5.4.1': ['hard_bounce', 'mailbox_unknown'],
  '5.6.7': ['recipient_refused', 'smtputf8_needed'],
  // The mailbox has another owner than the message is meant for (RFC 7293).
  '5.7.17': ['recipient_refused', 'mailbox_owner_changed'],
};

const SUBJECTS: Readonly<Record<string, readonly [OutcomeClass, string]>> = {
  '1': ['recipient_refused', 'address'],
  '2': ['soft_bounce', 'mailbox'],
  '3': ['soft_bounce', 'mail_system'],
  '4': ['soft_bounce', 'routing'],
  '5': ['sender_fault', 'protocol'],
  '6': ['content_fault', 'content'],
  '7': ['sender_fault', 'policy'],
};

function byEnhanced(enhanced: string, text: string): Classification | undefined {
  const [, subject = ''] = enhanced.split('.');
  // Some say 5.2.1 of a mailbox that gets too much at the moment.
  if (enhanced === '5.2.1' && RATE.test(text)) return result('soft_bounce', 'rate_limited', true);
  if (subject === '7' && RATE.test(text)) return result('sender_fault', 'rate_limited', true);
  const found = EXACT[enhanced] ?? SUBJECTS[subject];
  return found === undefined ? undefined : result(...found);
}

/** What is said in words, in the order of how sure it is; blame of the sender goes before the mailbox. */
const WORDS: readonly (readonly [RegExp, OutcomeClass, string])[] = [
  [
    /\bspf\b|\bdkim\b|\bdmarc\b|unauthenticated|not authenticated/i,
    'sender_fault',
    'authentication_of_domain',
  ],
  [
    /black ?list|block ?list|deny ?list|\brbl\b|dnsbl|spamhaus|barracudacentral|spamcop|reputation|\bblocked\b|banned/i,
    'sender_fault',
    'blocklisted',
  ],
  [
    /relay(?:ing)? (?:access )?(?:denied|not permitted|prohibited)|unable to relay/i,
    'sender_fault',
    'relay_denied',
  ],
  [
    /\bspam|junk|unsolicited|bulk mail|virus|malware|phish|content (?:reject|block)/i,
    'content_fault',
    'content',
  ],
  [
    /(?:mailbox|quota|storage|account|user|recipient).{0,40}(?:full|exceed|over ?quota|out of)|over ?quota|insufficient (?:system )?storage|exceeded storage/i,
    'soft_bounce',
    'mailbox_full',
  ],
  [/(?:message|size).{0,30}(?:too (?:large|big)|exceeds?)/i, 'content_fault', 'too_large'],
  [
    /(?:user|mailbox|recipient|account|address|alias|person|addressee).{0,60}(?:unknown|not (?:found|exist|listed|known|here|valid|available)|n.t exist|n.t have|no longer|disabled|inactive|suspended|deactivated|unrouteable|invalid)/i,
    'hard_bounce',
    'mailbox_unknown',
  ],
  [
    /(?:unknown|no such|invalid|non-?existent|unrouteable|bad destination|undeliverable|not a valid) .{0,30}(?:user|mailbox|recipient|account|address|alias|person)|no (?:mailbox|account|user)\b/i,
    'hard_bounce',
    'mailbox_unknown',
  ],
  [
    /(?:domain|host).{0,40}(?:not found|unknown|n.t exist|not exist)|no such domain/i,
    'hard_bounce',
    'domain_unknown',
  ],
];

function byText(text: string, stage: ReplyStage): Classification | undefined {
  // Before a recipient was named, none can be at fault.
  const found = WORDS.find(
    ([words, outcome]) => words.test(text) && (stage !== 'mail' || outcome === 'sender_fault'),
  );
  return found === undefined ? undefined : result(found[1], found[2]);
}

function byCode(code: number, stage: ReplyStage): Classification {
  switch (stage) {
    case 'mail':
      return result('sender_fault', 'return_path');
    case 'rcpt':
      return code === 552 ? result('soft_bounce', 'mailbox_full') : result('recipient_refused', 'recipient');
    case 'data':
      return result('recipient_refused', 'recipient');
    case 'dot':
      return code === 552 ? result('content_fault', 'too_large') : result('content_fault', 'content');
  }
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600 };
/** Longer waits than a day are taken for something else that was said. */
const LONGEST_HINT_SECONDS = 86_400;

/** `try again in 5 minutes`, `retry after 300 seconds`, `greylisted for 300s`. */
function waitHint(text: string): number | null {
  const match = /\b(\d{1,6}) ?(s|m|h)(?:ec(?:ond)?s?|in(?:ute)?s?|(?:ou)?rs?)?\b/i.exec(text);
  if (match === null) return null;
  const seconds = Number(match[1]) * (UNITS[(match[2] ?? '').toLowerCase()] ?? 1);
  return seconds > 0 && seconds <= LONGEST_HINT_SECONDS ? seconds : null;
}

function result(outcome: OutcomeClass, reason: string, slowDown = false): Classification {
  return { class: outcome, reason, slowDown, retryAfterSeconds: null };
}

/** What a delivery report says of a recipient (RFC 3464), in the same classes: no reply of a session, but its echo. */
export function classifyReported(said: {
  readonly action: 'failed' | 'delayed' | 'delivered' | 'relayed' | 'expanded';
  readonly status: string | null;
  readonly code: number | null;
  readonly text: string;
}): Classification {
  if (said.action === 'delayed') return result('deferred', 'delayed');
  if (said.action !== 'failed') return result('sent', said.action);
  // The relay gave up on what was only temporary.
  if (said.status?.startsWith('4') || (said.status === null && (said.code ?? 500) < 500)) {
    return result('soft_bounce', 'expired');
  }
  const enhanced = said.status !== null && /^5\.(?!0\.0$)/.test(said.status) ? said.status : null;
  const code = said.code !== null && said.code >= 500 ? said.code : 550;
  const found = classifyRefusal({ code, enhanced, text: said.text, stage: 'rcpt' });
  // A failure that nobody explains counts like a full mailbox: it takes several.
  return found.class === 'recipient_refused' && found.reason === 'recipient'
    ? result('soft_bounce', 'unexplained')
    : found;
}
