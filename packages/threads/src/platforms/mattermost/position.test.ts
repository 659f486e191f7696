import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { newId } from '../../testing/fakes/mattermost/model.ts';
import { advance, formatPosition, isDone, parsePosition, startAt } from './position.ts';

describe('the position in the posts of a server', () => {
  const post = (createdMs: number) => ({ id: newId(), createdMs });
  const asWire = ({ id, createdMs }: { id: string; createdMs: number }) => ({ id, create_at: createdMs });

  test('survives a restart', () => {
    const posts = [post(1_000), post(1_500), post(1_500)];
    const position = posts.reduce(advance, startAt(900));
    expect(parsePosition(formatPosition(position))).toEqual(position);
  });

  test('knows which of one millisecond are done', () => {
    const [one, other] = [post(5_000), post(5_000)];
    const position = advance(startAt(0), one);
    expect(isDone(position, asWire(one))).toBe(true);
    expect(isDone(position, asWire(other))).toBe(false);
  });

  test('leaves room for a post that comes after a younger one', () => {
    const [late, young] = [post(5_000), post(5_400)];
    const position = advance(startAt(0), young);
    expect(isDone(position, asWire(late))).toBe(false);
    expect(isDone(advance(position, late), asWire(late))).toBe(true);
  });

  test('holds each done post for done, and stays short, in any number and order', () => {
    const times = fc.array(fc.integer({ min: 0, max: 6_000 }), { maxLength: 80 });
    fc.assert(
      fc.property(times, (all) => {
        const posts = all.sort((one, other) => one - other).map(post);
        const position = posts.reduce(advance, startAt(0));
        expect(formatPosition(position).length).toBeLessThan(1_000);
        for (const each of posts) {
          // Of very many in one millisecond some are handed over again, which is allowed; a later one never hides.
          if (all.filter((time) => time === each.createdMs).length === 1) {
            expect(isDone(position, asWire(each))).toBe(true);
          }
        }
        const newest = posts.at(-1)?.createdMs ?? 0;
        expect(isDone(position, { id: newId(), create_at: newest })).toBe(false);
      }),
    );
  });

  test.each(['', 'yesterday', '-5', '1e9'])('refuses the cursor %j', (cursor) => {
    expect(parsePosition(cursor)).toBeNull();
  });
});
