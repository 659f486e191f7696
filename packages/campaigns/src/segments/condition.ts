import { mustBe, parseTime } from '@postern/kit';
import * as z from 'zod';
import { subscriberStatuses } from '../subscribers/shapes.ts';
import { type Field, fieldOf } from './fields.ts';

/**
 * A segment's condition (contract, 8.13): a tree of all, any and not over comparisons of a field with a value. What
 * is not there compares with nothing, so every comparison with it is false but `ne`, which is the contrary of `eq`.
 */

export const operators = [
  'eq',
  'ne',
  'contains',
  'starts_with',
  'gt',
  'gte',
  'lt',
  'lte',
  'in',
  'exists',
  'before',
  'after',
  'within_days',
] as const;

export type Operator = (typeof operators)[number];
export type Scalar = string | number | boolean;

export interface Comparison {
  readonly field: string;
  readonly op: Operator;
  readonly value?: Scalar | readonly Scalar[] | undefined;
}

export type Condition =
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] }
  | { readonly not: Condition }
  | Comparison;

/** Bounds of one condition. */
export const CONDITION_LIMITS = {
  comparisons: 100,
  depth: 8,
  /** Values of one `in`. */
  choices: 100,
  textCharacters: 500,
  days: 36_500,
} as const;

const scalar = z.union([z.string(), z.number(), z.boolean()]);

const comparison = z
  .strictObject({
    field: z
      .string()
      .describe(
        'email, name, status, created_at, attributes.<key>, or campaigns.<campaign id>.<sent, opened or clicked>. Names and attributes are compared with their capitals, addresses without',
      ),
    op: z.enum(operators),
    value: z
      .union([z.string(), z.number(), z.boolean(), z.array(scalar)])
      .optional()
      .describe(
        'To compare with: a list for in, a number of days for within_days, true or false for exists (true unless given)',
      ),
  })
  .superRefine((given, context) => {
    for (const { at, code, message } of comparisonFaults(given)) {
      const input = given[at];
      context.addIssue({ code: 'custom', path: [at], input, message, params: { code } });
    }
  });

const node: z.ZodType<Condition> = z.lazy(() =>
  z.union([
    z.strictObject({ all: z.array(node).min(1) }),
    z.strictObject({ any: z.array(node).min(1) }),
    z.strictObject({ not: node }),
    comparison,
  ]),
);

/** A condition as it is given: strict, and bounded before anything else of it is looked at. */
export const conditionSchema = z.preprocess((value, context) => {
  const fault = sizeFault(value);
  if (fault === null) return value;
  context.addIssue({ code: 'custom', input: value, message: fault.message, params: { code: fault.code } });
  return z.NEVER;
}, node);

/** The same in an answer, where it was looked at before. */
export const conditionAnswerSchema = z.record(z.string(), z.unknown());

function sizeFault(root: unknown): { code: 'too_many' | 'invalid_format'; message: string } | null {
  const pending: { value: unknown; depth: number }[] = [{ value: root, depth: 0 }];
  let objects = 0;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value, depth } = next;
    if (typeof value !== 'object' || value === null) continue;
    if (!Array.isArray(value)) objects += 1;
    // Groups count too: none is of use without a comparison in it.
    if (objects > 2 * CONDITION_LIMITS.comparisons) {
      const message = `must have at most ${CONDITION_LIMITS.comparisons} comparisons`;
      return { code: 'too_many', message };
    }
    const inside = Array.isArray(value) ? depth : depth + 1;
    if (inside > CONDITION_LIMITS.depth) {
      const message = `must not nest deeper than ${CONDITION_LIMITS.depth} levels`;
      return { code: 'invalid_format', message };
    }
    const inner = Object.values(value);
    if (inner.length > 2 * CONDITION_LIMITS.comparisons) {
      return { code: 'too_many', message: `must have no list of ${inner.length} items` };
    }
    for (const one of inner) pending.push({ value: one, depth: inside });
  }
  return null;
}

interface Fault {
  readonly at: 'field' | 'op' | 'value';
  readonly code:
    | 'not_allowed'
    | 'required'
    | 'invalid_type'
    | 'invalid_format'
    | 'out_of_range'
    | 'too_long'
    | 'too_many'
    | 'too_short';
  readonly message: string;
}

const OPERATORS_OF: Readonly<Record<Field['kind'], readonly Operator[]>> = {
  email: ['eq', 'ne', 'contains', 'starts_with', 'in', 'exists'],
  name: ['eq', 'ne', 'contains', 'starts_with', 'in', 'exists'],
  status: ['eq', 'ne', 'in'],
  created_at: ['gt', 'gte', 'lt', 'lte', 'before', 'after', 'within_days'],
  attribute: operators,
  campaign: ['eq', 'ne', 'exists', 'before', 'after', 'within_days'],
};

