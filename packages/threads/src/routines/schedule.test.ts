import { describe, expect, test } from 'vitest';
import {
  hostZone,
  latestRun,
  type Preset,
  readSchedule,
  runAfter,
  runsBetween,
  type Schedule,
  scheduleInWords,
  wallClock,
} from './schedule.ts';

const HOUR_MS = 3_600_000;

function schedule(preset: Preset, time: string, timezone: string, weekday: Schedule['weekday'] = null) {
  return { preset, time, timezone, weekday } satisfies Schedule;
}

/** Wall clocks of the runs between two moments in UTC. */
function runs(of: Schedule, from: string, until: string): string[] {
  return runsBetween(of, Date.parse(from) - 1, Date.parse(until), 1_000).map((ms) =>
    new Date(ms).toISOString().slice(0, 16),
  );
}

describe('a clock change', () => {
  test('that leaves out the time of a daily routine has it run right after', () => {
    const cairo = schedule('daily', '00:30', 'Africa/Cairo');
    // On 24 April the clock goes from 00:00 to 01:00.
    expect(runs(cairo, '2026-04-22T12:00Z', '2026-04-25T12:00Z')).toEqual([
      '2026-04-22T22:30',
      '2026-04-23T22:00',
      '2026-04-24T21:30',
    ]);
    const santiago = schedule('daily', '00:15', 'America/Santiago');
    expect(runs(santiago, '2026-09-05T12:00Z', '2026-09-07T12:00Z')).toEqual([
      '2026-09-06T04:00',
      '2026-09-07T03:15',
    ]);
  });

  test('that shows the time of a daily routine twice has it run the first time alone', () => {
    const amsterdam = schedule('daily', '02:30', 'Europe/Amsterdam');
    expect(runs(amsterdam, '2026-10-24T12:00Z', '2026-10-26T12:00Z')).toEqual([
      '2026-10-25T00:30',
      '2026-10-26T01:30',
    ]);
  });

  test('takes no hour from an hourly routine and gives it none', () => {
    const amsterdam = schedule('hourly', '00:10', 'Europe/Amsterdam');
    expect(runs(amsterdam, '2026-10-24T22:00Z', '2026-10-25T03:00Z')).toEqual([
      '2026-10-24T22:10',
      '2026-10-24T23:10',
      '2026-10-25T00:10',
      '2026-10-25T01:10',
      '2026-10-25T02:10',
    ]);
    expect(runs(amsterdam, '2026-03-28T23:00Z', '2026-03-29T03:00Z')).toHaveLength(4);
  });

  test('of half an hour keeps the minute of an hourly routine', () => {
    const lordHowe = schedule('hourly', '00:00', 'Australia/Lord_Howe');
    const found = runsBetween(lordHowe, Date.parse('2026-04-04T12:00Z'), Date.parse('2026-04-04T18:00Z'), 10);
    expect(found.map((ms) => wallClock(ms, lordHowe.timezone).slice(-5))).toEqual([
      '00:00',
      '01:00',
      '02:00',
      '03:00',
      '04:00',
    ]);
  });

  test('that leaves out a whole day has its routine run at the beginning of the next, once', () => {
    const apia = schedule('daily', '09:00', 'Pacific/Apia');
    expect(runs(apia, '2011-12-29T00:00Z', '2012-01-01T00:00Z')).toEqual([
      '2011-12-29T19:00',
      '2011-12-30T10:00',
      '2011-12-30T19:00',
      '2011-12-31T19:00',
    ]);
    const midnight = schedule('daily', '00:00', 'Pacific/Apia');
    expect(runs(midnight, '2011-12-29T00:00Z', '2011-12-31T12:00Z')).toEqual([
      '2011-12-29T10:00',
      '2011-12-30T10:00',
      '2011-12-31T10:00',
    ]);
  });
});

test('the latest run is the one that the next follows', () => {
  for (const preset of ['hourly', 'daily', 'weekdays', 'weekly'] as const) {
    const of = schedule(preset, '02:30', 'America/St_Johns', preset === 'weekly' ? 'sunday' : null);
    for (let at = Date.parse('2026-10-25T00:00Z'); at < Date.parse('2026-11-05'); at += 7 * HOUR_MS) {
      const latest = latestRun(of, at);
      expect(latest).toBeLessThanOrEqual(at);
      expect(runAfter(of, latest)).toBeGreaterThan(at);
      expect(latestRun(of, latest)).toBe(latest);
    }
  }
});

