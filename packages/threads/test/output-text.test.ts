import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  FLUSH_DELAY_MS,
  failure,
  finished,
  outputBench,
  refOf,
  result,
  text,
  use,
} from './output-harness.ts';

/** What the agent says, as it comes to stand in the thread. */

/** Numbered words in lines: every place can be told from every other. */
function words(characters: number): string {
  let all = '';
  for (let count = 1; all.length < characters; count += 1)
    all += `word-${count}${count % 9 === 0 ? '\n' : ' '}`;
  return all.slice(0, characters);
}

const ink = (all: string) => all.replace(/\s+/g, '');

describe('a long text', () => {
  test.each([
    { characters: 20_651, limit: 16_383 },
    { characters: 20_651, limit: 4_000 },
    { characters: 60_000, limit: 4_000 },
  ])(
    'of $characters characters stands in posts of at most $limit, nothing lost',
    async ({ characters, limit }) => {
      const bench = outputBench({ limit });
      await bench.tell(text(words(characters)));
      expect(Math.max(...bench.texts.map((each) => each.length))).toBeLessThanOrEqual(limit);
      expect(ink(bench.texts.join(''))).toBe(ink(words(characters)));
      expect(new Set(bench.calls)).toEqual(new Set(['post']));
      expect(bench.calls.length).toBeLessThanOrEqual(Math.ceil(characters / limit) + 1);
    },
  );

  test('that comes bit by bit fills one post after the other, and full ones are left alone', async () => {
    const bench = outputBench({ limit: 1_000 });
    const paragraphs = Array.from({ length: 60 }, (_, index) => `Paragraph ${index}: ${words(90)}`);
    for (const paragraph of paragraphs) await bench.tell(text(paragraph));
    expect(ink(bench.texts.join(''))).toBe(ink(paragraphs.join('')));
    const order = bench.calls.map((call) => Number(call.split(' p')[1] ?? 0)).filter((id) => id > 0);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(bench.texts.length).toBeLessThan(10);
  });

  test('of 400 lines of code is code in every post, in its language', async () => {
    const bench = outputBench({ limit: 4_000 });
    const lines = Array.from(
      { length: 400 },
      (_, index) => `const constant${index} = compute(${index}, 'x');`,
    );
    await bench.tell(text(`Look:\n\n\`\`\`ts\n${lines.join('\n')}\n\`\`\`\n\nThat is all.`));
    const [first, ...others] = bench.texts;
    expect(first).toMatch(/^Look:\n\n```ts\n[\s\S]+\n```$/);
    for (const each of others.slice(0, -1)) expect(each).toMatch(/^```ts\n[\s\S]+\n```$/);
    expect(others.at(-1)).toMatch(/\n```\n\nThat is all\.$/);
    const kept = bench.texts.join('\n').match(/^const constant\d+ .*$/gm);
    expect(kept).toEqual(lines);
  });

  test('makes the agent wait while too much of it waits to be posted', async () => {
    const bench = outputBench();
    let isTaken = false;
    const pushed = bench.output.push(text(words(300_000))).then(() => {
      isTaken = true;
    });
    await bench.clock.untilSleeping();
    expect(isTaken).toBe(false);
    await bench.output.flush();
    await pushed;
  });
});

describe('a post', () => {
  test('grows by edits, at most one for each delay', async () => {
    const bench = outputBench();
    for (const word of ['One.', 'Two.', 'Three.']) await bench.output.push(text(word));
    await bench.clock.advance(FLUSH_DELAY_MS - 1);
    expect(bench.calls).toEqual([]);
    await bench.clock.advance(1);
    expect(bench.texts).toEqual(['One.\n\nTwo.\n\nThree.']);
    for (const word of ['Four.', 'Five.']) await bench.output.push(text(word));
    await bench.clock.advance(FLUSH_DELAY_MS);
    expect(bench.calls).toEqual(['post', 'edit p1']);
    expect(bench.texts).toEqual(['One.\n\nTwo.\n\nThree.\n\nFour.\n\nFive.']);
  });

  test('is not made of nothing', async () => {
    const bench = outputBench();
    await bench.tell(text(''), text(' \n\n '), finished());
    expect(bench.calls).toEqual([]);
  });

  test('that was deleted is replaced as a whole', async () => {
    const bench = outputBench();
    await bench.tell(text('One.'));
    await bench.platform.delete(refOf(bench.posts[0]!));
    await bench.tell(text('Two.'));
    expect(bench.texts).toEqual(['One.\n\nTwo.']);
  });

  test('that may no longer be edited is followed by what is new', async () => {
    const bench = outputBench();
    await bench.tell(text('One.'));
    bench.fail('edit', () => failure('refused'));
    await bench.tell(text('Two.'));
    await bench.tell(text('Three.'));
    expect(bench.texts).toEqual(['One.', 'Two.', 'Three.']);
  });

  test('cannot grow where nothing can be edited, and nothing is said twice', async () => {
    const bench = outputBench({ capabilities: { edit: false } });
    await bench.tell(text('One.'));
    await bench.tell(text('Two.'), text('Three.'));
    expect(bench.texts).toEqual(['One.', 'Two.\n\nThree.']);
  });

  test('is left as it is once somebody else has posted, and what follows stands behind that', async () => {
    const bench = outputBench();
    await bench.tell(text('One.'), use('t1', 'Read', { file_path: 'a.ts' }));
    bench.output.outrun();
    await bench.tell(use('t2', 'Read', { file_path: 'b.ts' }), text('Two.'), text('Three.'));
    expect(bench.texts).toEqual(['One.\n\n- **Read** `a.ts`', '- **Read** `b.ts`\n\nTwo.\n\nThree.']);
    bench.output.outrun();
    await bench.output.flush();
    expect(bench.texts).toHaveLength(2);
  });

  test('with code that was left open takes what follows out of the code', async () => {
    const bench = outputBench();
    await bench.tell(text('```sh\nnpm test'), use('t1', 'Bash', { command: 'npm test' }));
    expect(bench.texts).toEqual(['```sh\nnpm test\n```\n\n- **Bash** `npm test`']);
  });
});

test('what is said while a post is on its way is not lost to what follows it', async () => {
  const bench = outputBench();
  const { post } = bench.platform;
  let isFirst = true;
  bench.platform.post = async (message) => {
    if (isFirst) {
      isFirst = false;
      await bench.output.push(text('Two.'));
      await bench.output.push(use('a', 'Task', { description: 'Look' }));
      await bench.output.push(text('Three.'));
    }
    return post(message);
  };
  await bench.tell(text('One.'));
  await bench.output.flush();
  expect(bench.texts).toEqual(['One.\n\nTwo.', '- 🤖 Look', 'Three.']);
});

describe('a platform that fails', () => {
  test('for a while gets everything later, once', async () => {
    const bench = outputBench();
    bench.fail('post', (nth) => (nth <= 3 ? failure('unavailable') : null));
    await bench.output.push(text('One.'));
    await bench.clock.advance(60_000);
    expect(bench.texts).toEqual(['One.']);
    bench.fail('edit', (nth) => (nth <= 3 ? failure('unavailable') : null));
    await bench.output.push(text('Two.'));
    await bench.clock.advance(1_000);
    await bench.output.push(text('Three.'));
    await bench.clock.advance(60_000);
    expect(bench.texts).toEqual(['One.\n\nTwo.\n\nThree.']);
  });

  test('for good is given up on, and the thread is told of what is missing', async () => {
    const bench = outputBench();
    bench.fail('post', () => failure('unavailable'));
    await bench.output.push(text('Lost words.'));
    await bench.clock.advance(3_600_000);
    expect(bench.calls).toHaveLength(20);
    bench.fail('post', () => null);
    await bench.tell(text('Here again.'));
    expect(bench.texts).toEqual([
      'Here again.\n\n⚠️ 11 characters could not be posted: the platform says unavailable',
    ]);
  });

  test('to say whether it posted is not given the same twice', async () => {
    const bench = outputBench();
    const { post } = bench.platform;
    let isFirst = true;
    bench.platform.post = async ({ key: _, ...message }) => {
      const ref = await post(message);
      if (!isFirst) return ref;
      isFirst = false;
      throw failure('unknown');
    };
    await bench.output.push(text('One.'));
    await bench.clock.advance(10_000);
    await bench.tell(text('Two.'));
    expect(bench.texts).toEqual(['One.\n\nTwo.']);
  });

  test('when the output is closed is not waited for', async () => {
    const bench = outputBench();
    bench.fail('post', () => failure('unavailable'));
    await bench.output.push(text('One.'));
    await bench.output.close(AbortSignal.abort());
    expect(bench.calls).toEqual(['post']);
  });
});

test('whatever is said, and however edits fail, all of it stands in the thread once and in order', async () => {
  const said = fc.array(
    fc.oneof(fc.constant('next'), fc.nat({ max: 900 }), fc.constantFrom('refuse', 'delete')),
  );
  await fc.assert(
    fc.asyncProperty(said, async (steps) => {
      const bench = outputBench({ limit: 300 });
      let all = '';
      let count = 0;
      for (const step of steps) {
        if (step === 'next') {
          await bench.output.flush();
        } else if (step === 'refuse') {
          bench.fail('edit', (nth) => (nth === 1 ? failure('refused') : null));
        } else if (typeof step === 'number') {
          count += 1;
          const piece = Array.from({ length: step / 9 }, (_, index) => `w${count}.${index}`).join(' ');
          all += piece;
          await bench.output.push(text(piece));
        }
      }
      await bench.output.flush();
      expect(ink(bench.texts.join(''))).toBe(ink(all));
    }),
    { numRuns: 60 },
  );
});

test('a result that is no error is not shown', async () => {
  const bench = outputBench();
  await bench.tell(use('t1', 'Read', { file_path: '/srv/work/src/a.ts' }), result('t1', 'const a = 1;'));
  expect(bench.texts).toEqual(['- **Read** `src/a.ts`']);
});
