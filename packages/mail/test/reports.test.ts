import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseAddress } from '../src/addresses.ts';
import { compileMessage, messageBytes } from '../src/mime/message.ts';
import { parseReport, type Report, type ReportOptions } from '../src/reports/report.ts';
import { createVerp } from '../src/verp.ts';

const verp = createVerp({ secret: Buffer.alloc(32, 1), domain: 'bounce.example.org' });
const DELIVERY = 'dlv_01J0000000000000000000000Z';
const returnPath = verp.address(DELIVERY);

const read = (text: string, options: ReportOptions = {}): Report =>
  parseReport(Buffer.from(text), { readToken: verp.read, ...options });

/** A delivery report of three parts. */
function dsn(
  status: string,
  options: { to?: string; head?: string; text?: string; returned?: string } = {},
): string {
  return [
    `From: Mail Delivery System <MAILER-DAEMON@mx.example.net>`,
    `To: ${options.to ?? returnPath}`,
    'Subject: Undelivered Mail Returned to Sender',
    'Auto-Submitted: auto-replied',
    options.head ?? 'Content-Type: multipart/report; report-type=delivery-status;\n boundary="b1/mx"',
    '',
    'This is a MIME-encapsulated message.',
    '',
    '--b1/mx',
    'Content-Type: text/plain; charset=us-ascii',
    '',
    options.text ?? 'Your message could not be delivered.',
    '',
    '--b1/mx',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mx.example.net',
    'Arrival-Date: Fri, 1 May 2026 00:00:00 +0000',
    '',
    status,
    '',
    '--b1/mx',
    options.returned ??
      'Content-Type: message/rfc822\n\nReturn-Path: <x@example.org>\nMessage-ID: <m1@example.org>\nFeedback-ID: a:b:c:postern\nSubject: =?UTF-8?Q?Th=C3=A9?=\nTo: ada@example.com\n\nHello\n',
    '--b1/mx--',
    '',
  ].join('\n');
}

const failed = (status: string, diagnostic: string) =>
  `Final-Recipient: rfc822; ada@example.com\nOriginal-Recipient: rfc822;Ada@example.com\nAction: failed\nStatus: ${status}\nDiagnostic-Code: smtp; ${diagnostic}`;

