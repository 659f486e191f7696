import { describe, expect, test } from 'vitest';
import type { SendOutcome } from '../src/smtp/outcome.ts';
import type { SinkAction, SinkScript, SinkStage } from '../src/testing/index.ts';
import { MESSAGE, mail, sessionWith, sinkFor } from './smtp-parts.ts';

/** Says something else at one stage, once or always. */
function at(stage: SinkStage, action: SinkAction | string, transaction?: number): SinkScript {
  return (moment) =>
    moment.stage === stage && (transaction === undefined || moment.transaction === transaction)
      ? action
      : undefined;
}

const envelopes = (commands: readonly string[]) => commands.filter((line) => !/EHLO|HELO/.test(line));
const brief = (outcome: SendOutcome) =>
  outcome.kind === 'reply' || outcome.kind === 'refused'
    ? `${outcome.kind} ${outcome.kind === 'reply' ? `${outcome.stage} ` : ''}${outcome.code} ${outcome.enhanced}`
    : outcome.kind === 'lost'
      ? `lost ${outcome.stage}`
      : outcome.kind;

describe.each([
  ['with pipelining', true],
  ['without pipelining', false],
])('a session %s', (_how, pipelining) => {
  const extensions = { pipelining };

  test('sends messages one after the other, byte for byte', async () => {
    const sink = await sinkFor({ extensions });
    const session = await sessionWith(sink);
    const data = Buffer.from('Subject: dots\r\n\r\n.\r\n..\r\nx.\r\n.y\r\n', 'latin1');
    expect(await session.send(mail())).toEqual({
      kind: 'reply',
      stage: 'dot',
      code: 250,
      enhanced: '2.0.0',
      text: 'queued',
    });
    expect(brief(await session.send(mail({ to: 'b@example.com', data })))).toBe('reply dot 250 2.0.0');
    expect(
      brief(await session.send(mail({ to: 'c@example.com', data: [MESSAGE, Buffer.from('more')] }))),
    ).toBe('reply dot 250 2.0.0');
    expect(sink.messages.map(({ to }) => to)).toEqual([
      ['ada@example.com'],
      ['b@example.com'],
      ['c@example.com'],
    ]);
    expect(sink.messages[0]!.data).toEqual(MESSAGE);
    expect(sink.messages[1]!.data).toEqual(data);
    expect(sink.messages[2]!.data.toString()).toBe(`${MESSAGE}more\r\n`);
    expect(sink.commands.join('\n')).not.toContain('RSET');
  });

  test('sends what is handed over at once, in order, each answered by its own reply', async () => {
    const sink = await sinkFor({ extensions, splitReplies: 7 });
    sink.script = ({ stage, to, transaction }) => {
      if (stage === 'dot') return `250 2.0.0 took ${to[0]}`;
      return stage === 'rcpt' && transaction % 3 === 0 ? '550 5.1.1 unknown' : undefined;
    };
    const session = await sessionWith(sink);
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, n) => session.send(mail({ to: `p${n}@example.com` }))),
    );
    outcomes.forEach((outcome, n) => {
      if (n % 3 === 2) expect(brief(outcome)).toBe('reply rcpt 550 5.1.1');
      else expect(outcome).toMatchObject({ stage: 'dot', text: `took p${n}@example.com` });
    });
    expect(sink.count).toBe(14);
  });

  test.each([
    ['mail', '550 5.7.1 not you', 'reply mail 550 5.7.1'],
    ['rcpt', '450 4.2.1 greylisted', 'reply rcpt 450 4.2.1'],
    ['rcpt', '550 no such user', 'reply rcpt 550 null'],
    ['data', '451 4.3.0 no space', 'reply data 451 4.3.0'],
    ['dot', '554 5.6.0 spam', 'reply dot 554 5.6.0'],
    ['dot', '452-4.2.2 full\r\n452 4.2.2 really', 'reply dot 452 4.2.2'],
  ] as const)(
    'reports a refusal of %s, and the next message goes through',
    async (stage, reply, expected) => {
      const sink = await sinkFor({ extensions, script: at(stage, reply, 1) });
      const session = await sessionWith(sink);
      expect(brief(await session.send(mail()))).toBe(expected);
      expect(brief(await session.send(mail({ to: 'next@example.com' })))).toBe('reply dot 250 2.0.0');
      expect(sink.messages.map(({ to }) => to[0])).toEqual(['next@example.com']);
      const reset = stage === 'rcpt' || stage === 'data';
      expect(sink.commands.join('\n').includes('RSET')).toBe(reset);
      expect(session.open).toBe(true);
    },
  );

  test.each([
    ['mail', 'reply mail 421 4.3.2'],
    ['rcpt', 'reply rcpt 421 4.3.2'],
    ['data', 'reply data 421 4.3.2'],
    ['dot', 'reply dot 421 4.3.2'],
  ] as const)('takes 421 at %s for an answer and an end', async (stage, expected) => {
    const sink = await sinkFor({ extensions, script: at(stage, { reply: '421 4.3.2 closing', drop: true }) });
    const session = await sessionWith(sink);
    const asked: string[] = [];
    const next = { to: 'next@example.com', beforeMail: () => asked.push('next') > 0 };
    const [first, second] = await Promise.all([session.send(mail()), session.send(mail(next))]);
    expect(brief(first)).toBe(expected);
    expect(brief(second)).toBe('lost before_data');
    expect(session.open).toBe(false);
    expect(await session.ended).toContain('closing');
    // Only where its envelope travels with the message before it has the next one been begun.
    expect(asked).toEqual(pipelining && stage === 'dot' ? ['next'] : []);
  });

  test.each([
    ['mail', 'lost before_data'],
    ['rcpt', 'lost before_data'],
    ['data', 'lost before_data'],
    ['dot', 'lost after_dot'],
  ] as const)('tells where a connection broke: %s', async (stage, expected) => {
    for (const drop of [true, 'reset'] as const) {
      const sink = await sinkFor({ extensions, script: at(stage, { drop }) });
      const session = await sessionWith(sink);
      expect(brief(await session.send(mail()))).toBe(expected);
      expect(brief(await session.send(mail()))).toBe('lost before_data');
    }
  });

  test('does not know what became of a message whose reply was lost', async () => {
    const sink = await sinkFor({ extensions, script: at('dot', { drop: true, take: true }) });
    const session = await sessionWith(sink);
    expect(brief(await session.send(mail()))).toBe('lost after_dot');
    expect(sink.count).toBe(1);
  });

  test('asks once more before MAIL FROM, and not before its turn', async () => {
    const sink = await sinkFor({ extensions });
    const session = await sessionWith(sink);
    let unsubscribed = false;
    const first = session.send(mail({ beforeMail: () => true }));
    const second = session.send(mail({ to: 'gone@example.com', beforeMail: () => !unsubscribed }));
    const third = session.send(mail({ to: 'last@example.com' }));
    unsubscribed = true;
    expect(brief(await first)).toBe('reply dot 250 2.0.0');
    expect(brief(await second)).toBe('cancelled');
    expect(brief(await third)).toBe('reply dot 250 2.0.0');
    expect(sink.commands.join('\n')).not.toContain('gone@example.com');
  });

  test('tells when the message leaves, and only then', async () => {
    const sink = await sinkFor({ extensions, script: at('rcpt', '550 5.1.1 no', 1) });
    const session = await sessionWith(sink);
    const sent: string[] = [];
    await session.send(mail({ onDataSent: () => sent.push('refused') }));
    await session.send(mail({ onDataSent: () => sent.push('taken') }));
    expect(sent).toEqual(['taken']);
  });

  test('says QUIT after what it has, and takes no more', async () => {
    const sink = await sinkFor({ extensions });
    const session = await sessionWith(sink);
    const sending = [session.send(mail()), session.send(mail())];
    const quitting = session.quit();
    expect(brief(await session.send(mail()))).toBe('lost before_data');
    await quitting;
    expect((await Promise.all(sending)).map(brief)).toEqual(['reply dot 250 2.0.0', 'reply dot 250 2.0.0']);
    expect(sink.commands.at(-1)).toBe('1: QUIT');
    await session.quit();
  });

  test('gives up on silence at every stage', async () => {
    const brevity = { mail: 30, rcpt: 30, data: 30, dot: 30 };
    for (const [stage, expected] of [
      ['mail', 'lost before_data'],
      ['rcpt', 'lost before_data'],
      ['data', 'lost before_data'],
      ['dot', 'lost after_dot'],
    ] as const) {
      const sink = await sinkFor({ extensions, script: at(stage, { hang: true }) });
      const session = await sessionWith(sink, { timeouts: brevity });
      const outcome = await session.send(mail());
      expect(brief(outcome)).toBe(expected);
      expect(outcome).toMatchObject({ text: expect.stringMatching(/^No reply to .* in time$/) });
    }
  });

  test('leaves a server that answers nonsense', async () => {
    for (const [stage, reply, expected] of [
      ['mail', '354 what', 'lost before_data'],
      ['rcpt', '334 what', 'lost before_data'],
      ['data', '250 what', 'lost before_data'],
      ['dot', '354 what', 'lost after_dot'],
      ['dot', 'no code', 'lost after_dot'],
      ['mail', '250-first\r\n251 second', 'lost before_data'],
    ] as const) {
      const sink = await sinkFor({ extensions, script: at(stage, reply) });
      const session = await sessionWith(sink);
      expect(brief(await session.send(mail()))).toBe(expected);
      expect(session.open).toBe(false);
    }
  });

  test('sends large messages in blocks, and knows how far a lost one came', async () => {
    const large = Buffer.concat([MESSAGE, Buffer.alloc(3_000_000, `.${'x'.repeat(70)}\r\n`)]);
    const sink = await sinkFor({ extensions });
    const session = await sessionWith(sink);
    const [first, second] = await Promise.all([session.send(mail({ data: large })), session.send(mail())]);
    expect([brief(first), brief(second)]).toEqual(['reply dot 250 2.0.0', 'reply dot 250 2.0.0']);
    expect(sink.messages[0]!.data.subarray(0, large.length).equals(large)).toBe(true);

    const huge = Buffer.alloc(64_000_000, `${'x'.repeat(70)}\r\n`);
    sink.script = ({ stage, octets }) => (stage === 'body' && octets > 100_000 ? { drop: true } : undefined);
    expect(brief(await session.send(mail({ data: huge })))).toBe('lost in_data');
    const other = await sessionWith(sink, { timeouts: { block: 50 } });
    sink.script = at('body', { hang: true });
    expect(brief(await other.send(mail({ data: huge })))).toBe('lost in_data');
    const third = await sessionWith(sink);
    sink.script = at('body', { reply: '552 5.3.4 enough' });
    expect(brief(await third.send(mail({ data: huge })))).toBe('reply dot 552 5.3.4');
    expect(third.open).toBe(false);
  });
});

