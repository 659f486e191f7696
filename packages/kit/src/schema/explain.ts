import type * as z from 'zod';

/**
 * Messages of violations: what is accepted, then what was found. They follow the field's name, so they have no
 * subject ("must be an integer, found 1.5"). A message that a schema's author wrote goes before these.
 */

/** Values longer than this are told by their length: an error must not be a copy of what came in. */
const LONGEST_SHOWN = 40;
const MOST_CHOICES_SHOWN = 20;

type RawIssue = z.core.$ZodRawIssue;

/** Words for the types zod expects. */
const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  array: 'an array',
  tuple: 'an array',
  object: 'an object',
  record: 'an object',
  null: 'null',
  undefined: 'absent',
  never: 'absent',
  nonoptional: 'present',
};

/** Words for the formats zod knows, where its name for them is not one a reader knows. */
const FORMATS: Readonly<Record<string, string>> = {
  email: 'an e-mail address',
  url: 'a URL',
  uuid: 'a UUID',
  guid: 'a UUID',
  datetime: 'an RFC 3339 date-time, such as 2026-04-25T15:32:11Z',
  date: 'a date, such as 2026-04-25',
  time: 'a time of day, such as 15:32:11',
  duration: 'an ISO 8601 duration, such as PT15M',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
  base64: 'base64',
  base64url: 'base64url',
  e164: 'a telephone number in E.164 form, such as +14155550123',
  json_string: 'JSON',
};

/**
 * Makes the message of an issue.
 *
 * @param echo whether short values may be shown; where they may be secrets, only their type is.
 */
export function explainIssue(issue: RawIssue, echo: boolean): string {
  if (isMissing(issue)) return 'is required';
  if (issue.code === 'unrecognized_keys') return `is not a field here${knownFields(issue)}`;
  return `${acceptance(issue)}, found ${describeFound(valueAtFault(issue), echo)}`;
}

/**
 * An author's own words for what a check accepts, with what was found added as in all other messages:
 * `z.string().regex(SLUG, { error: mustBe('2 to 63 small letters, digits or hyphens') })`.
 */
export function mustBe(accepted: string): (issue: { readonly input?: unknown }) => string {
  return (issue) => `must be ${accepted}, found ${describeFound(issue.input)}`;
}

/** The parts of an issue that say which value it is about. */
interface AboutValue {
  readonly code?: string;
  readonly input?: unknown;
  readonly discriminator?: unknown;
}

/** Whether an issue is about a value that is not there. */
export function isMissing(issue: AboutValue): boolean {
  if (valueAtFault(issue) !== undefined) return false;
  return issue.code === 'invalid_type' || issue.code === 'invalid_value' || issue.code === 'invalid_union';
}

/** The value an issue is about; with a discriminator zod hands over the object around it. */
export function valueAtFault(issue: AboutValue): unknown {
  const { discriminator, input } = issue;
  if (typeof discriminator !== 'string' || typeof input !== 'object' || input === null) return input;
  return Object.entries(input).find(([name]) => name === discriminator)?.[1];
}

/** A value as a message may show it: short printable text and scalars as they are, the rest by kind and size. */
export function describeFound(value: unknown, echo = true): string {
  if (value === null) return 'null';
  if (typeof value === 'string') {
    const length = [...value].length;
    if (length === 0) return 'an empty string';
    if (echo && length <= LONGEST_SHOWN && !/[\p{C}\p{Zl}\p{Zp}]/u.test(value)) return JSON.stringify(value);
    return `a string of ${count(length, 'character')}`;
  }
  if (typeof value === 'number') return echo ? String(value) : 'a number';
  if (typeof value === 'boolean') return echo ? String(value) : 'a boolean';
  if (Array.isArray(value)) return `an array of ${count(value.length, 'item')}`;
  if (value === undefined) return 'nothing';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** "must be …", without what was found. */
function acceptance(issue: RawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${TYPES[wantsInteger(issue) ? 'int' : issue.expected] ?? issue.expected}`;
    case 'too_small':
      return size(
        issue.origin,
        issue.minimum,
        issue.exact === true ? 'exactly' : 'at least',
        issue.inclusive,
      );
    case 'too_big':
      return size(issue.origin, issue.maximum, issue.exact === true ? 'exactly' : 'at most', issue.inclusive);
    case 'invalid_format':
      return formatRule(issue);
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_value':
      return `must be ${choices(issue.values)}`;
    case 'invalid_union':
      return issue.discriminator !== undefined && 'options' in issue && Array.isArray(issue.options)
        ? `must be ${choices(issue.options)}`
        : 'must be one of the accepted forms';
    case 'invalid_key':
      return 'has a name that is not accepted';
    default:
      return 'is not acceptable';
  }
}

/** zod calls an integer a number when it is given something that is no number at all. */
function wantsInteger(issue: Extract<RawIssue, { code: 'invalid_type' }>): boolean {
  const definition = issue.inst?._zod.def;
  return issue.expected === 'number' && definition !== undefined && 'format' in definition;
}

function size(
  origin: string,
  bound: number | bigint,
  comparison: 'exactly' | 'at least' | 'at most',
  inclusive: boolean | undefined,
): string {
  if (origin === 'string') {
    if (comparison === 'at least' && Number(bound) === 1) return 'must not be empty';
    return `must have ${comparison} ${count(Number(bound), 'character')}`;
  }
  if (origin === 'array' || origin === 'set')
    return `must have ${comparison} ${count(Number(bound), 'item')}`;
  if (origin === 'object' || origin === 'map')
    return `must have ${comparison} ${count(Number(bound), 'field')}`;
  if (inclusive === false) return `must be ${comparison === 'at least' ? 'more' : 'less'} than ${bound}`;
  return `must be ${comparison} ${bound}`;
}

function formatRule(issue: Extract<RawIssue, { code: 'invalid_format' }>): string {
  if (typeof issue.prefix === 'string') return `must start with ${JSON.stringify(issue.prefix)}`;
  if (typeof issue.suffix === 'string') return `must end with ${JSON.stringify(issue.suffix)}`;
  if (typeof issue.includes === 'string') return `must contain ${JSON.stringify(issue.includes)}`;
  if (issue.format === 'regex') return `must match ${issue.pattern ?? 'its pattern'}`;
  return `must be ${FORMATS[issue.format] ?? `of the format ${issue.format}`}`;
}

function choices(values: readonly unknown[]): string {
  const shown = values.slice(0, MOST_CHOICES_SHOWN).map((value) => JSON.stringify(value) ?? String(value));
  if (values.length > shown.length) shown.push('…');
  return shown.length === 1 ? (shown[0] ?? '') : `one of ${shown.join(', ')}`;
}

function knownFields(issue: RawIssue): string {
  const definition = issue.inst?._zod.def;
  if (definition === undefined || !('shape' in definition) || typeof definition.shape !== 'object') return '';
  const names = Object.keys(definition.shape ?? {});
  if (names.length === 0) return '; there are none';
  const shown = names.slice(0, MOST_CHOICES_SHOWN);
  return `; there ${names.length === 1 ? 'is' : 'are'} ${shown.join(', ')}${names.length > shown.length ? ', …' : ''}`;
}

function count(amount: number, unit: string): string {
  return `${amount} ${unit}${amount === 1 ? '' : 's'}`;
}
