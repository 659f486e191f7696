import { describe, expect, test } from 'vitest';
import { advance, formatPosition, isDone, parsePosition, settle, startAt } from './position.ts';

const C = 'C0GENERAL';

describe('how far the posts are on record', () => {
  test('an older post that comes after a newer one is not taken for done', () => {
    const position = advance(startAt('1700000000.000000'), C, '1700000010.000000');
    expect(isDone(position, C, '1700000010.000000')).toBe(true);
    expect(isDone(position, C, '1700000009.999999')).toBe(false);
    expect(isDone(position, C, '1700000000.000000')).toBe(true);
  });

  test('the same id in another channel is another post', () => {
    const position = advance(startAt('1700000000.000000'), C, '1700000010.000000');
    expect(isDone(position, 'D0DIRECT1', '1700000010.000000')).toBe(false);
  });

  test('what is older than a minute before the newest is settled', () => {
    let position = advance(startAt('1700000000.000000'), C, '1700000001.000000');
    position = advance(position, C, '1700000100.000000');
    expect(position.floor).toBe('1700000040.000000');
    expect(position.done).toHaveLength(1);
  });

  test('a gap that was fetched settles what is older, and keeps what is newer', () => {
    let position = advance(startAt('1700000000.000000'), C, '1700000005.000000');
    position = advance(position, C, '1700000009.000000');
    const settled = settle(position, '1700000007.000000');
    expect(settled).toEqual({ floor: '1700000007.000000', done: [`${C}:1700000009.000000`] });
    expect(settle(settled, '1700000006.000000')).toEqual(settled);
  });

  test('it stays small however much is posted', () => {
    let position = startAt('1700000000.000000');
    for (let index = 0; index < 1_000; index += 1) {
      position = advance(position, C, `1700000001.${String(index).padStart(6, '0')}`);
    }
    expect(formatPosition(position).length).toBeLessThan(8_000);
    expect(isDone(position, C, '1700000001.000999')).toBe(true);
  });

  test('it survives being written down, and what is none is refused', () => {
    const position = advance(startAt('1700000000.000000'), C, '1700000010.000000');
    expect(parsePosition(formatPosition(position))).toEqual(position);
    expect(parsePosition('yesterday')).toBeNull();
    expect(parsePosition('')).toBeNull();
  });
});
