import * as fc from 'fast-check';
import { CONDITION_LIMITS, type Condition } from '../condition.ts';
import type { Somebody } from './evaluate.ts';

/** Conditions and people that have something to do with each other, odd ones above all. */

export const CAMPAIGN = 'cmp_01KA000000000000000000000A';
export const NOW_US = Date.UTC(2026, 4, 1, 12) * 1_000;

const TEXTS = [
  '',
  'a',
  'A',
  'ab',
  'Porto',
  'é',
  'e\u0301',
  '😀',
  '\uffee',
  '%',
  '_',
  '*',
  '[a-z]',
  "it's",
  '"',
  '\\',
  '$.a',
  'null',
  'true',
  '5',
  '05',
  '1e3',
  'NaN',
  'infinity',
  '{"a":1}',
  "'); DROP TABLE mail_subscribers; --",
] as const;

const MOMENTS = [
  '2026-04-25',
  '2026-04-25T10:30',
  '2026-04-25 10:30:59',
  '2026-04-25T10:30:59.999Z',
  '2026-04-25T10:30:59+02:00',
  '2026-04-25T23:59-11:30',
  '2026-05-01T12:00:00Z',
  '2026-05-01T12:00:01Z',
  '2024-02-29',
  '2026-02-31',
  '1969-12-31T23:59:59Z',
  '0001-01-01',
  '9999-12-31',
  // None of these is one.
  '0000-01-01',
  '2026-13-01',
  '2026-04-32',
  '2026-04-00',
  '2026-04-25Z',
  '2026-04-25+02:00',
  '2026-04-25T24:00',
  '2026-04-25T10:60',
  '2026-04-25T10:30:',
  '2026-04-25T10:30:60',
  '2026-04-25T10:30:59.',
  '2026-04-25T10:30:59.9x',
  '2026-04-25T10:30:5Z',
  '2026-04-25T10:30+24:00',
  '2026-04-25T10:30+0200',
  '2026-4-25',
  'x2026-04-25',
  '2026-04-25\n',
  '２０２６-04-25',
  'today',
  'infinity',
  'epoch',
] as const;

const text = fc.oneof(
  fc.constantFrom(...TEXTS),
  fc.constantFrom(...MOMENTS),
  fc.string({ unit: 'grapheme', maxLength: 4 }),
);
const storable = text.filter((one) => !/\p{Cc}/u.test(one.replaceAll('\n', '')) && one.isWellFormed());
const number = fc.oneof(
  fc.constantFrom(0, 1, -1, 5, 1.5, 0.1, 1e21, -1e-7, 2 ** 53, 1e308),
  fc.integer({ min: -20, max: 20 }),
);
const scalar = fc.oneof(storable, number, fc.boolean());

export const KEYS = ['city', 'n', 'o\'dd "key"', 'a.b', '$[0]', '*', 'ключ'] as const;

