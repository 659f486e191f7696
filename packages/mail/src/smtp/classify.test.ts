import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { classifyOutcome, classifyRefusal, type OutcomeClass } from './classify.ts';
import type { ReplyStage } from './outcome.ts';
import { ReplyReader } from './reply.ts';

/** Reads a reply as a session would. */
const classify = (line: string, stage: ReplyStage = 'rcpt') => {
  const [reply] = new ReplyReader().push(Buffer.from(`${line}\r\n`));
  return classifyOutcome({ kind: 'reply', stage, ...reply! });
};

describe('replies', () => {
  test.each<[string, ReplyStage, OutcomeClass, string]>([
    ['250 2.0.0 ok', 'dot', 'sent', 'accepted'],
    ['421 4.3.2 closing', 'rcpt', 'deferred', 'server_closing'],
    ['450 4.2.0 <a@b.c>: Recipient address rejected: Greylisted', 'rcpt', 'deferred', 'greylisted'],
    ['451 4.7.1 Greylisting in action, please come back in 5 minutes', 'rcpt', 'deferred', 'greylisted'],
    ['452 4.2.2 The email account is over quota', 'rcpt', 'deferred', 'mailbox_full'],
    ['450 4.2.1 The user is receiving mail too quickly', 'rcpt', 'deferred', 'rate_limited'],
    ['421 4.7.28 unusual rate of mail', 'dot', 'deferred', 'server_closing'],
    ['454 4.7.0 Too many login attempts', 'mail', 'deferred', 'rate_limited'],
    ['454 Throttling failure: Maximum sending rate exceeded.', 'dot', 'deferred', 'rate_limited'],
    ['451 4.3.0 local error', 'dot', 'deferred', 'temporary'],
    ['451 4.4.2 timeout', 'data', 'deferred', 'temporary'],
    [
      '550 5.1.1 <a@b.c>: Recipient address rejected: User unknown in virtual table',
      'rcpt',
      'hard_bounce',
      'mailbox_unknown',
    ],
    ['550 5.1.1 no such user', 'dot', 'hard_bounce', 'mailbox_unknown'],
    ['550 5.1.2 bad host', 'rcpt', 'hard_bounce', 'domain_unknown'],
    ['550 5.1.6 moved', 'rcpt', 'hard_bounce', 'mailbox_moved'],
    ['556 5.1.10 null MX', 'rcpt', 'hard_bounce', 'domain_takes_no_mail'],
    [
      '550 5.2.1 The email account that you tried to reach is disabled',
      'rcpt',
      'hard_bounce',
      'mailbox_disabled',
    ],
    [
      '550 5.2.1 The user is receiving mail at a rate that prevents more',
      'rcpt',
      'soft_bounce',
      'rate_limited',
    ],
    ['550 5.4.1 Recipient address rejected: Access denied.', 'rcpt', 'hard_bounce', 'mailbox_unknown'],
    ['552 5.2.2 The recipient mailbox is full', 'rcpt', 'soft_bounce', 'mailbox_full'],
    ['552 Requested mail action aborted: exceeded storage allocation', 'rcpt', 'soft_bounce', 'mailbox_full'],
    ['552 5.3.4 Message size exceeds fixed limit', 'mail', 'content_fault', 'too_large'],
    ['552 message too large', 'dot', 'content_fault', 'too_large'],
    ['554 5.6.0 message looks like spam', 'dot', 'content_fault', 'content'],
    ['553 5.6.7 non-ASCII address', 'rcpt', 'recipient_refused', 'smtputf8_needed'],
    ['550 5.7.1 Unauthenticated email is not accepted', 'dot', 'sender_fault', 'policy'],
    [
      '550 5.7.26 This mail has been blocked because the sender is unauthenticated',
      'dot',
      'sender_fault',
      'policy',
    ],
    [
      '550 5.7.515 Access denied, sending domain does not meet the required authentication level',
      'dot',
      'sender_fault',
      'policy',
    ],
    ['550 5.7.9 DMARC', 'dot', 'sender_fault', 'policy'],
    [
      '554 5.7.1 Service unavailable; Client host blocked using zen.spamhaus.org',
      'rcpt',
      'sender_fault',
      'policy',
    ],
    ['554 5.7.1 user unknown', 'rcpt', 'sender_fault', 'policy'],
    ['550 5.7.17 mailbox owner has changed', 'rcpt', 'recipient_refused', 'mailbox_owner_changed'],
    ['550 5.1.8 sender domain does not exist', 'mail', 'sender_fault', 'return_path'],
    ['553 5.1.3 bad address syntax', 'rcpt', 'recipient_refused', 'address_syntax'],
    ['550 SPF check failed', 'mail', 'sender_fault', 'authentication_of_domain'],
    ['550 Blocked - see https://ipcheck.proofpoint.example', 'mail', 'sender_fault', 'blocklisted'],
    ['554 your IP has a poor reputation', 'rcpt', 'sender_fault', 'blocklisted'],
    ['550 relaying denied', 'rcpt', 'sender_fault', 'relay_denied'],
    ['550 No such user here', 'rcpt', 'hard_bounce', 'mailbox_unknown'],
    ['550 Requested action not taken: mailbox unavailable', 'rcpt', 'recipient_refused', 'recipient'],
    ['550 Mailbox not found', 'rcpt', 'hard_bounce', 'mailbox_unknown'],
    [
      "554 delivery error: dd This user doesn't have an example account",
      'dot',
      'hard_bounce',
      'mailbox_unknown',
    ],
    ['550 unrouteable address', 'rcpt', 'hard_bounce', 'mailbox_unknown'],
    ['550 unknown user', 'mail', 'sender_fault', 'return_path'],
    ['550 5.0.0 mailbox full', 'rcpt', 'soft_bounce', 'mailbox_full'],
    ['550 5.5.0 what', 'rcpt', 'sender_fault', 'protocol'],
    ['550 no', 'rcpt', 'recipient_refused', 'recipient'],
    ['554 transaction failed', 'dot', 'content_fault', 'content'],
    ['503 no valid recipients', 'data', 'recipient_refused', 'recipient'],
    ['530 5.7.0 Authentication required', 'mail', 'configuration', 'authentication'],
    ['535 5.7.8 bad credentials', 'mail', 'configuration', 'authentication'],
  ])('%s (%s)', (line, stage, outcome, reason) => {
    expect(classify(line, stage)).toMatchObject({ class: outcome, reason });
  });

  test('say when to slow down and when to come again', () => {
    expect(classify('421 4.7.0 try again in 5 minutes')).toMatchObject({
      slowDown: true,
      retryAfterSeconds: 300,
    });
    expect(classify('450 greylisted for 300 seconds')).toMatchObject({
      slowDown: false,
      retryAfterSeconds: 300,
    });
    expect(classify('450 greylisted, retry in 10s')).toMatchObject({ retryAfterSeconds: 10 });
    expect(classify('450 try again in 2 hours')).toMatchObject({ retryAfterSeconds: 7_200 });
    expect(classify('451 see rule 12 more')).toMatchObject({ retryAfterSeconds: null });
    expect(classify('451 in 9999 hours')).toMatchObject({ retryAfterSeconds: null });
    expect(classify('432 4.7.0 limit')).toMatchObject({ slowDown: true });
  });
});

