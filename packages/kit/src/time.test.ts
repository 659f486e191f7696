import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inputJsonSchema } from './schema/json-schema.ts';
import { checkInput } from './schema/violations.ts';
import { formatMicroseconds, formatMilliseconds, parseTime, timeSchema } from './time.ts';

/** Microseconds by the platform's own reading of a text in its one format. */
const at = (iso: string) => Date.parse(iso) * 1_000;
const firstMillisecond = Date.parse('0000-01-01T00:00:00.000Z');
const lastMillisecond = Date.parse('9999-12-31T23:59:59.999Z');

describe('formatting', () => {
  test('writes UTC with a fixed number of decimals', () => {
    expect(formatMilliseconds(0)).toBe('1970-01-01T00:00:00.000Z');
    expect(formatMilliseconds(1_777_131_131_123)).toBe('2026-04-25T15:32:11.123Z');
    expect(formatMilliseconds(1.9)).toBe('1970-01-01T00:00:00.001Z');
    expect(formatMilliseconds(-1)).toBe('1969-12-31T23:59:59.999Z');
    expect(formatMicroseconds(0)).toBe('1970-01-01T00:00:00.000000Z');
    expect(formatMicroseconds(1_777_131_131_123_456)).toBe('2026-04-25T15:32:11.123456Z');
    expect(formatMicroseconds(-1)).toBe('1969-12-31T23:59:59.999999Z');
  });

  test('agrees with the platform on every millisecond of the years 0 to 9999', () => {
    fc.assert(
      fc.property(fc.integer({ min: firstMillisecond, max: lastMillisecond }), (milliseconds) => {
        expect(formatMilliseconds(milliseconds)).toBe(new Date(milliseconds).toISOString());
      }),
      { numRuns: 1_000 },
    );
  });

  test.each([firstMillisecond - 1, lastMillisecond + 1, Number.NaN, Number.POSITIVE_INFINITY])(
    'refuses %d, which has no four-digit year',
    (milliseconds) => {
      expect(() => formatMilliseconds(milliseconds)).toThrow(RangeError);
      expect(() => formatMicroseconds(milliseconds * 1_000)).toThrow(RangeError);
    },
  );
});

describe('parseTime reads', () => {
  test.each([
    // Dates
    ['2026-04-25', '2026-04-25T00:00:00Z'],
    ['20260425', '2026-04-25T00:00:00Z'],
    ['2024-02-29', '2024-02-29T00:00:00Z'],
    ['2000-02-29', '2000-02-29T00:00:00Z'],
    ['0000-02-29', '0000-02-29T00:00:00Z'],
    ['2026-115', '2026-04-25T00:00:00Z'],
    ['2026-001', '2026-01-01T00:00:00Z'],
    ['2024-366', '2024-12-31T00:00:00Z'],
    ['2026-W17-6', '2026-04-25T00:00:00Z'],
    ['2026-W53-7', '2027-01-03T00:00:00Z'],
    ['2020-W01-1', '2019-12-30T00:00:00Z'],
    ['2026-W17-6T15:32Z', '2026-04-25T15:32:00Z'],
    // Times
    ['2026-04-25T15', '2026-04-25T15:00:00Z'],
    ['2026-04-25T15Z', '2026-04-25T15:00:00Z'],
    ['2026-04-25T15:32', '2026-04-25T15:32:00Z'],
    ['2026-04-25T15:32:11', '2026-04-25T15:32:11Z'],
    ['2026-04-25T15:32:11Z', '2026-04-25T15:32:11Z'],
    ['2026-04-25t15:32:11z', '2026-04-25T15:32:11Z'],
    ['2026-04-25 15:32:11Z', '2026-04-25T15:32:11Z'],
    ['20260425T153211Z', '2026-04-25T15:32:11Z'],
    ['20260425T1532', '2026-04-25T15:32:00Z'],
    ['20260425T15', '2026-04-25T15:00:00Z'],
    ['2026-04-25T00:00:00Z', '2026-04-25T00:00:00Z'],
    ['2026-04-25T23:59:59Z', '2026-04-25T23:59:59Z'],
    ['2026-04-25T15:32:11.5Z', '2026-04-25T15:32:11.500Z'],
    ['2026-04-25T15:32:11,123Z', '2026-04-25T15:32:11.123Z'],
    // The end of a day
    ['2026-04-25T24:00Z', '2026-04-26T00:00:00Z'],
    ['2026-12-31T24:00:00.000Z', '2027-01-01T00:00:00Z'],
    ['20240228T240000', '2024-02-29T00:00:00Z'],
    ['2026-04-25T24', '2026-04-26T00:00:00Z'],
    // Leap seconds mean the instant behind them
    ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00Z'],
    ['2016-12-31T23:59:60.25Z', '2017-01-01T00:00:00.250Z'],
    ['2015-07-01T01:59:60+02:00', '2015-07-01T00:00:00Z'],
    // Offsets
    ['2026-04-25T15:32:11+02:00', '2026-04-25T13:32:11Z'],
    ['2026-04-25T15:32:11-05:30', '2026-04-25T21:02:11Z'],
    ['2026-04-25T15:32:11+0200', '2026-04-25T13:32:11Z'],
    ['2026-04-25T15:32:11+02', '2026-04-25T13:32:11Z'],
    ['2026-04-25T15:32+05:45', '2026-04-25T09:47:00Z'],
    ['20260425T153211+0200', '2026-04-25T13:32:11Z'],
    ['2026-04-25T15:32:11-00:00', '2026-04-25T15:32:11Z'],
    ['2026-04-25T15:32:11+23:59', '2026-04-24T15:33:11Z'],
    ['2026-04-25T15:32:11-23:59', '2026-04-26T15:31:11Z'],
    ['2026-03-01T00:30:00+01:00', '2026-02-28T23:30:00Z'],
    // Years
    ['0000-01-01', '0000-01-01T00:00:00Z'],
    ['0099-12-31', '0099-12-31T00:00:00Z'],
    ['1969-12-31T23:59:59Z', '1969-12-31T23:59:59Z'],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59Z'],
  ])('%s as %s', (text, iso) => {
    expect(parseTime(text)).toBe(at(iso));
  });

  test('fractions to the microsecond, cutting the rest', () => {
    const second = at('2026-04-25T15:32:11Z');
    expect(parseTime('2026-04-25T15:32:11.000001Z')).toBe(second + 1);
    expect(parseTime('2026-04-25T15:32:11.123456')).toBe(second + 123_456);
    expect(parseTime('2026-04-25T15:32:11.1234569Z')).toBe(second + 123_456);
    expect(parseTime('2026-04-25T15:32:11.999999999+00:00')).toBe(second + 999_999);
    expect(parseTime('1969-12-31T23:59:59.999999Z')).toBe(-1);
  });
});