const key = fc.constantFrom(...KEYS);
const value = fc.oneof(
  { weight: 6, arbitrary: scalar },
  { weight: 1, arbitrary: fc.array(fc.oneof(scalar, fc.constant(null)), { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.dictionary(fc.constantFrom('a', 'b'), scalar, { maxKeys: 2 }) },
);
const attributes = fc
  .array(fc.tuple(key, value), { maxLength: 4 })
  .map((entries) => Object.fromEntries(entries));

const moment = fc.oneof(
  fc.integer({ min: -40 * 24, max: 48 }).map((hours) => NOW_US + hours * 3_600_000_000),
  fc.constantFrom(NOW_US, NOW_US - 86_400_000_000, NOW_US - 86_400_000_001),
);

const EMAILS = [
  'ana@example.org',
  'bo+news@example.org',
  'cy@xn--bcher-kva.example',
  'żółw@example.org',
] as const;
const STATUSES = ['subscribed', 'unconfirmed', 'unsubscribed', 'bounced', 'complained'] as const;
const NAMES = ['Ana', 'ana', 'Ana Lima', 'Żółw', ''] as const;

export const somebody: fc.Arbitrary<Somebody> = fc.record({
  emailKey: fc.constantFrom(...EMAILS),
  name: fc.option(fc.oneof(fc.constantFrom(...NAMES), storable)),
  status: fc.constantFrom(...STATUSES),
  createdUs: moment,
  attributes,
  happened: fc
    .record(
      {
        sent: fc.array(moment, { minLength: 1, maxLength: 1 }),
        opened: fc.array(moment, { minLength: 1, maxLength: 2 }),
        clicked: fc.array(moment, { minLength: 1, maxLength: 1 }),
      },
      { requiredKeys: ['sent'] },
    )
    .map((events) =>
      Object.fromEntries(Object.entries(events).map(([event, moments]) => [`${CAMPAIGN}.${event}`, moments])),
    )
    .chain((events) => fc.constantFrom(events, {})),
});

const time = fc.oneof(
  fc.constantFrom(
    '2026-04-25',
    '2026-04-25T10:30:59Z',
    '2026-05-01T12:00:00.000001Z',
    '2026-04-30T14:00:00+02:00',
    '0001-01-01',
    '9999-12-31',
  ),
  moment.map((us) => new Date(us / 1_000).toISOString()),
);
const days = fc.constantFrom(1, 2, 7, 30, 36_500);
const some = <Value>(one: fc.Arbitrary<Value>) => fc.array(one, { minLength: 1, maxLength: 3 });
const visible = storable.filter((one) => one !== '');
const part = fc.oneof(
  visible,
  fc.constantFrom('a', 'o', 'T1', '2026', 'ana', '@example', 'BÜCHER', 'cy@bücher.example'),
);

function leaf(
  field: fc.Arbitrary<string>,
  ...kinds: readonly (readonly [readonly string[], fc.Arbitrary<unknown>])[]
): fc.Arbitrary<Condition> {
  return fc.oneof(
    ...kinds.map(([ops, given]) => fc.record({ field, op: fc.constantFrom(...ops), value: given })),
  ) as fc.Arbitrary<Condition>;
}

const exists = [['exists'], fc.constantFrom(true, false, undefined)] as const;
const texts = (equal: fc.Arbitrary<string>) =>
  [[['eq', 'ne'], equal], [['in'], some(equal)], [['contains', 'starts_with'], part], exists] as const;
const moments = [
  [['before', 'after'], time],
  [['within_days'], days],
] as const;

const leaves = fc.oneof(
  leaf(
    fc.constant('email'),
    ...texts(
      fc.oneof(
        fc
          .tuple(fc.nat(20), fc.constantFrom(...EMAILS, 'ANA@example.org', 'cy@bücher.example'))
          .map(([index, email]) => `${index}.${email}`),
        storable,
      ),
    ),
  ),
  leaf(fc.constant('name'), ...texts(fc.oneof(fc.constantFrom(...NAMES), storable))),
  leaf(
    fc.constant('status'),
    [['eq', 'ne'], fc.constantFrom(...STATUSES)],
    [['in'], some(fc.constantFrom(...STATUSES))],
  ),
  leaf(fc.constant('created_at'), [['gt', 'gte', 'lt', 'lte'], time], ...moments),
  {
    weight: 4,
    arbitrary: leaf(
      key.map((name) => `attributes.${name}`),
      [['eq', 'ne'], scalar],
      [['in'], some(scalar)],
      [['contains', 'starts_with'], part],
      [['gt', 'gte', 'lt', 'lte'], fc.oneof(number, storable)],
      exists,
      ...moments,
    ),
  },
  leaf(
    fc.constantFrom('sent', 'opened', 'clicked').map((event) => `campaigns.${CAMPAIGN}.${event}`),
    [['eq', 'ne'], fc.boolean()],
    exists,
    ...moments,
  ),
);

/** As deep and as large as conditions may be, and no more. */
export const conditions: fc.Arbitrary<Condition> = fc
  .letrec<{ node: Condition }>((tie) => ({
    node: fc.oneof(
      { depthSize: 'small', withCrossShrink: true, maxDepth: CONDITION_LIMITS.depth - 1 },
      leaves,
      fc.record({ all: fc.array(tie('node'), { minLength: 1, maxLength: 3 }) }),
      fc.record({ any: fc.array(tie('node'), { minLength: 1, maxLength: 3 }) }),
      fc.record({ not: tie('node') }),
    ),
  }))
  .node.filter((condition) => JSON.stringify(condition).split('{').length <= CONDITION_LIMITS.comparisons);

/** Comparisons of one attribute with a moment, for the reading of dates alone. */
export const momentTexts = fc.oneof(
  fc.constantFrom(...MOMENTS),
  fc
    .tuple(
      fc.constantFrom('2026', '2024', '1999', '0000', '0004', '12'),
      fc.constantFrom('-', '/', ''),
      fc.constantFrom('02', '12', '00', '13', '1'),
      fc.constantFrom('-01', '-29', '-31', '-00', '-32'),
      fc.constantFrom('', 'T', ' ', 't'),
      fc.constantFrom('', '00:00', '23:59', '24:00', '12:60', '12:3', '12:30:00', '12:30:61', '12:30:05.5'),
      fc.constantFrom('', 'Z', 'z', '+00:00', '-23:59', '+24:00', '+02', '+0200', 'ZZ'),
    )
    .map((parts) => parts.join('')),
);
