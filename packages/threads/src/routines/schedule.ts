import { Temporal } from 'temporal-polyfill';
import * as z from 'zod';

/**
 * When a routine runs: by the wall clock of its zone, whatever the zone does to its clock. Times are milliseconds
 * since the epoch.
 */
export interface Schedule {
  readonly preset: Preset;
  /** `HH:MM`; of an hourly routine only the minute counts. */
  readonly time: string;
  /** Null unless the preset is `weekly`. */
  readonly weekday: Weekday | null;
  /** Name in the IANA database. */
  readonly timezone: string;
}

export type Preset = 'hourly' | 'daily' | 'weekdays' | 'weekly';
export type Weekday = (typeof WEEKDAYS)[number];

const PRESETS = ['hourly', 'daily', 'weekdays', 'weekly'] as const satisfies readonly Preset[];
/** In the order of ISO 8601. */
export const WEEKDAYS = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const;

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * HOUR_MS;
/** The longest that two runs of a preset can lie apart, whatever a zone does, and a bit. */
const SPAN_DAYS: Readonly<Record<Preset, number>> = { hourly: 2, daily: 3, weekdays: 6, weekly: 10 };

/** As models and people write them: in any case, days shortened, a missing zone left open. */
const looseSchedule = z.object({
  preset: z.string(),
  time: z.string().nullish(),
  weekday: z.string().nullish(),
  timezone: z.string().nullish(),
});

export type ScheduleReading =
  | { readonly ok: true; readonly schedule: Schedule }
  | { readonly ok: false; readonly reason: string };

/** Reads a schedule from an untrusted value; what is wrong with it is a sentence. */
export function readSchedule(value: unknown, defaultZone: string): ScheduleReading {
  const parsed = looseSchedule.safeParse(value);
  if (!parsed.success) return wrong('A schedule is an object with preset, time, weekday and timezone.');
  const preset = PRESETS.find((each) => each === parsed.data.preset.trim().toLowerCase());
  if (preset === undefined) return wrong(`The preset is one of ${PRESETS.join(', ')}.`);
  const time = readTime(parsed.data.time, preset);
  if (time === null) return wrong('The time is written HH:MM, from 00:00 to 23:59.');
  const weekday = preset === 'weekly' ? readWeekday(parsed.data.weekday) : null;
  if (preset === 'weekly' && weekday === null) return wrong('A weekly routine needs a weekday, as monday.');
  const timezone = readZone(parsed.data.timezone, defaultZone);
  if (timezone === null) return wrong('The timezone is a name of the IANA database, as Europe/Amsterdam.');
  return { ok: true, schedule: { preset, time, weekday, timezone } };
}

function wrong(reason: string): ScheduleReading {
  return { ok: false, reason };
}

function readTime(time: string | null | undefined, preset: Preset): string | null {
  const text = time?.trim() ?? '';
  if (text === '') return preset === 'hourly' ? '00:00' : null;
  const match = /^(?<hour>\d{1,2}):(?<minute>\d{2})$/.exec(text)?.groups;
  if (match === undefined || Number(match.hour) > 23 || Number(match.minute) > 59) return null;
  const hour = preset === 'hourly' ? '00' : match.hour?.padStart(2, '0');
  return `${hour}:${match.minute}`;
}

function readWeekday(weekday: string | null | undefined): Weekday | null {
  const text = weekday?.trim().toLowerCase() ?? '';
  if (text.length < 3) return null;
  return WEEKDAYS.find((day) => day.startsWith(text)) ?? null;
}

/** Offsets such as `+02:00` are no zones: they know of no clock change. */
function readZone(timezone: string | null | undefined, defaultZone: string): string | null {
  const name = timezone?.trim() || defaultZone;
  if (!/^[A-Za-z]/.test(name)) return null;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone === ''
      ? null
      : canonicalCase(name);
  } catch {
    return null;
  }
}

/** `europe/amsterdam` as the database writes it, while names that are links stay what they are. */
function canonicalCase(name: string): string {
  const lower = name.toLowerCase();
  return Intl.supportedValuesOf('timeZone').find((zone) => zone.toLowerCase() === lower) ?? name;
}

/** Whether this process knows a zone; what one knows, another with an older time zone database may not. */
export function isKnownZone(timezone: string): boolean {
  try {
    zoned(0, timezone);
    return true;
  } catch {
    return false;
  }
}

/** The zone of this machine. */
export function hostZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** The first run after a moment. */
export function runAfter(schedule: Schedule, afterMs: number): number {
  return schedule.preset === 'hourly' ? hourAfter(schedule, afterMs) : dayAfter(schedule, afterMs);
}

