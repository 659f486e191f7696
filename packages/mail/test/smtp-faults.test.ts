import fc from 'fast-check';
import { expect, test } from 'vitest';
import { connectSmtp } from '../src/smtp/connect.ts';
import type { SendOutcome } from '../src/smtp/outcome.ts';
import { type SinkAction, type SinkScript, startSmtpSink } from '../src/testing/index.ts';
import { mail, optionsFor } from './smtp-parts.ts';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** What a server may do wrong, at each stage where it can. */
const action = fc.constantFrom<SinkAction | string>(
  '250 2.0.0 fine',
  '354 go on',
  '450 4.2.1 later',
  '550 5.1.1 never',
  '550-5.1.1 never\r\n550 5.1.1 ever',
  { reply: '421 4.3.2 closing', drop: true },
  { reply: '421 4.3.2 closing' },
  { drop: true },
  { drop: 'reset' },
  { drop: true, take: true },
  { raw: '250 2.0.0 one\r\n250 2.0.0 two\r\n' },
  { raw: '\0\r\n' },
  { raw: '250-never ending\r\n', hang: true },
  { hang: true },
);
const fault = fc.record({
  stage: fc.constantFrom('mail', 'rcpt', 'data', 'body', 'dot', 'rset' as const),
  transaction: fc.integer({ min: 1, max: 8 }),
  action,
});
const run = fc.record({
  pipelining: fc.boolean(),
  splitReplies: fc.constantFrom(0, 0, 1, 5),
  /** All at once, one after the other, or whenever the event loop has had a turn. */
  pace: fc.constantFrom('at once', 'in turn', 'by and by'),
  /** What the caller says about the end of each message; undefined where it is not asked. */
  ends: fc.array(fc.constantFrom(undefined, undefined, true, false), { minLength: 8, maxLength: 8 }),
  octets: fc.constantFrom(10, 10, 200_000),
  faults: fc.array(fault, { maxLength: 4 }),
});

test('whatever a server does, every message is answered for, and truly', async () => {
  await fc.assert(
    fc.asyncProperty(run, async ({ pipelining, splitReplies, pace, ends, octets, faults }) => {
      const script: SinkScript = ({ stage, transaction }) =>
        faults.find((each) => each.stage === stage && each.transaction === transaction)?.action;
      const sink = await startSmtpSink({ extensions: { pipelining }, splitReplies, script });
      try {
        const data = Buffer.from(`Subject: x\r\n\r\n${'x\r\n'.repeat(octets / 3)}`);
        const outcomes = new Map<string, SendOutcome>();
        const session = await connectSmtp(
          optionsFor(sink, {
            // A greeting is awaited too, which a busy machine may not give at once.
            timeouts: { command: 2_000, mail: 100, rcpt: 100, data: 100, block: 100, dot: 100 },
          }),
        );
        const one = async (n: number) => {
          const to = `p${n}@example.com`;
          const goes = ends[n];
          const beforeEnd = goes === undefined ? undefined : () => turn().then(() => goes);
          outcomes.set(to, await session.send(mail({ to, data, beforeEnd })));
        };
        const numbers = Array.from({ length: 8 }, (_, n) => n);
        const sending: Promise<void>[] = [];
        for (const n of numbers) {
          sending.push(one(n));
          if (pace === 'in turn') await sending.at(-1);
          if (pace === 'by and by') await turn();
        }
        await Promise.all(sending);
        expect(session.pending).toBe(0);
        session.destroy();

        const received = sink.messages.flatMap(({ to }) => to);
        expect(new Set(received).size).toBe(received.length);
        for (const [to, outcome] of outcomes) {
          const accepted = outcome.kind === 'reply' && outcome.stage === 'dot' && outcome.code < 300;
          const open = outcome.kind === 'lost' && outcome.stage === 'after_dot';
          // A server that answers twice tells lies about the message after it; nobody can see through that.
          const lies = faults.some(({ action: a }) => typeof a === 'object' && a.raw?.includes('two'));
          // Nor through one that refuses a message in its middle and takes it at its end, when the dot had left by then.
          const contradicts = faults.some(
            ({ stage, action: a }) => stage === 'body' && (typeof a === 'string' || a.reply !== undefined),
          );
          const isBoth = contradicts && outcome.kind === 'reply' && received.includes(to);
          if (lies || open || isBoth) continue;
          expect({ to, outcome, received: received.includes(to) }).toEqual({
            to,
            outcome,
            received: accepted,
          });
        }
      } finally {
        await sink.close();
      }
    }),
    { numRuns: 150 },
  );
});