describe('delivery reports of RFC 3464', () => {
  test('tell the recipient, what happened and which message it was', () => {
    expect(read(dsn(failed('5.1.1', '550 5.1.1 <ada@example.com>:\n    User unknown')))).toEqual({
      kind: 'bounce',
      recipients: [
        {
          address: 'ada@example.com',
          original: 'Ada@example.com',
          action: 'failed',
          status: '5.1.1',
          diagnostic: '550 5.1.1 <ada@example.com>: User unknown',
          class: 'hard_bounce',
          reason: 'mailbox_unknown',
        },
      ],
      action: 'failed',
      status: '5.1.1',
      token: DELIVERY,
      original: {
        messageId: 'm1@example.org',
        feedbackId: 'a:b:c:postern',
        subject: 'Thé',
        to: 'ada@example.com',
      },
      feedbackType: null,
    });
  });

  test.each([
    ['5.1.1', '550 5.1.1 no such user', 'hard_bounce'],
    ['5.1.6', '550 5.1.6 recipient no longer on server', 'hard_bounce'],
    ['5.2.2', '552 5.2.2 Mailbox full', 'soft_bounce'],
    ['5.2.0', '550 Unknown user ada@example.com', 'hard_bounce'],
    ['5.0.0', '550 5.1.1 no such user', 'hard_bounce'],
    ['5.0.0', '550-Requested action not taken: mailbox unavailable', 'soft_bounce'],
    ['5.3.0', '553 5.3.0 <ada@example.com>... Addressee unknown, relay=[192.0.2.1]', 'hard_bounce'],
    ['5.7.1', '550 5.7.1 message rejected', 'sender_fault'],
    ['5.7.9', '554 5.7.9 Message not accepted for policy reasons. See https://x.example', 'sender_fault'],
    ['5.7.26', '550-5.7.26 Unauthenticated email is not accepted due to DMARC policy', 'sender_fault'],
    ['5.6.0', '554 5.6.0 malformed', 'content_fault'],
    ['5.3.4', '552 5.3.4 too big', 'content_fault'],
    ['4.4.7', '451 4.4.7 delivery time expired', 'soft_bounce'],
    ['4.4.1', 'connect to mx.example.com[192.0.2.1]:25: Connection timed out', 'soft_bounce'],
    ['5.4.4', 'Host or domain name not found. Name service error', 'soft_bounce'],
  ])('%s with %j is a %s', (status, diagnostic, expected) => {
    const report = read(dsn(failed(status, diagnostic)));
    expect(report.kind).toBe('bounce');
    expect(report.recipients[0]?.class).toBe(expected);
  });

  test('are told apart from delays and confirmations', () => {
    const group = (action: string, status: string) =>
      `Final-Recipient: rfc822; a@b.example\nAction: ${action}\nStatus: ${status}`;
    expect(read(dsn(group('delayed', '4.4.1')))).toMatchObject({
      kind: 'delayed',
      recipients: [{ class: 'deferred' }],
    });
    expect(read(dsn(group('delivered', '2.0.0')))).toMatchObject({
      kind: 'delivered',
      recipients: [{ class: 'sent' }],
    });
    expect(read(dsn(group('relayed', '2.1.9'))).kind).toBe('delivered');
    expect(
      read(dsn(`${group('delivered', '2.0.0')}\n\n${group('Failed (unknown)', '5.1.1')}`)),
    ).toMatchObject({
      kind: 'bounce',
      action: 'failed',
      status: '5.1.1',
      recipients: [{ action: 'delivered' }, { action: 'failed' }],
    });
  });

  test('without an Action are read by their status', () => {
    expect(read(dsn('Final-Recipient: rfc822; a@b.example\nStatus: 5.1.1 (unknown)')).kind).toBe('bounce');
    expect(read(dsn('Final-Recipient: a@b.example\nStatus: 4.2.2')).kind).toBe('delayed');
    expect(
      read(dsn('Final-Recipient: X-LOCAL; <a@b.example>\nDiagnostic-Code: smtp;550 5.1.1 no')).recipients[0],
    ).toMatchObject({
      address: 'a@b.example',
      action: 'failed',
      status: '5.1.1',
    });
  });

  test('are read in any line breaks, with lines that someone forgot to indent', () => {
    const text = dsn(
      'Diagnostic-Code: smtp; 550-Please authenticate.\n550-mx.example [192.0.2.1]:25 is not permitted to\n550 relay through this server.\nStatus: 5.0.0\nAction: failed\nFinal-Recipient: rfc822; ada@example.com',
    );
    for (const lineBreak of ['\n', '\r\n', '\r']) {
      expect(read(text.replaceAll('\n', lineBreak))).toMatchObject({
        kind: 'bounce',
        token: DELIVERY,
        recipients: [
          { address: 'ada@example.com', diagnostic: expect.stringContaining('not permitted to 550 relay') },
        ],
        original: { messageId: 'm1@example.org' },
      });
    }
  });

  test('may be encoded, international, headers alone, or never closed', () => {
    const encoded = Buffer.from(`Reporting-MTA: dns; x\n\n${failed('5.1.1', '550 no')}\n`).toString('base64');
    const base64 = dsn('X: y').replace(
      /message\/delivery-status\n\n[\s\S]*?\n\n--b1/,
      `message/delivery-status\nContent-Transfer-Encoding: base64\n\n${encoded}\n\n--b1`,
    );
    expect(read(base64)).toMatchObject({ kind: 'bounce', status: '5.1.1' });
    const global = dsn(
      'Final-Recipient: utf-8; zo\\x{EB}@example.com\nAction: failed\nStatus: 5.1.1',
    ).replace('message/delivery-status', 'message/global-delivery-status');
    expect(read(global).recipients[0]?.address).toBe('zoë@example.com');
    const headers = dsn(failed('5.1.1', '550 no'), {
      returned: 'Content-Type: text/rfc822-headers\n\nMessage-ID: <m2@example.org>\n',
    });
    expect(read(headers).original.messageId).toBe('m2@example.org');
    expect(read(dsn(failed('5.1.1', '550 no')).split('--b1/mx--')[0]!).kind).toBe('bounce');
    expect(read(dsn(failed('5.1.1', '550 no')).split('\nContent-Type: message/rfc822')[0]!)).toMatchObject({
      kind: 'bounce',
      original: { messageId: null },
    });
  });

  test('are matched by the envelope, other address fields or the returned Return-Path', () => {
    const to = 'postmaster@example.org';
    const status = failed('5.1.1', '550 no');
    expect(read(dsn(status, { to })).token).toBeNull();
    expect(read(dsn(status, { to }), { envelopeTo: [returnPath] }).token).toBe(DELIVERY);
    expect(read(`Delivered-To: ${returnPath.toUpperCase()}\n${dsn(status, { to })}`).token).toBe(DELIVERY);
    expect(
      read(`Received: from a by b\n\tfor <${returnPath}>; Fri, 1 May 2026\n${dsn(status, { to })}`).token,
    ).toBe(DELIVERY);
    const returned = `Content-Type: message/rfc822\n\nReturn-Path: <${returnPath}>\nSubject: x\n\n`;
    expect(read(dsn(status, { to, returned })).token).toBe(DELIVERY);
    const forged = returnPath.replace(/.(?=@)/, (digit) => (digit === '0' ? '1' : '0'));
    expect(read(dsn(status, { to: forged })).token).toBeNull();
  });
});