describe('parseTime refuses', () => {
  test.each([
    // Days that do not exist
    '2026-02-29',
    '2100-02-29',
    '1900-02-29',
    '2026-02-30',
    '2026-04-31',
    '2026-06-31',
    '2026-09-31',
    '2026-11-31',
    '2026-01-32',
    '2026-00-10',
    '2026-13-10',
    '2026-01-00',
    '20260229',
    '20261301',
    '2026-366',
    '2026-000',
    '2025-W53-1',
    '2026-W00-1',
    '2026-W54-1',
    '2026-W17-0',
    '2026-W17-8',
    // Times that do not exist
    '2026-04-25T25:00Z',
    '2026-04-25T24:01Z',
    '2026-04-25T24:00:01Z',
    '2026-04-25T24:00:00.000001Z',
    '2026-04-25T24:00:00.0000000001Z',
    '2026-04-25T15:60Z',
    '2026-04-25T15:32:61Z',
    '2026-04-25T15:32:60Z',
    '2026-04-25T23:59:60Z',
    '2026-04-30T23:59:60+01:00',
    '2026-04-25T15:32:11+24:00',
    '2026-04-25T15:32:11+02:60',
    '2026-04-25T15:32:11+99',
    // Outside of the years 0 to 9999
    '0000-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59-00:01',
    '9999-12-31T24:00Z',
    '9999-W52-7',
    '10000-01-01',
    '-0001-01-01',
    '+2026-04-25',
    '+002026-04-25',
    // Less or more than a date and a time
    '',
    '2026',
    '2026-04',
    '202604',
    '2026-W17',
    '--04-25',
    '15:32:11Z',
    'T15:32:11Z',
    '2026-04-25T',
    '2026-04-25Z',
    '2026-04-25+02:00',
    '2026-04-25T15:',
    '2026-04-25T15:32:',
    '2026-04-25T15:32:11.',
    '2026-04-25T15:32:11.Z',
    '2026-04-25T15:32.5Z',
    '2026-04-25T15:32:11+',
    '2026-04-25T15:32:11+2',
    '2026-04-25T15:32:11+02:0',
    '2026-04-25T15:32:11 02:00',
    '2026-04-25T15:32:11ZZ',
    '2026-04-25T15:32:11Z+02:00',
    // Basic week and ordinal dates, mixed forms, loose digits
    '2026W176',
    '2026W17',
    '2026115',
    '2026-0425',
    '2026-04-25T153211Z',
    '20260425T15:32:11Z',
    '2026-4-25',
    '26-04-25',
    '2026/04/25',
    '2026-04-25T5:32Z',
    // Around it
    ' 2026-04-25',
    '2026-04-25 ',
    '2026-04-25\n',
    '2026-04-25  15:32',
    '2026-04-25\t15:32',
    '2026-04-25x15:32',
    // Other ways to say when
    '1777131131',
    '1777131131123',
    'now',
    'Sat, 25 Apr 2026 15:32:11 GMT',
    '2026-04-25T15:32:11 CET',
    '2026-04-25T15:32:11[Europe/Berlin]',
    '２０２６-04-25',
    '2026-04-25T15:32:11\u2212 02:00',
    `2026-04-25T15:32:11.${'1'.repeat(60)}Z`,
  ])('%j', (text) => {
    expect(parseTime(text)).toBeNull();
  });
});