describe('pipelining', () => {
  test('sends the envelope in one write, and the next one with the end of the message', async () => {
    const sink = await sinkFor();
    const session = await sessionWith(sink);
    await Promise.all([
      session.send(mail()),
      session.send(mail({ to: 'b@example.com' })),
      session.send(mail({ to: 'c@example.com' })),
    ]);
    expect(envelopes(sink.commands)).toEqual(
      ['ada', 'b', 'c'].flatMap((name) => [
        '1: MAIL FROM:<bounce@example.org>',
        `1: RCPT TO:<${name}@example.com>`,
        '1: DATA',
      ]),
    );
  });

  test('ends a transaction that is refused and still told to go on with a lone dot', async () => {
    for (const dot of ['554 5.5.1 no valid recipients', '250 2.0.0 ok']) {
      const sink = await sinkFor({
        script: ({ stage, transaction }) => {
          if (transaction !== 1) return undefined;
          if (stage === 'rcpt') return '550 5.1.1 unknown';
          return stage === 'data' ? '354 go on' : stage === 'dot' ? dot : undefined;
        },
      });
      const session = await sessionWith(sink);
      const outcomes = await Promise.all([
        session.send(mail()),
        session.send(mail({ to: 'next@example.com' })),
      ]);
      expect(outcomes.map(brief)).toEqual(['reply rcpt 550 5.1.1', 'reply dot 250 2.0.0']);
      expect(sink.messages.map(({ to }) => to)).toEqual([['next@example.com']]);
      expect(sink.commands.join('\n')).not.toContain('RSET');
    }
  });

  test('is not used with a server that does not offer it', async () => {
    const sink = await sinkFor({ extensions: { pipelining: false } });
    let unanswered = 0;
    let most = 0;
    sink.script = ({ stage }) => {
      if (stage === 'mail' || stage === 'rcpt' || stage === 'data') {
        unanswered += 1;
        most = Math.max(most, unanswered);
        setImmediate(() => {
          unanswered -= 1;
        });
      }
      return undefined;
    };
    const session = await sessionWith(sink);
    await Promise.all([session.send(mail()), session.send(mail())]);
    expect(most).toBe(1);
  });
});

