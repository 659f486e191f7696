import * as z from 'zod';
import { mustBe } from './schema/explain.ts';

/**
 * Canonical time. Inside, an instant is a whole number of microseconds since the Unix epoch; outside, it is
 * RFC 3339 in UTC. Calendar arithmetic is done here by hand (days from civil, proleptic Gregorian) since the
 * platform's parser reads what differs from engine to engine and takes times without offset as local.
 */

const MICROSECONDS_PER_SECOND = 1_000_000;
const SECONDS_PER_DAY = 86_400;

/** 0000-01-01T00:00:00Z and the first second of the year 10000. */
const FIRST_SECOND = -62_167_219_200;
const END_SECOND = 253_402_300_800;
/** The last double before the year 10000 (they lie 32 apart there); rounding could step over the edge. */
const LAST_MICROSECOND = END_SECOND * MICROSECONDS_PER_SECOND - 32;

/** Longer than any text of sense, so that nobody pays for parsing a novel. */
const LONGEST_TEXT = 64;

/**
 * `2026-04-25T15:32:11.123Z` of milliseconds since the epoch; part milliseconds are cut.
 *
 * @throws RangeError outside the years 0 to 9999.
 */
export function formatMilliseconds(milliseconds: number): string {
  return format(Math.floor(milliseconds / 1_000), modulo(Math.floor(milliseconds), 1_000), 3);
}

/**
 * `2026-04-25T15:32:11.123456Z` of microseconds since the epoch, always six decimals.
 *
 * @throws RangeError outside the years 0 to 9999.
 */
export function formatMicroseconds(microseconds: number): string {
  const whole = Math.floor(microseconds);
  return format(Math.floor(whole / MICROSECONDS_PER_SECOND), modulo(whole, MICROSECONDS_PER_SECOND), 6);
}

/**
 * Reads an ISO 8601 date or date-time into microseconds since the epoch, or gives null.
 *
 * - Dates: `2026-04-25`, `20260425`, week `2026-W17-6`, ordinal `2026-115`; years 0000 to 9999.
 * - Times after `T`, `t` or a space: `15`, `15:32`, `15:32:11` and a fraction of seconds after a point or comma;
 *   digits beyond microseconds are cut. A basic date (`20260425`) takes a basic time (`T153211`).
 * - Offset `Z`, `z`, `±hh`, `±hh:mm` or `±hhmm`, up to 23:59; without one, and for a date alone, it is UTC.
 * - `24:00:00` is the end of the day; second 60 is taken at the end of a UTC month (RFC 3339, 5.7) and means the
 *   instant that follows, as on POSIX clocks.
 *
 * Refused: impossible dates, basic week and ordinal dates, reduced dates (`2026-04`), signed years, anything
 * around the text. Instants outside the safe integers (before 1684, after 2255) come back as a neighbouring
 * number that a double holds: never in the wrong order, though no longer each microsecond apart.
 */
export function parseTime(text: string): number | null {
  if (text.length > LONGEST_TEXT) return null;
  const match = EXTENDED.exec(text) ?? BASIC.exec(text);
  const parts = match?.groups;
  if (parts === undefined) return null;
  const day = dayOf(parts);
  const time = timeOf(parts);
  const offset = offsetOf(parts);
  if (day === null || time === null || offset === null) return null;
  const second = day * SECONDS_PER_DAY + time.second - offset;
  if (time.leap && !isMonthStart(second)) return null;
  if (second < FIRST_SECOND || second >= END_SECOND) return null;
  return Math.min(second * MICROSECONDS_PER_SECOND + time.microsecond, LAST_MICROSECOND);
}

/** Schema of a text that {@link parseTime} reads; the text stays as it is. */
export function timeSchema(): z.ZodString {
  return z
    .string()
    .refine((text) => parseTime(text) !== null, {
      error: mustBe('an ISO 8601 date or date-time, such as 2026-04-25T15:32:11Z'),
    })
    .meta({ format: 'date-time' });
}

const OFFSET = String.raw`(?<zone>[Zz]|(?<sign>[+-])(?<offsetHour>\d\d)(?::?(?<offsetMinute>\d\d))?)?`;
const FRACTION = String.raw`(?:[.,](?<fraction>\d+))?`;

const EXTENDED = new RegExp(
  String.raw`^(?<year>\d{4})-(?:(?<month>\d\d)-(?<day>\d\d)|W(?<week>\d\d)-(?<weekday>\d)|(?<ordinal>\d{3}))` +
    String.raw`(?:[Tt ](?<hour>\d\d)(?::(?<minute>\d\d)(?::(?<second>\d\d)${FRACTION})?)?${OFFSET})?$`,
);
const BASIC = new RegExp(
  String.raw`^(?<year>\d{4})(?<month>\d\d)(?<day>\d\d)` +
    String.raw`(?:[Tt ](?<hour>\d\d)(?:(?<minute>\d\d)(?:(?<second>\d\d)${FRACTION})?)?${OFFSET})?$`,
);