/** The latest run up to and with a moment. */
export function latestRun(schedule: Schedule, untilMs: number): number {
  let latest = Number.NaN;
  let next = runAfter(schedule, untilMs - SPAN_DAYS[schedule.preset] * DAY_MS);
  while (next <= untilMs) {
    latest = next;
    next = runAfter(schedule, next);
  }
  return latest;
}

/** Runs after one moment, up to and with another, oldest first; at most so many. */
export function runsBetween(schedule: Schedule, afterMs: number, untilMs: number, most: number): number[] {
  const runs: number[] = [];
  for (let next = runAfter(schedule, afterMs); next <= untilMs; next = runAfter(schedule, next)) {
    runs.push(next);
    if (runs.length >= most) break;
  }
  return runs;
}

/**
 * Each moment at which the wall clock shows the minute, so an hour that the clock shows twice has two. Where the
 * clock changes by less than an hour, the minute is what stays right.
 */
function hourAfter({ time, timezone }: Schedule, afterMs: number): number {
  const minute = Number(time.slice(3));
  let after = afterMs;
  for (;;) {
    const offset = offsetAt(after + 1, timezone);
    const sinceMinute = modulo(after + offset - minute * MINUTE_MS, HOUR_MS);
    const candidate = after + HOUR_MS - sinceMinute;
    const there = offsetAt(candidate, timezone);
    if (there === offset) return candidate;
    if (modulo(candidate + there - minute * MINUTE_MS, HOUR_MS) === 0) return candidate;
    // The clock changes before, and by no whole hour: on from the change itself.
    const change = zoned(after + 1, timezone).getTimeZoneTransition('next');
    if (change === null || change.epochMilliseconds > candidate) return candidate;
    after = change.epochMilliseconds - 1;
  }
}

/** Once on each day that counts. A time that the clock leaves out is run right after; one it shows twice, the first time. */
function dayAfter(schedule: Schedule, afterMs: number): number {
  let date = zoned(afterMs, schedule.timezone).toPlainDate().subtract({ days: 1 });
  for (;;) {
    if (isDayOf(schedule, date.dayOfWeek)) {
      const run = momentOf(schedule, date);
      if (run > afterMs) return run;
    }
    date = date.add({ days: 1 });
  }
}

function isDayOf({ preset, weekday }: Schedule, dayOfWeek: number): boolean {
  if (preset === 'weekdays') return dayOfWeek <= 5;
  return preset === 'weekly' ? WEEKDAYS[dayOfWeek - 1] === weekday : true;
}

function momentOf({ time, timezone }: Schedule, date: Temporal.PlainDate): number {
  const wall = date.toPlainDateTime(Temporal.PlainTime.from(time));
  const moment = wall.toZonedDateTime(timezone, { disambiguation: 'earlier' });
  if (moment.toPlainDateTime().equals(wall)) return moment.epochMilliseconds;
  const change = moment.getTimeZoneTransition('next');
  return (change ?? wall.toZonedDateTime(timezone)).epochMilliseconds;
}

function zoned(ms: number, timezone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone);
}

/** What the wall clock is ahead of UTC, in milliseconds. */
function offsetAt(ms: number, timezone: string): number {
  return Math.round(zoned(ms, timezone).offsetNanoseconds / 1_000_000);
}

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by;
}

const DAY_NAMES = new Map(WEEKDAYS.map((day) => [day, day.charAt(0).toUpperCase() + day.slice(1)]));

/** `every Monday at 09:00 (Europe/Amsterdam)`. */
export function scheduleInWords({ preset, time, weekday, timezone }: Schedule): string {
  switch (preset) {
    case 'hourly':
      return `every hour at minute ${time.slice(3)} (${timezone})`;
    case 'daily':
      return `every day at ${time} (${timezone})`;
    case 'weekdays':
      return `Monday to Friday at ${time} (${timezone})`;
    case 'weekly':
      return `every ${DAY_NAMES.get(weekday ?? 'monday')} at ${time} (${timezone})`;
  }
}

/** `Mon 2026-03-02 09:00`, on the wall clock of a zone. */
export function wallClock(ms: number, timezone: string): string {
  const at = zoned(ms, timezone);
  const day = DAY_NAMES.get(WEEKDAYS[at.dayOfWeek - 1] ?? 'monday')?.slice(0, 3);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${day} ${at.year}-${two(at.month)}-${two(at.day)} ${two(at.hour)}:${two(at.minute)}`;
}