function* comparisonFaults({ field: name, op, value }: Comparison): Generator<Fault> {
  const field = fieldOf(name);
  if (field === null) {
    const message = mustBe(
      'email, name, status, created_at, attributes.<key> or campaigns.<id>.<sent|opened|clicked>',
    )({ input: name });
    yield { at: 'field', code: 'not_allowed', message };
    return;
  }
  const allowed = OPERATORS_OF[field.kind];
  if (!allowed.includes(op)) {
    yield { at: 'op', code: 'not_allowed', message: `must be one of ${allowed.join(', ')} for ${name}` };
    return;
  }
  if (op === 'exists') {
    if (value !== undefined && typeof value !== 'boolean') yield wrongType('true or false', value);
  } else if (value === undefined) {
    yield { at: 'value', code: 'required', message: `is required for ${op}` };
  } else yield* valueFaults(field, op, value);
}

function* valueFaults(
  field: Field,
  op: Exclude<Operator, 'exists'>,
  value: Scalar | readonly Scalar[],
): Generator<Fault> {
  if (op === 'in') {
    if (typeof value !== 'object') yield wrongType('an array', value);
    else if (value.length === 0)
      yield { at: 'value', code: 'too_short', message: 'must have at least 1 item' };
    else if (value.length > CONDITION_LIMITS.choices) {
      const message = `must have at most ${CONDITION_LIMITS.choices} items, found ${value.length}`;
      yield { at: 'value', code: 'too_many', message };
    } else for (const one of value) yield* equalFaults(field, one);
    return;
  }
  if (typeof value === 'object') {
    yield wrongType('a single value', value);
    return;
  }
  switch (op) {
    case 'eq':
    case 'ne':
      yield* equalFaults(field, value);
      return;
    case 'contains':
    case 'starts_with':
      yield* textFaults(value);
      return;
    case 'within_days':
      if (typeof value !== 'number') yield wrongType('a number of days', value);
      else if (!Number.isInteger(value) || value < 1 || value > CONDITION_LIMITS.days) {
        const message = `must be a whole number from 1 to ${CONDITION_LIMITS.days}, found ${value}`;
        yield { at: 'value', code: 'out_of_range', message };
      }
      return;
    case 'before':
    case 'after':
      yield* timeFaults(value);
      return;
    default:
      if (field.kind === 'created_at') yield* timeFaults(value);
      else if (typeof value === 'boolean') yield wrongType('a number or a string', value);
      else if (typeof value === 'string') yield* textFaults(value, 0);
  }
}

function* equalFaults(field: Field, value: Scalar): Generator<Fault> {
  if (field.kind === 'campaign') {
    if (typeof value !== 'boolean') yield wrongType('true or false', value);
    return;
  }
  if (field.kind === 'status') {
    const statuses = subscriberStatuses.filter((status) => status !== 'erased');
    if (typeof value !== 'string') yield wrongType('a string', value);
    else if (!statuses.some((status) => status === value)) {
      const message = mustBe(`one of ${statuses.join(', ')}`)({ input: value });
      yield { at: 'value', code: 'not_allowed', message };
    }
    return;
  }
  if (field.kind !== 'attribute' || typeof value === 'string') yield* textFaults(value, 0);
}

function* textFaults(value: Scalar, minimum = 1): Generator<Fault> {
  if (typeof value !== 'string') {
    yield wrongType('a string', value);
    return;
  }
  if (value.length < minimum) yield { at: 'value', code: 'too_short', message: 'must not be empty' };
  if (value.length > CONDITION_LIMITS.textCharacters) {
    const message = `must have at most ${CONDITION_LIMITS.textCharacters} characters, found ${value.length}`;
    yield { at: 'value', code: 'too_long', message };
  }
}

function* timeFaults(value: Scalar): Generator<Fault> {
  if (typeof value !== 'string') yield wrongType('a string', value);
  else if (parseTime(value) === null) {
    const message = mustBe('an ISO 8601 date or date-time, such as 2026-04-25T15:32:11Z')({ input: value });
    yield { at: 'value', code: 'invalid_format', message };
  }
}

function wrongType(accepted: string, input: unknown): Fault {
  return { at: 'value', code: 'invalid_type', message: mustBe(accepted)({ input }) };
}

/** Every comparison of a condition, with where it stands: `all.0.not`. */
export function* comparisonsOf(condition: Condition, path = ''): Generator<[path: string, Comparison]> {
  const inside = (name: string | number) => (path === '' ? String(name) : `${path}.${name}`);
  if ('all' in condition || 'any' in condition) {
    const [group, parts] =
      'all' in condition ? (['all', condition.all] as const) : (['any', condition.any] as const);
    for (const [index, part] of parts.entries()) yield* comparisonsOf(part, `${inside(group)}.${index}`);
  } else if ('not' in condition) yield* comparisonsOf(condition.not, inside('not'));
  else yield [path, condition];
}
