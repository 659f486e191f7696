import { describeEngines } from '@postern/store/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sniffMime } from '../src/mime.ts';
import { ADA, base64, harness } from './harness.ts';

/** Anything JSON can say, with what is close to right among it. */
const anything = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.constantFrom<unknown>(null, '', '\u0000', '\ud800', '..', 'local:', 'post_', 1e308, -1, [[]], {
    id: 'a',
  }),
);

describeEngines('whatever is sent', (engine) => {
  test('gets an answer of the contract, and a wrong field changes nothing', async () => {
    const { channel, post, call, chat } = await harness(engine);
    const channel_id = await channel('general');
    const { id } = await post({ channel_id, text: 'here' });
    const routes: [string, string, Record<string, unknown>][] = [
      ['POST', '/channels', { name: 'general', type: 'group', members: [ADA] }],
      [
        'POST',
        '/messages',
        {
          channel_id,
          user: ADA,
          text: 'x',
          thread_id: id,
          reply_to: id,
          attachments: [{ name: 'a', mime: 'a/b', data: base64('a') }],
        },
      ],
      ['PATCH', `/messages/${id}`, { user_id: 'ada', text: 'here' }],
      ['POST', `/messages/${id}/reactions`, { user_id: 'ada', emoji: '+1' }],
    ];
    const property = fc.asyncProperty(
      fc.constantFrom(...routes),
      fc.nat(),
      anything,
      fc.option(fc.string(), { nil: undefined }),
      async ([method, path, body], which, value, extra) => {
        const fields = Object.keys(body);
        const before = await chat.newestCursor();
        const answered = await call(method, path, {
          ...body,
          [fields[which % fields.length]!]: value,
          ...(extra === undefined ? {} : { [extra]: value }),
        });
        expect([200, 201, 400, 403, 404, 413, 422]).toContain(answered.status);
        if (answered.status < 300) return;
        expect(answered.body).toMatchObject({ status: answered.status, code: expect.any(String) });
        expect(await chat.eventsAfter(before, 10)).toEqual([]);
      },
    );
    await fc.assert(property, { numRuns: 150 });
  });

  test('in a query or a path gets one too', async () => {
    const { call, channel } = await harness(engine);
    await channel('general');
    const word = fc
      .string({ unit: 'binary', minLength: 1, maxLength: 50 })
      .map((text) => encodeURIComponent(text.toWellFormed()));
    const property = fc.asyncProperty(word, word, async (one, other) => {
      for (const [method, path] of [
        ['GET', `/messages?channel_id=${one}&after=${other}`],
        ['GET', `/messages?channel_id=local:general&thread_id=${one}&limit=${other}`],
        ['DELETE', `/messages/${one}?user_id=${other}`],
        ['DELETE', `/messages/${one}/reactions/${other}?user_id=ada`],
        ['GET', `/attachments/${one}?${other}`],
      ] as const) {
        const { status } = await call(method, path);
        expect([404, 422]).toContain(status);
      }
    });
    await fc.assert(property, { numRuns: 40 });
  });
});

test('no bytes can break the look at them', async () => {
  const marks = [
    '89504e470d0a1a0a',
    'ffd8ff',
    '504b0304',
    '3026b2758e66cf11',
    '1a45dfa3',
    '494433',
    '0000001866747970',
    '52494646',
  ];
  const property = fc.asyncProperty(
    fc.constantFrom('', ...marks),
    fc.uint8Array({ maxLength: 200 }),
    fc.constantFrom('image/png', 'text/plain', 'a/b'),
    async (mark, rest, declared) => {
      const bytes = Buffer.concat([Buffer.from(mark, 'hex'), rest]);
      expect(await sniffMime(bytes, declared)).toMatch(/^[^/ ]+\/[^/ ]+$/);
    },
  );
  await fc.assert(property, { numRuns: 300 });
});