type Parts = Readonly<Record<string, string | undefined>>;

/** Days since the epoch, or null for a day the calendar does not have. */
function dayOf(parts: Parts): number | null {
  const year = Number(parts.year);
  if (parts.ordinal !== undefined) {
    const ordinal = Number(parts.ordinal);
    return ordinal >= 1 && ordinal <= daysInYear(year) ? daysFromCivil(year, 1, 1) + ordinal - 1 : null;
  }
  if (parts.week !== undefined) {
    const week = Number(parts.week);
    const weekday = Number(parts.weekday);
    if (week < 1 || week > weeksInYear(year) || weekday < 1 || weekday > 7) return null;
    return firstWeek(year) + (week - 1) * 7 + weekday - 1;
  }
  const month = Number(parts.month);
  const day = Number(parts.day);
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return null;
  return daysFromCivil(year, month, day);
}

function timeOf(parts: Parts): { second: number; microsecond: number; leap: boolean } | null {
  const hour = Number(parts.hour ?? 0);
  const minute = Number(parts.minute ?? 0);
  const second = Number(parts.second ?? 0);
  const microsecond = Number((parts.fraction ?? '').slice(0, 6).padEnd(6, '0'));
  if (minute > 59 || second > 60) return null;
  const endOfDay = hour === 24 && minute === 0 && second === 0 && /^0*$/.test(parts.fraction ?? '');
  if (hour > 23 && !endOfDay) return null;
  return { second: hour * 3_600 + minute * 60 + second, microsecond, leap: second === 60 };
}

/** Seconds east of UTC. */
function offsetOf(parts: Parts): number | null {
  if (parts.sign === undefined) return 0;
  const hour = Number(parts.offsetHour);
  const minute = Number(parts.offsetMinute ?? 0);
  if (hour > 23 || minute > 59) return null;
  return (parts.sign === '-' ? -1 : 1) * (hour * 3_600 + minute * 60);
}

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

function daysInYear(year: number): number {
  return isLeapYear(year) ? 366 : 365;
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return isLeapYear(year) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Days from the epoch to the Monday of ISO week 1, the week that holds 4 January. */
function firstWeek(year: number): number {
  const fourth = daysFromCivil(year, 1, 4);
  return fourth - modulo(fourth + 3, 7);
}

function weeksInYear(year: number): number {
  return (firstWeek(year + 1) - firstWeek(year)) / 7;
}

/** Days from 1970-01-01. Years are counted from March, so that the leap day is the last of its year. */
function daysFromCivil(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const monthFromMarch = (month + 9) % 12;
  const dayOfYear = Math.floor((153 * monthFromMarch + 2) / 5) + day - 1;
  const leapDays = Math.floor(shifted / 4) - Math.floor(shifted / 100) + Math.floor(shifted / 400);
  return shifted * 365 + leapDays + dayOfYear - 719_468;
}

/** The inverse of {@link daysFromCivil}. */
function civilFromDays(days: number): { year: number; month: number; day: number } {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = modulo(shifted, 146_097);
  const leapCorrection =
    Math.floor(dayOfEra / 1_460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096);
  const yearOfEra = Math.floor((dayOfEra - leapCorrection) / 365);
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const month = ((monthFromMarch + 2) % 12) + 1;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1,
  };
}

function isMonthStart(second: number): boolean {
  return modulo(second, SECONDS_PER_DAY) === 0 && civilFromDays(second / SECONDS_PER_DAY).day === 1;
}

function format(second: number, fraction: number, decimals: number): string {
  if (!(second >= FIRST_SECOND && second < END_SECOND)) {
    throw new RangeError(`a time of ${second} s is not within the years 0 to 9999`);
  }
  const { year, month, day } = civilFromDays(Math.floor(second / SECONDS_PER_DAY));
  const ofDay = modulo(second, SECONDS_PER_DAY);
  const date = `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`;
  const time = [Math.floor(ofDay / 3_600), Math.floor(ofDay / 60) % 60, ofDay % 60].map((part) =>
    pad(part, 2),
  );
  return `${date}T${time.join(':')}.${pad(fraction, decimals)}Z`;
}

function pad(value: number, digits: number): string {
  return String(value).padStart(digits, '0');
}

/** The remainder that is never negative. */
function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}