describe('reports in words', () => {
  const from = 'From: MAILER-DAEMON@mx.example.net\nTo: x@example.org\nSubject: failure notice\n\n';

  test('of qmail', () => {
    const report = read(
      `${from}Hi. This is the qmail-send program at mx.example.net.\nI'm afraid I wasn't able to deliver your message to the following addresses.\nThis is a permanent error; I've given up. Sorry it didn't work out.\n\n<ada@example.com>:\n192.0.2.1 does not like recipient.\nRemote host said: 550 5.1.1 user unknown\nGiving up on 192.0.2.1.\n\n<bob@example.com>:\nSorry, I couldn't find any host by that name. (#5.1.2)\n\n--- Below this line is a copy of the message.\n\nReturn-Path: <${returnPath}>\nMessage-ID: <m3@example.org>\nSubject: Tea\nTo: eve@example.com\n\n<mallory@example.com>:\n`,
    );
    expect(report).toMatchObject({
      kind: 'bounce',
      token: DELIVERY,
      original: { messageId: 'm3@example.org', subject: 'Tea' },
      recipients: [
        {
          address: 'ada@example.com',
          status: '5.1.1',
          class: 'hard_bounce',
          diagnostic: expect.stringMatching(/^550 5\.1\.1/),
        },
        { address: 'bob@example.com', status: '5.1.2', class: 'hard_bounce' },
      ],
    });
    expect(report.recipients).toHaveLength(2);
  });

  test('of Exim', () => {
    const text = `X-Failed-Recipients: ada@example.com\nAuto-Submitted: auto-replied\nFrom: Mail Delivery System <Mailer-Daemon@mx.example.net>\nTo: ${returnPath}\nSubject: Mail delivery failed: returning message to sender\n\nThis message was created automatically by mail delivery software.\n\nA message that you sent could not be delivered to one or more of its\nrecipients. This is a permanent error. The following address(es) failed:\n\n  ada@example.com\n    host mx.example.com [192.0.2.1]\n    SMTP error from remote mail server after RCPT TO:<ada@example.com>:\n    552 5.2.2 mailbox over quota\n\n------ This is a copy of the message, including all the headers. ------\n\nMessage-ID: <m4@example.org>\nSubject: Tea\n\n`;
    expect(read(text)).toMatchObject({
      kind: 'bounce',
      token: DELIVERY,
      recipients: [{ address: 'ada@example.com', status: '5.2.2', class: 'soft_bounce' }],
      original: { messageId: 'm4@example.org' },
    });
    const unnamed = text.replace(/^X-Failed.*\n/, '');
    expect(read(unnamed)).toMatchObject({
      kind: 'bounce',
      recipients: [{ address: 'ada@example.com', status: '5.2.2' }],
    });
  });

  test('of Gmail with an empty machine part, and of one without any code', () => {
    const text = dsn('', {
      head: 'X-Failed-Recipients: ada@example.com\nContent-Type: multipart/report; report-type=delivery-status; boundary="b1/mx"',
      text: "** Address not found **\n\nYour message wasn't delivered to ada@example.com because the address couldn't be found.\n\nThe response was:\n\n550 5.1.1 The email account that you tried to reach does not exist.",
    });
    expect(read(text)).toMatchObject({
      kind: 'bounce',
      recipients: [{ address: 'ada@example.com', class: 'hard_bounce' }],
    });
    expect(read(`${from}Your message was undeliverable.\n`)).toMatchObject({
      kind: 'bounce',
      recipients: [{ address: null, class: 'soft_bounce', reason: 'unexplained' }],
    });
  });

  test('of the DragonFly agent, with a reply in several lines', () => {
    expect(
      read(
        `From: MAILER-DAEMON <>\nTo: ${returnPath}\nSubject: Mail delivery failed\n\nThis is the DragonFly Mail Agent v0.13 at mx.example.net.\n\nThere was an error delivering your mail to <ada@example.com>.\n\nmx.example.com [192.0.2.1] did not like our final DATA:\n550-5.7.26 Unauthenticated email is not accepted\n550 5.7.26 due to its DMARC policy.\n\nMessage headers follow.\n\nMessage-Id: <m5@example.org>\n`,
      ),
    ).toMatchObject({
      kind: 'bounce',
      recipients: [{ address: 'ada@example.com', status: '5.7.26', class: 'sender_fault' }],
      original: { messageId: 'm5@example.org' },
    });
  });

  test('that only warn are delays', () => {
    const warning = `${from.replace('failure notice', 'Warning: message delayed 24 hours')}Your message to <ada@example.com> has not yet been delivered.\nNo action is required on your part. Delivery attempts will continue.\n450 4.2.0 try later\n`;
    expect(read(warning)).toMatchObject({ kind: 'delayed', recipients: [{ class: 'deferred' }] });
  });

  test('are believed from mail systems alone', () => {
    const human =
      'From: Ada <ada@example.com>\nTo: x@example.org\nSubject: Re: Tea\n\nYour mail was undeliverable: 550 5.1.1 user unknown. What is it?\n';
    expect(read(human)).toMatchObject({ kind: 'other', recipients: [], action: null });
    expect(
      read('From: postmaster@example.com\nSubject: Maintenance\n\nWe will be back on Monday.\n').kind,
    ).toBe('other');
  });
});