describe('extensions', () => {
  test('SMTPUTF8 is asked for only when needed, and a server without it is not tried', async () => {
    const sink = await sinkFor();
    const session = await sessionWith(sink);
    await session.send(mail());
    await session.send(mail({ to: 'zoë@example.com' }));
    await session.send(mail({ utf8: true, data: Buffer.from('To: zoë@example.com\r\n\r\nx\r\n') }));
    expect(sink.messages.map(({ mailCommand }) => mailCommand)).toEqual([
      'MAIL FROM:<bounce@example.org>',
      'MAIL FROM:<bounce@example.org> SMTPUTF8',
      'MAIL FROM:<bounce@example.org> BODY=8BITMIME SMTPUTF8',
    ]);
    const plain = await sinkFor({ extensions: { smtpUtf8: false } });
    const other = await sessionWith(plain);
    expect(brief(await other.send(mail({ to: 'zoë@example.com' })))).toBe('refused 553 5.6.7');
    expect(brief(await other.send(mail()))).toBe('reply dot 250 2.0.0');
    expect(plain.commands.join('\n')).not.toContain('zo');
  });

  test('SIZE is told, and a message that is too large is not sent', async () => {
    const sink = await sinkFor({ extensions: { size: MESSAGE.length } });
    const session = await sessionWith(sink);
    expect(brief(await session.send(mail()))).toBe('reply dot 250 2.0.0');
    expect(sink.messages[0]!.mailCommand).toBe(`MAIL FROM:<bounce@example.org> SIZE=${MESSAGE.length}`);
    const outcome = await session.send(mail({ data: Buffer.concat([MESSAGE, MESSAGE]) }));
    expect(brief(outcome)).toBe('refused 552 5.3.4');
  });

  test('8BITMIME is needed for octets above 127', async () => {
    const data = Buffer.from('Subject: x\r\n\r\né\r\n');
    const sink = await sinkFor({ extensions: { eightBitMime: false } });
    expect(brief(await (await sessionWith(sink)).send(mail({ data })))).toBe('refused 554 5.6.3');
    const able = await sinkFor();
    await (await sessionWith(able)).send(mail({ data }));
    expect(able.messages[0]!.mailCommand).toContain('BODY=8BITMIME');
  });
});