test('outcomes without a reply are never a bounce', () => {
  expect(classifyOutcome({ kind: 'lost', stage: 'before_data', text: '' }).class).toBe('connection');
  expect(classifyOutcome({ kind: 'lost', stage: 'in_data', text: '' }).class).toBe('connection');
  expect(classifyOutcome({ kind: 'lost', stage: 'after_dot', text: '' }).class).toBe('unknown');
  const unavailable = { kind: 'unavailable', text: '', retryAfterMilliseconds: 1_500 } as const;
  expect(classifyOutcome({ ...unavailable, fault: 'unreachable' })).toMatchObject({
    class: 'connection',
    retryAfterSeconds: 2,
  });
  expect(classifyOutcome({ ...unavailable, fault: 'auth' }).class).toBe('configuration');
  expect(classifyOutcome({ ...unavailable, fault: 'tls' }).class).toBe('configuration');
  expect(classifyOutcome({ ...unavailable, fault: 'closed' }).class).toBe('connection');
  const refused = (enhanced: string) =>
    classifyOutcome({ kind: 'refused', code: 553, enhanced, text: '' }).class;
  expect([refused('5.6.7'), refused('5.3.4'), refused('5.6.3'), refused('5.6.0'), refused('5.1.7')]).toEqual([
    'recipient_refused',
    'content_fault',
    'content_fault',
    'content_fault',
    'sender_fault',
  ]);
});

test('every reply has a class; 4xx waits, and 5.7 and 5.6 suppress nobody', () => {
  const reply = fc.record({
    code: fc.integer({ min: 400, max: 599 }),
    enhanced: fc.option(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 600 }))),
    text: fc.oneof(fc.string(), fc.constantFrom('user unknown', 'mailbox full', 'spam', 'rate limit')),
    stage: fc.constantFrom<ReplyStage>('mail', 'rcpt', 'data', 'dot'),
  });
  fc.assert(
    fc.property(reply, ({ code, enhanced, text, stage }) => {
      const status = enhanced === null ? null : `${Math.floor(code / 100)}.${enhanced.join('.')}`;
      const { class: outcome } = classifyRefusal({ code, enhanced: status, text, stage });
      if (code < 500) expect(outcome).toBe('deferred');
      else expect(['sent', 'deferred', 'unknown', 'connection']).not.toContain(outcome);
      if (enhanced?.[0] === 7 || enhanced?.[0] === 6) expect(outcome).not.toBe('hard_bounce');
      if (stage === 'mail' && enhanced === null) expect(outcome).not.toBe('hard_bounce');
    }),
  );
});

test('a flood of words costs little', () => {
  const text = 'user '.repeat(200_000);
  expect(classifyRefusal({ code: 550, enhanced: null, text, stage: 'rcpt' }).class).toBe('recipient_refused');
});
