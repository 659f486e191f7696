import type { Condition } from '../api/campaigns.ts';

/** The condition tree of segments, as the builder edits it. Trees are values: each edit makes a new one. */

export type Group = { readonly all: readonly Condition[] } | { readonly any: readonly Condition[] };
export type Test = { readonly field: string; readonly op: string; readonly value?: unknown };

export const isTest = (condition: Condition): condition is Test => 'field' in condition;

export const joinOf = (group: Group): 'all' | 'any' => ('all' in group ? 'all' : 'any');

export const membersOf = (group: Group): readonly Condition[] => ('all' in group ? group.all : group.any);

export function groupOf(join: 'all' | 'any', members: readonly Condition[]): Group {
  return join === 'all' ? { all: members } : { any: members };
}

/** A tree whose root is a group, which is what the builder starts from. */
export function asGroup(condition: Condition): Group {
  return 'all' in condition || 'any' in condition ? condition : { all: [condition] };
}

export const newTest: Test = { field: 'email', op: 'contains', value: '' };

export type FieldKind = 'text' | 'date' | 'status' | 'attribute' | 'event';

export function kindOf(field: string): FieldKind {
  if (field === 'status') return 'status';
  if (field === 'created_at') return 'date';
  if (field.startsWith('attributes.')) return 'attribute';
  if (field.startsWith('campaigns.')) return 'event';
  return 'text';
}

const words: Readonly<Record<string, string>> = {
  eq: 'is',
  ne: 'is not',
  contains: 'contains',
  starts_with: 'starts with',
  gt: 'is more than',
  gte: 'is at least',
  lt: 'is less than',
  lte: 'is at most',
  in: 'is one of',
  exists: 'is set',
  before: 'is before',
  after: 'is after',
  within_days: 'is within the last days',
};

const operators: Readonly<Record<FieldKind, readonly string[]>> = {
  text: ['contains', 'eq', 'ne', 'starts_with', 'in', 'exists'],
  date: ['within_days', 'before', 'after'],
  status: ['eq', 'ne', 'in'],
  attribute: [
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
  ],
  event: ['exists', 'before', 'after', 'within_days'],
};

export function operatorsFor(field: string): readonly { readonly value: string; readonly label: string }[] {
  return operators[kindOf(field)].map((op) => ({ value: op, label: words[op] ?? op }));
}

/** The test with another field: its operator and value stay where they still mean something. */
export function withField(test: Test, field: string): Test {
  if (kindOf(test.field) === kindOf(field)) return { ...test, field };
  const [op = 'eq'] = operators[kindOf(field)];
  return { field, op, ...valueFor(op, kindOf(field)) };
}

export function withOperator(test: Test, op: string): Test {
  const before = shapeOf(test.op);
  if (before === shapeOf(op)) return { ...test, op };
  return { field: test.field, op, ...valueFor(op, kindOf(test.field)) };
}

export type ValueShape = 'none' | 'text' | 'list' | 'date' | 'days';

export function shapeOf(op: string): ValueShape {
  if (op === 'exists') return 'none';
  if (op === 'in') return 'list';
  if (op === 'before' || op === 'after') return 'date';
  return op === 'within_days' ? 'days' : 'text';
}

function valueFor(op: string, kind: FieldKind): { readonly value: unknown } {
  switch (shapeOf(op)) {
    case 'none':
      return { value: true };
    case 'list':
      return { value: [] };
    case 'date':
      return { value: new Date().toISOString().slice(0, 10) };
    case 'days':
      return { value: 30 };
    default:
      return { value: kind === 'status' ? 'subscribed' : '' };
  }
}

/** Whether every test has what it needs, so that asking the server makes sense. */
export function isComplete(condition: Condition): boolean {
  if ('not' in condition) return isComplete(condition.not);
  if (!isTest(condition)) {
    const members = membersOf(condition);
    return members.length > 0 && members.every(isComplete);
  }
  const { field, value } = condition;
  if (field === 'attributes.' || /^campaigns\.\./.test(field)) return false;
  return Array.isArray(value) ? value.length > 0 : value !== '' && value !== undefined;
}
