import { describe, expect, test } from 'vitest';
import { MESSAGE, mail, sessionWith, sinkFor } from './smtp-parts.ts';

/** A promise that the test keeps or breaks. */
function held(): {
  asked: Promise<void>;
  beforeEnd: () => Promise<boolean>;
  answer: (goes: boolean) => void;
  fail: () => void;
} {
  let ask: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => {
    ask = resolve;
  });
  let answer: (goes: boolean) => void = () => undefined;
  let fail: () => void = () => undefined;
  const answered = new Promise<boolean>((resolve, reject) => {
    answer = resolve;
    fail = () => reject(new Error('no database'));
  });
  return {
    asked,
    beforeEnd: () => {
      ask();
      return answered;
    },
    answer,
    fail,
  };
}

describe.each([
  ['with pipelining', true],
  ['without pipelining', false],
])('the end of a message, %s', (_how, pipelining) => {
  const extensions = { pipelining };
  const large = Buffer.from(`Subject: large\r\n\r\n${'0123456789abcdef\r\n'.repeat(20_000)}`);

  test.each([
    ['small', MESSAGE],
    ['large', large],
  ])('is held back until the caller allows it (%s)', async (_size, data) => {
    const sink = await sinkFor({ extensions });
    const bodies: number[] = [];
    sink.script = ({ stage, octets }) => {
      if (stage === 'body') bodies.push(octets);
      return undefined;
    };
    const session = await sessionWith(sink);
    const { asked, beforeEnd, answer } = held();
    const sent = session.send(mail({ data, beforeEnd }));
    await asked;
    await expect.poll(() => bodies.at(-1)).toBe(data.length);
    expect(sink.count).toBe(0);
    answer(true);
    expect(await sent).toMatchObject({ kind: 'reply', stage: 'dot', code: 250 });
    expect(sink.messages[0]!.data).toEqual(data);
  });

  test.each([
    ['held', large.subarray(0, 2_000)],
    ['large', Buffer.concat(Array.from({ length: 60 }, () => large))],
  ])('lets no command into a message that is %s', async (how, data) => {
    const sink = await sinkFor({ extensions });
    const session = await sessionWith(sink);
    const { beforeEnd, answer } = held();
    const second = new Promise((resolve) => {
      sink.script = ({ stage, octets }) => {
        if (stage !== 'body' || octets < 2_000) return undefined;
        sink.script = undefined;
        // The sink is in the middle of the message now.
        resolve(session.send(mail({ to: 'b@example.com' })));
        setImmediate(answer, true);
        return undefined;
      };
    });
    const first = session.send(mail({ data, ...(how === 'held' ? { beforeEnd } : {}) }));
    for (const sent of [first, second]) expect(await sent).toMatchObject({ stage: 'dot', code: 250 });
    expect(sink.messages.map(({ to }) => to[0])).toEqual(['ada@example.com', 'b@example.com']);
    expect(Buffer.from(sink.messages[0]!.data.subarray(0, data.length)).equals(data)).toBe(true);
  });

  test('never comes when the caller says no, or fails; the next message goes over another session', async () => {
    const sink = await sinkFor({ extensions });
    for (const end of ['answer', 'fail'] as const) {
      const session = await sessionWith(sink);
      const { asked, beforeEnd, ...ends } = held();
      const sent = session.send(mail({ beforeEnd }));
      const behind = session.send(mail({ to: 'b@example.com' }));
      await asked;
      ends[end](false);
      expect(await sent).toEqual({ kind: 'cancelled' });
      expect(await behind).toMatchObject({ kind: 'lost', stage: 'before_data' });
      expect(session.open).toBe(false);
    }
    expect(sink.count).toBe(0);
  });

  test('is not asked for when the recipient is refused, and a loss before it is one in the data', async () => {
    const sink = await sinkFor({ extensions });
    sink.script = ({ stage, to }) => (stage === 'rcpt' && to.length === 0 ? '550 5.1.1 unknown' : undefined);
    const session = await sessionWith(sink);
    const refused = held();
    let wasAsked = false;
    void refused.asked.then(() => {
      wasAsked = true;
    });
    const outcome = await session.send(mail({ beforeEnd: refused.beforeEnd }));
    expect([outcome.kind, wasAsked]).toEqual(['reply', false]);
    sink.script = undefined;
    const { asked, beforeEnd, answer } = held();
    const sent = session.send(mail({ beforeEnd }));
    await asked;
    sink.dropAll();
    expect(await sent).toMatchObject({ kind: 'lost', stage: 'in_data' });
    answer(true);
  });

  test('held messages follow each other', async () => {
    const sink = await sinkFor({ extensions, splitReplies: 5 });
    const session = await sessionWith(sink);
    const order: string[] = [];
    const recipients = ['a', 'b', 'c', 'd', 'e'].map((name) => `${name}@example.com`);
    const outcomes = await Promise.all(
      recipients.map((to) =>
        session.send(
          mail({
            to,
            beforeEnd: async () => {
              order.push(to);
              await new Promise((resolve) => setImmediate(resolve));
              return true;
            },
          }),
        ),
      ),
    );
    expect(outcomes.every((outcome) => outcome.kind === 'reply' && outcome.code === 250)).toBe(true);
    expect(order).toEqual(recipients);
    expect(sink.messages.map(({ to }) => to[0])).toEqual(recipients);
  });
});
