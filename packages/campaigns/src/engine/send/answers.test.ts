import { systemRandom } from '@postern/kit';
import { expect, test } from 'vitest';
import type { SendStage } from '../ports.ts';
import { judgeReply, replyText } from './answers.ts';
import { delayAfter } from './backoff.ts';

const judge = (line: string, stage: SendStage = 'rcpt') => {
  const [, code = '', enhanced, text = ''] = /^(\d{3})(?: (\d\.\d+\.\d+))? (.*)$/.exec(line) ?? [];
  const verdict = judgeReply({ code: Number(code), enhanced: enhanced ?? null, text }, stage);
  if (verdict.kind === 'fail') return verdict.isOurFault ? `${verdict.reason}, our fault` : verdict.reason;
  return verdict.kind === 'defer'
    ? `${verdict.isTooFast ? 'slow down' : 'later'}: ${verdict.reason}`
    : 'sent';
};

test.each([
  ['250 2.0.0 Ok: queued as 12345', 'body', 'sent'],
  ['550 5.1.1 <x@y>: Recipient address rejected: User unknown', 'rcpt', 'hard_bounce'],
  ['550 5.1.10 Recipient not found', 'rcpt', 'hard_bounce'],
  ['550 5.1.2 Bad destination system', 'rcpt', 'hard_bounce'],
  ['550 5.2.1 Mailbox disabled', 'rcpt', 'hard_bounce'],
  ['550 5.1.1 No such user', 'body', 'hard_bounce'],
  ['550 No such user here', 'rcpt', 'hard_bounce'],
  ['551 User not local', 'rcpt', 'hard_bounce'],
  ['550 Blocked by our spam filter', 'rcpt', 'policy, our fault'],
  ['553 Mailbox name not allowed here', 'rcpt', 'policy, our fault'],
  ['553 Malformed address', 'rcpt', 'rejected'],
  ['552 5.2.2 Mailbox full', 'rcpt', 'mailbox_full'],
  ['552 Storage exceeded', 'rcpt', 'mailbox_full'],
  ['552 5.3.4 Message too big', 'body', 'content, our fault'],
  ['554 5.7.1 Rejected', 'rcpt', 'policy, our fault'],
  ['550 5.7.26 Unauthenticated mail', 'body', 'policy, our fault'],
  ['550 5.7.515 Access denied', 'body', 'policy, our fault'],
  ['554 5.6.0 Message content rejected', 'body', 'content, our fault'],
  ['554 Transaction failed', 'rcpt', 'policy, our fault'],
  ['554 Transaction failed', 'body', 'content, our fault'],
  ['550 5.6.7 Addresses in UTF-8 not supported', 'rcpt', 'smtputf8_unsupported'],
  ['550 5.1.1 Sender unknown', 'mail', 'policy, our fault'],
  ['550 5.4.1 Recipient address rejected: Access denied', 'rcpt', 'rejected'],
  ['450 4.2.0 Greylisted', 'rcpt', 'later: temporary_failure'],
  ['451 4.7.1 Greylisting in action, please come back later', 'rcpt', 'later: temporary_failure'],
  ['452 4.2.2 Over quota', 'rcpt', 'later: mailbox_full'],
  ['421 4.7.0 Too many connections', 'mail', 'slow down: rate_limited'],
  ['454 4.7.0 Throttling: maximum sending rate exceeded', 'body', 'slow down: rate_limited'],
  ['421 4.7.28 Unusual rate', 'rcpt', 'slow down: rate_limited'],
] as const)('%s (after %s) means: %s', (line, stage, expected) => {
  expect(judge(line, stage)).toBe(expected);
});

test('a reply is kept as one bounded line', () => {
  expect(replyText({ code: 550, enhanced: '5.1.1', text: 'no\u0000\u202e such\r\nuser' })).toBe(
    '550 5.1.1 no such user',
  );
  expect(replyText({ code: 550, enhanced: '5.1.1', text: '5.1.1 no' })).toBe('550 5.1.1 no');
  expect(replyText({ code: 550, enhanced: null, text: 'x'.repeat(2_000) }).length).toBeLessThan(510);
});

test('a mail that is put off is tried for 48 hours, ever more seldom', () => {
  let total = 0;
  let attempts = 0;
  let last = 0;
  for (
    let delay = delayAfter(++attempts, systemRandom);
    delay !== null;
    delay = delayAfter(++attempts, systemRandom)
  ) {
    total += delay;
    expect(delay).toBeGreaterThan(0);
    expect(delay).toBeLessThanOrEqual(14_400_000 * 1.2);
    last = attempts;
  }
  expect(total / 3_600_000).toBeGreaterThan(48 * 0.8);
  expect(total / 3_600_000).toBeLessThan(48 * 1.2);
  expect(last).toBeLessThan(30);
});
