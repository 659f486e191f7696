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
    : verdict.kind;
};

test.each([
  ['250 2.0.0 Ok: queued as 12345', 'dot', 'sent'],
  ['550 5.1.1 <x@y>: Recipient address rejected: User unknown', 'rcpt', 'hard_bounce'],
  ['550 5.1.10 Recipient not found', 'rcpt', 'hard_bounce'],
  ['550 5.1.2 Bad destination system', 'rcpt', 'hard_bounce'],
  ['550 5.2.1 Mailbox disabled', 'rcpt', 'hard_bounce'],
  ['552 5.2.2 Mailbox full', 'rcpt', 'soft_bounce'],
  ['554 5.7.1 Rejected', 'rcpt', 'sender_fault, our fault'],
  ['550 5.7.26 Unauthenticated mail', 'dot', 'sender_fault, our fault'],
  ['554 5.6.0 Message content rejected', 'dot', 'content_fault, our fault'],
  ['552 5.3.4 Message too big', 'dot', 'content_fault, our fault'],
  ['550 5.6.7 Addresses in UTF-8 not supported', 'rcpt', 'recipient_refused'],
  ['450 4.2.0 Greylisted', 'rcpt', 'later: greylisted'],
  ['452 4.2.2 Over quota', 'rcpt', 'later: mailbox_full'],
  ['421 4.7.0 Too many connections', 'mail', 'slow down: server_closing'],
  ['454 4.7.0 Throttling: maximum sending rate exceeded', 'dot', 'slow down: rate_limited'],
  ['535 5.7.8 Authentication credentials invalid', 'mail', 'misconfigured'],
] as const)('%s (after %s) means: %s', (line, stage, expected) => {
  expect(judge(line, stage)).toBe(expected);
});

test('a wait that a server asks for is kept to', () => {
  const reply = { code: 451, enhanced: '4.7.1', text: 'Greylisted, try again in 15 minutes' };
  expect(judgeReply(reply, 'rcpt')).toMatchObject({ kind: 'defer', atLeastMs: 900_000 });
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
