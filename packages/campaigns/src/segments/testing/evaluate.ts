import { parseTime } from '@postern/kit';
import { canonicalPart } from '../../subscribers/search.ts';
import type { Comparison, Condition, Scalar } from '../condition.ts';
import { fieldOf } from '../fields.ts';

/** What a condition means, in plain words of the language: the SQL of both engines is compared with it. */

export interface Somebody {
  /** Canonical address. */
  readonly emailKey: string;
  readonly name: string | null;
  readonly status: string;
  readonly createdUs: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Moments in microseconds, by `<campaign id>.<event>`. */
  readonly happened: Readonly<Record<string, readonly number[]>>;
}

export function matches(condition: Condition, who: Somebody, nowUs: number): boolean {
  if ('all' in condition) return condition.all.every((part) => matches(part, who, nowUs));
  if ('any' in condition) return condition.any.some((part) => matches(part, who, nowUs));
  if ('not' in condition) return !matches(condition.not, who, nowUs);
  const { op, value, field } = condition;
  if (op === 'ne') return !matches({ field, op: 'eq', value }, who, nowUs);
  if (op === 'exists' && value === false) return !matches({ field, op, value: true }, who, nowUs);
  return compares(condition, who, nowUs);
}

function compares({ field: name, op, value }: Comparison, who: Somebody, nowUs: number): boolean {
  const field = fieldOf(name);
  switch (field?.kind) {
    case 'email':
      return isText(who.emailKey, op, canonical(value));
    case 'name':
      return isText(who.name, op, value);
    case 'status':
      return isText(who.status, op, value);
    case 'created_at':
      return isMoment(who.createdUs, op, value, nowUs);
    case 'attribute': {
      const found = Object.hasOwn(who.attributes, field.key) ? who.attributes[field.key] : undefined;
      return found !== undefined && isAttribute(found, op, value, nowUs);
    }
    case 'campaign': {
      const moments = who.happened[`${field.campaignId}.${field.event}`] ?? [];
      if (op === 'eq') return moments.length > 0 === value;
      if (op === 'exists') return moments.length > 0;
      return moments.some((moment) => isMoment(moment, op, value, nowUs));
    }
    default:
      throw new Error(`no field ${name}`);
  }
}

function isText(found: string | null, op: Comparison['op'], value: Comparison['value']): boolean {
  if (found === null) return false;
  switch (op) {
    case 'eq':
      return found === value;
    case 'in':
      return (value as readonly Scalar[]).includes(found);
    case 'contains':
      return found.includes(String(value));
    case 'starts_with':
      return found.startsWith(String(value));
    case 'exists':
      return true;
    default:
      throw new Error(`no ${op} of texts`);
  }
}

function isAttribute(
  found: unknown,
  op: Comparison['op'],
  value: Comparison['value'],
  nowUs: number,
): boolean {
  switch (op) {
    case 'exists':
      return true;
    case 'eq':
      return found === value;
    case 'in':
      return (value as readonly unknown[]).includes(found);
    case 'contains':
      if (Array.isArray(found)) return found.includes(value);
      return typeof found === 'string' && found.includes(String(value));
    case 'starts_with':
      return typeof found === 'string' && found.startsWith(String(value));
    case 'before':
    case 'after':
    case 'within_days': {
      const moment = typeof found === 'string' ? momentOf(found) : null;
      return moment !== null && isMoment(moment, op, value, nowUs);
    }
    default:
      return typeof found === typeof value && isOrdered(order(found as string, value as string), op);
  }
}

function isMoment(moment: number, op: Comparison['op'], value: Comparison['value'], nowUs: number): boolean {
  if (op === 'within_days') {
    return moment <= nowUs && moment >= nowUs - Number(value) * 86_400_000_000;
  }
  const bound = parseTime(String(value));
  if (bound === null) throw new Error('no time');
  const plain = op === 'before' ? 'lt' : op === 'after' ? 'gt' : op;
  return isOrdered(moment - bound, plain);
}

function order(one: string | number, other: string | number): number {
  if (typeof one === 'number' || typeof other === 'number') return Number(one) - Number(other);
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

function isOrdered(difference: number, op: Comparison['op']): boolean {
  switch (op) {
    case 'gt':
      return difference > 0;
    case 'gte':
      return difference >= 0;
    case 'lt':
      return difference < 0;
    case 'lte':
      return difference <= 0;
    default:
      throw new Error(`no order ${op}`);
  }
}

const MOMENT =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?(?:Z|([+-])(\d\d):(\d\d))?)?$/;

/** A text of an attribute as a moment, to the second. */
export function momentOf(text: string): number | null {
  const match = MOMENT.exec(text);
  if (match === null) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const [offsetHour, offsetMinute] = [Number(match[8] ?? 0), Number(match[9] ?? 0)];
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > 31) return null;
  if (hour > 23 || minute > 59 || second > 59 || offsetHour > 23 || offsetMinute > 59) return null;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const offset = (match[7] === '-' ? -1 : 1) * (offsetHour * 3_600 + offsetMinute * 60);
  return (date.getTime() / 1_000 + hour * 3_600 + minute * 60 + second - offset) * 1_000_000;
}

function canonical(value: Comparison['value']): Comparison['value'] {
  return Array.isArray(value) ? value.map((one) => canonicalPart(String(one))) : canonicalPart(String(value));
}