describe('complaints', () => {
  const arf = (fields: string) =>
    `From: fbl@isp.example\nTo: ${returnPath.replace(/.+@/, 'abuse@')}\nSubject: FW: Tea\nMIME-Version: 1.0\nContent-Type: multipart/report; report-type=feedback-report; boundary="f"\n\n--f\nContent-Type: text/plain\n\nThis is an email abuse report.\n\n--f\nContent-Type: message/feedback-report\n\n${fields}\n\n--f\nContent-Type: message/rfc822\n\nFrom: tea@example.org\nMessage-ID: <m6@example.org>\nFeedback-ID: cmp:prj:postern\nSubject: Tea\n\nHello\n--f--\n`;

  test('of RFC 5965 name the message, and the recipient unless it is redacted', () => {
    const report = read(
      arf(
        `Feedback-Type: abuse\nUser-Agent: Isp/1\nVersion: 1\nOriginal-Mail-From: <${returnPath}>\nOriginal-Rcpt-To: <ada@example.com>`,
      ),
    );
    expect(report).toMatchObject({
      kind: 'complaint',
      feedbackType: 'abuse',
      token: DELIVERY,
      action: null,
      recipients: [{ address: 'ada@example.com' }],
      original: { messageId: 'm6@example.org', feedbackId: 'cmp:prj:postern' },
    });
    expect(read(arf('Feedback-Type: Fraud\nVersion: 1'))).toMatchObject({
      kind: 'complaint',
      feedbackType: 'fraud',
      recipients: [],
      token: null,
    });
  });

  test('are not what machines report, nor what speaks for the message', () => {
    for (const type of ['not-spam', 'auth-failure', 'dmarc']) {
      expect(read(arf(`Feedback-Type: ${type}`))).toMatchObject({ kind: 'other', feedbackType: type });
    }
  });

  test('of Outlook.com come without the machine part', () => {
    const text =
      'From: staff@hotmail.example\nSubject:  complaint about message from 192.0.2.1\nContent-Type: multipart/mixed; boundary="j"\n\n--j\nContent-Type: message/rfc822\nContent-Disposition: inline\n\nX-HmXmrOriginalRecipient: ada@example.com\nMessage-ID: <m7@example.org>\nSubject: Tea\n\nHello\n--j--\n';
    expect(read(text)).toMatchObject({
      kind: 'complaint',
      recipients: [{ address: 'ada@example.com' }],
      original: { messageId: 'm7@example.org' },
    });
  });
});

