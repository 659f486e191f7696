import { describe, expect, test } from 'vitest';
import { message } from '../../test/messages.ts';
import { rowsOf, unreadAfter } from './rows.ts';

const now = new Date(2026, 3, 25, 15);
const at = (day: number, hour: number, minute: number) => new Date(2026, 3, day, hour, minute).toISOString();
const options = { now, readUpTo: null, me: 'anna', thread: false };
const mei = { id: 'mei', name: 'Mei' };

describe('the rows of a channel', () => {
  test('each day begins with its name', () => {
    const rows = rowsOf(
      [message({ created_at: at(24, 23, 59) }), message({ created_at: at(25, 0, 1) })],
      options,
    );
    expect(rows.map((row) => (row.kind === 'day' ? row.label : row.kind))).toEqual([
      'Yesterday',
      'message',
      'Today',
      'message',
    ]);
  });

  test('messages of one person in a short while are joined; a reply, a pause or another person starts anew', () => {
    const first = message({ created_at: at(25, 9, 0) });
    const rows = rowsOf(
      [
        first,
        message({ created_at: at(25, 9, 4) }),
        message({ created_at: at(25, 9, 5), reply_to: first.id }),
        message({ created_at: at(25, 9, 30) }),
        message({ created_at: at(25, 9, 31), user: mei }),
      ],
      options,
    );
    const joined = rows.flatMap((row) => (row.kind === 'message' ? [row.continued] : []));
    expect(joined).toEqual([false, true, false, false, false]);
  });

  test('replies stand in their thread, unless the thread’s beginning is not loaded', () => {
    const root = message({ created_at: at(25, 9, 0) });
    const inside = message({ created_at: at(25, 9, 1), thread_id: root.id });
    const stray = message({ created_at: at(25, 9, 2), thread_id: 'post_older' });
    const shown = rowsOf([root, inside, stray], options).flatMap((row) =>
      row.kind === 'message' ? [row] : [],
    );
    expect(shown.map((row) => [row.message.id, row.stray])).toEqual([
      [root.id, false],
      [stray.id, true],
    ]);
    expect(
      rowsOf([root, inside], { ...options, thread: true }).filter(({ kind }) => kind === 'message'),
    ).toHaveLength(2);
  });

  test('a thread’s first reply says whose it is, also when the one who began it goes on', () => {
    const root = message({ created_at: at(25, 9, 0) });
    const replies = [1, 2].map((minute) => message({ created_at: at(25, 9, minute), thread_id: root.id }));
    const rows = rowsOf([root, ...replies], { ...options, thread: true });
    expect(rows.flatMap((row) => (row.kind === 'message' ? [row.continued] : []))).toEqual([
      false,
      false,
      true,
    ]);
  });

  test('the line stands before the first that others wrote since', () => {
    const read = message({ created_at: at(25, 9, 0), user: mei });
    const own = message({ created_at: at(25, 9, 1) });
    const fresh = message({ created_at: at(25, 9, 2), user: mei });
    const rows = rowsOf([read, own, fresh], { ...options, readUpTo: read.created_at });
    expect(rows.map(({ key }) => key)).toEqual([rows[0]?.key, read.id, own.id, 'new', fresh.id]);
    expect(unreadAfter([read, own, fresh], read.created_at, 'anna')).toEqual([fresh]);
  });

  test('no line when nothing is new, or everything is', () => {
    const only = message({ created_at: at(25, 9, 0), user: mei });
    expect(rowsOf([only], { ...options, readUpTo: only.created_at }).some(({ kind }) => kind === 'new')).toBe(
      false,
    );
    expect(rowsOf([only], { ...options, readUpTo: '' }).some(({ kind }) => kind === 'new')).toBe(false);
  });
});