describe('a schedule', () => {
  test('is read as people write it', () => {
    expect(
      readSchedule({ preset: 'Weekly', time: '9:05', weekday: 'Tue', timezone: 'europe/amsterdam' }, 'UTC'),
    ).toEqual({
      ok: true,
      schedule: schedule('weekly', '09:05', 'Europe/Amsterdam', 'tuesday'),
    });
    expect(readSchedule({ preset: 'hourly', time: '17:20' }, 'Asia/Tehran')).toEqual({
      ok: true,
      schedule: schedule('hourly', '00:20', 'Asia/Tehran'),
    });
    expect(readSchedule({ preset: 'hourly' }, hostZone())).toMatchObject({ schedule: { time: '00:00' } });
    expect(readSchedule({ preset: 'daily', time: '07:00', weekday: 'monday' }, 'UTC')).toMatchObject({
      schedule: { weekday: null },
    });
  });

  test.each([
    [{ preset: 'monthly', time: '09:00' }, /preset is one of/],
    [{ preset: 'daily' }, /HH:MM/],
    [{ preset: 'daily', time: '24:00' }, /HH:MM/],
    [{ preset: 'daily', time: '9am' }, /HH:MM/],
    [{ preset: 'weekly', time: '09:00' }, /weekday/],
    [{ preset: 'weekly', time: '09:00', weekday: 't' }, /weekday/],
    [{ preset: 'daily', time: '09:00', timezone: '+02:00' }, /IANA/],
    [{ preset: 'daily', time: '09:00', timezone: 'Mars/Olympus' }, /IANA/],
    ['every day', /object/],
  ])('is refused where it says nothing that can be kept: %j', (value, reason) => {
    expect(readSchedule(value, 'UTC')).toEqual({ ok: false, reason: expect.stringMatching(reason) });
  });

  test('is told in words', () => {
    expect(scheduleInWords(schedule('weekdays', '09:00', 'Europe/Amsterdam'))).toBe(
      'Monday to Friday at 09:00 (Europe/Amsterdam)',
    );
    expect(scheduleInWords(schedule('weekly', '09:00', 'UTC', 'friday'))).toBe('every Friday at 09:00 (UTC)');
    expect(scheduleInWords(schedule('hourly', '00:20', 'UTC'))).toBe('every hour at minute 20 (UTC)');
  });
});

const ZONES = [
  'Africa/Cairo',
  'Africa/Casablanca',
  'America/Havana',
  'America/New_York',
  'America/Nuuk',
  'America/Santiago',
  'America/Sao_Paulo',
  'America/St_Johns',
  'Antarctica/Troll',
  'Asia/Beirut',
  'Asia/Gaza',
  'Asia/Kathmandu',
  'Asia/Tehran',
  'Asia/Tokyo',
  'Atlantic/Azores',
  'Australia/Lord_Howe',
  'Europe/Amsterdam',
  'Europe/Dublin',
  'Pacific/Apia',
  'Pacific/Chatham',
] as const;

/** The wall clock through a year, read from the zone's data at every quarter of an hour and by nothing of ours. */
function yearOf(timezone: string, year: number) {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: timezone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  });
  const quarters: { readonly at: number; readonly date: string; readonly time: string }[] = [];
  const end = Date.UTC(year + 1, 0, 1);
  for (let at = Date.UTC(year, 0, 1); at < end; at += HOUR_MS / 4) {
    const [date = '', time = ''] = format.format(at).split(', ');
    quarters.push({ at, date, time });
  }
  return quarters;
}

describe.each(ZONES)('through a year in %s', (timezone) => {
  const quarters = yearOf(timezone, 2026);
  const [first, last] = [quarters[0]!, quarters.at(-1)!];
  /** Days that lie in the year as a whole. */
  const days = [...new Set(quarters.map(({ date }) => date))].slice(1, -1);
  const within = (of: Schedule) => runsBetween(of, first.at - 1, last.at, 10_000);

  test('an hourly routine runs whenever the clock shows its minute', () => {
    for (const minute of ['00', '45']) {
      const expected = quarters.filter(({ time }) => time.endsWith(`:${minute}`)).map(({ at }) => at);
      expect(within(schedule('hourly', `00:${minute}`, timezone))).toEqual(expected);
    }
  });

  const byDate = Map.groupBy(quarters, ({ date }) => date);

  /** The first quarter of the day that shows the time; where it is left out, the first behind it, be it the next day. */
  function momentOf(date: string, time: string): number {
    const day = byDate.get(date) ?? [];
    const shown = day.find((each) => each.time === time) ?? day.find((each) => each.time > time);
    return shown?.at ?? (day.at(-1)?.at ?? Number.NaN) + HOUR_MS / 4;
  }

  test('all others run once on each day that is theirs, by that clock', () => {
    for (const time of ['00:00', '00:15', '00:30', '02:15', '02:30', '03:00', '23:45']) {
      for (const preset of ['daily', 'weekdays', 'weekly'] as const) {
        const isDue = (date: string) => {
          const day = new Date(`${date}T00:00Z`).getUTCDay();
          if (preset === 'weekdays') return day >= 1 && day <= 5;
          return preset === 'daily' || day === 0;
        };
        const expected = days.filter(isDue).map((date) => momentOf(date, time));
        const found = within(schedule(preset, time, timezone, preset === 'weekly' ? 'sunday' : null));
        const [from, until] = [byDate.get(days[0]!)![0]!.at, byDate.get(days.at(-1)!)!.at(-1)!.at];
        expect(found.filter((at) => at >= from && at <= until)).toEqual(expected);
      }
    }
  });
});