describe('automatic replies', () => {
  test.each([
    'Auto-Submitted: auto-replied\nSubject: Away',
    'Auto-Submitted: auto-generated; type=x\nSubject: Ticket 7',
    'X-Autoreply: yes\nSubject: Thanks',
    'Precedence: auto_reply\nSubject: Thanks',
    'Subject: Out of Office: Tea',
    'Subject: Automatic reply: Tea',
    'Subject: Re: AW: Abwesenheitsnotiz',
    'Subject: =?UTF-8?B?6Ieq5YuV6L+U5L+h?=',
  ])('%j', (head) => {
    const text = `From: Ada <ada@example.com>\nTo: ${returnPath}\n${head}\n\nI am away. Mail to bob@example.com was not delivered: 550 5.1.1\n`;
    expect(read(text)).toMatchObject({ kind: 'auto_reply', token: DELIVERY, recipients: [] });
  });

  test('are not letters', () => {
    for (const head of ['Subject: Re: Tea', 'Auto-Submitted: no\nSubject: Tea', 'Subject: Reply']) {
      expect(read(`From: Ada <ada@example.com>\n${head}\n\nYes please\n`).kind).toBe('other');
    }
  });

  test('nor are read receipts', () => {
    const text =
      'From: ada@example.com\nAuto-Submitted: auto-replied\nContent-Type: multipart/report; report-type=disposition-notification; boundary="r"\n\n--r\nContent-Type: message/disposition-notification\n\nFinal-Recipient: rfc822; ada@example.com\nDisposition: manual-action/MDN-sent-manually; displayed\n--r--\n';
    expect(read(text).kind).toBe('other');
  });
});

describe('junk', () => {
  test('of any bytes is read without a throw', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 500 }), (bytes) => {
        expect(parseReport(bytes).kind).toBe('other');
      }),
    );
  });

  test('made of the pieces of reports is read without a throw', () => {
    const piece = fc.constantFrom(
      'From: mailer-daemon@x',
      'Content-Type: multipart/report; boundary="b"',
      'Content-Type: message/delivery-status',
      'Content-Type: message/feedback-report',
      'Content-Type: message/rfc822',
      'Content-Transfer-Encoding: base64',
      'Content-Transfer-Encoding: quoted-printable',
      'X-Failed-Recipients: ,a@b,',
      'Final-Recipient: rfc822;',
      'Final-Recipient: utf-8; \\x{110000}\\x{d800}@b',
      'Action: failed',
      'Status: 5.1.1',
      '--b',
      '--b--',
      '',
      ' folded',
      '=?utf-8?q?=C3?=',
      '\0\u00ff',
      '<a@b>: 550 5.1.1 no',
      '--- Below this line is a copy of the message.',
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 40 }),
        fc.constantFrom('\n', '\r\n', '\r'),
        (lines, lineBreak) => {
          const report = read(lines.join(lineBreak));
          for (const { class: outcome } of report.recipients) expect(outcome).not.toBe('unknown');
          expect(report.kind === 'bounce').toBe(report.action === 'failed');
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test('that is large or deep is bounded', () => {
    const nested = Array.from(
      { length: 500 },
      (_, n) => `Content-Type: multipart/mixed; boundary="n${n}"\n\n--n${n}\n`,
    ).join('');
    expect(read(nested).kind).toBe('other');
    const daemon = 'From: mailer-daemon@x.example\nSubject: failure notice\n';
    for (const flood of [
      ' ',
      'a',
      '<',
      '@',
      'a@',
      '\n',
      ';',
      '-',
      're: ',
      'deliver',
      '=?',
      '>',
      '--b\n',
      'X: ',
      '(',
      '5.1.1 ',
    ]) {
      const run = flood.repeat(1_000_000 / flood.length);
      read(`${daemon}\n${run}x`);
      read(`From: x@y.example\nSubject: ${run}!\nTo: ${run}\n\nx`);
      read(`${daemon}Content-Type: multipart/mixed; boundary="b"${run}\n\n--b\n${run}`);
      read(dsn(`Final-Recipient: rfc822; ${run}!\nAction: failed\nDiagnostic-Code: smtp; ${run}!`));
    }
  });

  test('our own messages are no reports', () => {
    const from = parseAddress('tea@example.org');
    const to = parseAddress('ada@example.com');
    if (from.fault !== undefined || to.fault !== undefined) throw new Error('addresses');
    const compiled = compileMessage({
      from: { address: from },
      subject: 'Tea',
      text: 'Hi',
      html: '<p>Hi</p>',
      seed: '1',
    });
    const rendered = compiled.render({ to: { address: to }, date: 0, messageId: 'a@b.example', values: {} });
    expect(parseReport(messageBytes(rendered)).kind).toBe('other');
  });
});