describe('parseTime and the formats', () => {
  const microseconds = fc.maxSafeInteger();

  test('a microsecond comes back as it was', () => {
    fc.assert(
      fc.property(microseconds, (value) => {
        expect(parseTime(formatMicroseconds(value))).toBe(value);
      }),
      { numRuns: 1_000 },
    );
  });

  test('an offset shifts and nothing else', () => {
    const offset = fc.record({ sign: fc.constantFrom(1, -1), hour: fc.nat(23), minute: fc.nat(59) });
    fc.assert(
      fc.property(microseconds, offset, (value, { sign, hour, minute }) => {
        const local = formatMicroseconds(value).slice(0, -1);
        const digits = [hour, minute].map((part) => String(part).padStart(2, '0'));
        const text = `${local}${sign > 0 ? '+' : '-'}${digits.join(':')}`;
        expect(parseTime(text)).toBe(value - sign * (hour * 60 + minute) * 60_000_000);
      }),
    );
  });

  test('a date is taken exactly when the calendar has it', () => {
    const number = (max: number) => fc.nat({ max });
    fc.assert(
      fc.property(number(9_999), number(13), number(32), (year, month, day) => {
        const text = [
          String(year).padStart(4, '0'),
          String(month).padStart(2, '0'),
          String(day).padStart(2, '0'),
        ].join('-');
        const date = new Date(0);
        date.setUTCFullYear(year, month - 1, day);
        const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
        expect(parseTime(text)).toBe(exists ? date.getTime() * 1_000 : null);
      }),
      { numRuns: 2_000 },
    );
  });

  test('week and ordinal dates are the days one after the other', () => {
    let day = at('1999-01-04T00:00:00Z');
    for (let year = 1999; year < 2030; year += 1) {
      for (let week = 1; week <= 53; week += 1) {
        for (let weekday = 1; weekday <= 7; weekday += 1) {
          const read = parseTime(`${year}-W${String(week).padStart(2, '0')}-${weekday}`);
          if (week === 53 && read === null) continue;
          expect(read).toBe(day);
          day += 86_400_000_000;
        }
      }
    }
    let ordinal = at('1999-01-01T00:00:00Z');
    for (let year = 1999; year < 2030; year += 1) {
      for (let number = 1; number <= 366; number += 1) {
        const read = parseTime(`${year}-${String(number).padStart(3, '0')}`);
        if (number === 366 && read === null) continue;
        expect(read).toBe(ordinal);
        ordinal += 86_400_000_000;
      }
    }
  });

  test('whatever is read can be written, and keeps its order at the far end', () => {
    const texts = [
      '9999-12-31T23:59:59.999998Z',
      '9999-12-31T23:59:59.999999Z',
      '0000-01-01T00:00:00.000001Z',
    ];
    for (const text of texts) expect(formatMicroseconds(parseTime(text)!)).toHaveLength(27);
    expect(parseTime(texts[0]!)! <= parseTime(texts[1]!)!).toBe(true);
  });

  test('no text makes it throw', () => {
    const pieces = fc.constantFrom(
      '2026',
      '-',
      '04',
      '25',
      'T',
      ':',
      '.',
      'Z',
      '+',
      'W',
      '0',
      '9',
      ' ',
      '24',
      '\u0660',
    );
    const noise = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(pieces, { maxLength: 16 }).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(noise, (text) => {
        const value = parseTime(text);
        if (value !== null) expect(parseTime(formatMicroseconds(value))).toBe(value);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('timeSchema', () => {
  test('keeps the text and says what it takes', () => {
    expect(checkInput(timeSchema(), '2026-04-25')).toEqual({ ok: true, value: '2026-04-25' });
    expect(checkInput(timeSchema(), 'yesterday')).toEqual({
      ok: false,
      violations: [
        {
          field: '',
          code: 'invalid_format',
          message: 'must be an ISO 8601 date or date-time, such as 2026-04-25T15:32:11Z, found "yesterday"',
        },
      ],
    });
    expect(inputJsonSchema(timeSchema())).toEqual({ type: 'string', format: 'date-time' });
  });
});
