import { expect, test } from 'vitest';
import { dayKey, dayLabel, gutterTime, listTime, readerLocale, relativeTime } from './time.ts';

const now = new Date(2026, 3, 25, 15, 0);
const at = (day: number, hour: number, month = 3) => new Date(2026, month, day, hour).toISOString();

test('days are those of the reader’s calendar, not spans of 24 hours', () => {
  expect(dayKey(at(25, 0))).toBe(dayKey(at(25, 23)));
  expect(dayKey(at(24, 23))).not.toBe(dayKey(at(25, 0)));
  expect(dayLabel(at(25, 0), now)).toBe('Today');
  expect(dayLabel(at(24, 23), now)).toBe('Yesterday');
});

test('another year is named, this one is not', () => {
  expect(dayLabel(at(2, 9, 0), now)).not.toContain('2026');
  expect(dayLabel(new Date(2024, 1, 2).toISOString(), now)).toContain('2024');
});

test('lists show the clock today and the day before that', () => {
  expect(listTime(at(25, 9), now)).toMatch(/\d.\d\d/);
  expect(listTime(at(24, 9), now)).toBe('Yesterday');
});

test('distances read in both directions', () => {
  expect(relativeTime(new Date(now.getTime() - 20_000).toISOString(), now)).toBe('just now');
  expect(relativeTime(new Date(now.getTime() - 3 * 60_000).toISOString(), now)).toBe('3 minutes ago');
  expect(relativeTime(new Date(now.getTime() + 48 * 60_000).toISOString(), now)).toBe('in 48 minutes');
});

test('beside a message the clock is short, without AM or PM', () => {
  expect(gutterTime(at(25, 9))).toMatch(/^0?9.00$/);
});

test('words are English, as the page is; the clock is the reader’s own', () => {
  expect(readerLocale(['de-DE', 'en-GB']).toString()).toBe('en-GB-u-hc-h23');
  expect(readerLocale(['de-DE']).toString()).toBe('en-GB-u-hc-h23');
  expect(readerLocale(['en-US', 'de']).toString()).toBe('en-US-u-hc-h12');
  expect(readerLocale(['en-US@posix', 'en-US']).toString()).toBe('en-US-u-hc-h12');
  expect(readerLocale([]).language).toBe('en');
});