describe('what is never sent', () => {
  test.each([
    [
      'a recipient with a line break',
      { to: 'a@example.com>\r\nRCPT TO:<b@example.com' },
      'refused 553 5.1.3',
    ],
    ['a recipient with an angle bracket', { to: 'a@example.com> NOTIFY=NEVER' }, 'refused 553 5.1.3'],
    ['no recipient', { to: '' }, 'refused 553 5.1.3'],
    ['a malformed return path', { from: 'a b@example.org' }, 'refused 553 5.1.7'],
    ['a lone LF', { data: Buffer.from('Subject: x\n\nx\n') }, 'refused 554 5.6.0'],
    ['a lone CR', { data: Buffer.from('Subject: x\r\r\n') }, 'refused 554 5.6.0'],
    ['a smuggled message', { data: Buffer.from('x\r\n\n.\r\nMAIL FROM:<a@b.c>\r\n') }, 'refused 554 5.6.0'],
  ])('%s', async (_what, options, expected) => {
    const sink = await sinkFor();
    const session = await sessionWith(sink);
    expect(brief(await session.send(mail(options)))).toBe(expected);
    expect(envelopes(sink.commands)).toEqual([]);
    expect(session).toMatchObject({ open: true, pending: 0 });
  });

  test('the null return path and quoted local parts may go', async () => {
    const sink = await sinkFor();
    const session = await sessionWith(sink);
    expect(brief(await session.send(mail({ from: '', to: '"a b>"@example.com' })))).toBe(
      'reply dot 250 2.0.0',
    );
    expect(sink.messages[0]).toMatchObject({ from: '', to: ['"a b>"@example.com'] });
  });
});

test('a 421 that comes unasked ends an idle session', async () => {
  const sink = await sinkFor();
  const session = await sessionWith(sink);
  await session.send(mail());
  sink.say('421 4.4.2 idle too long');
  expect(await session.ended).toContain('idle too long');
  expect(session.open).toBe(false);
});
