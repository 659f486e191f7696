import type * as z from 'zod';
import type { FieldCode, FieldViolation } from '../errors.ts';
import { explainIssue, isMissing, valueAtFault } from './explain.ts';

/** zod's issues as violations of fields, with this project's codes and messages. */

/** An import of thousands of records can be wrong in each; nobody reads more than this. */
const MOST_VIOLATIONS = 100;
/** A field's name may be the caller's own invention. */
const LONGEST_FIELD = 120;
const MOST_IN_SUMMARY = 10;

type Issue = z.core.$ZodIssue;

export type Checked<Output> =
  | { readonly ok: true; readonly value: Output }
  | { readonly ok: false; readonly violations: readonly FieldViolation[] };

export interface CheckOptions {
  /** False where values may be secrets: messages then tell the type of what was found, never the value. */
  readonly echo?: boolean;
}

/** Parses, and gives either the value or all violations (at least one, at most 100), in the schema's order. */
export function checkInput<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  options: CheckOptions = {},
): Checked<z.output<Schema>> {
  const result = schema.safeParse(input, parseOptions(options));
  return result.success
    ? { ok: true, value: result.data }
    : { ok: false, violations: violationsOf(result.error) };
}

/** Options for zod's own `parse` and `safeParse`, with which {@link violationsOf} can read their error. */
export function parseOptions(options: CheckOptions = {}) {
  const echo = options.echo ?? true;
  return { reportInput: true, error: (issue: z.core.$ZodRawIssue) => explainIssue(issue, echo) };
}

/**
 * The violations in the error of a parse that was made with {@link parseOptions}, as {@link checkInput} makes it.
 * Without them zod keeps no inputs, and what is missing cannot be told from what is wrong.
 *
 * A refinement may choose its code: `.refine(check, { error: 'must …', params: { code: 'not_unique' } })`; without
 * one it is `invalid_format`.
 */
export function violationsOf(error: { readonly issues: readonly Issue[] }): FieldViolation[] {
  return collect(error.issues, []).slice(0, MOST_VIOLATIONS);
}

/**
 * Whether a violation is one of form (a JSON type, null, an unknown or missing field) and not of the value. Only
 * meant for violations of a schema: a rule that needs a field in some states is `required` too, and no matter of form.
 */
export function isFormViolation(violation: FieldViolation): boolean {
  return FORM_CODES.has(violation.code);
}

const FORM_CODES: ReadonlySet<string> = new Set(['required', 'invalid_type', 'unknown_field']);

/** All violations in a sentence, for readers who are shown no list: `limit must be at most 100, found 500; …`. */
export function summariseViolations(violations: readonly FieldViolation[]): string {
  const parts = violations
    .slice(0, MOST_IN_SUMMARY)
    .map(({ field, message }) => `${field === '' ? 'the input' : field} ${message}`);
  if (violations.length > parts.length) parts.push(`and ${violations.length - parts.length} more`);
  return parts.join('; ');
}

type Path = readonly PropertyKey[];

function collect(issues: readonly Issue[], at: Path): FieldViolation[] {
  const violations: FieldViolation[] = [];
  for (const issue of issues) {
    if (violations.length >= MOST_VIOLATIONS) break;
    violations.push(...read(issue, [...at, ...issue.path]));
  }
  return violations;
}

function read(issue: Issue, path: Path): FieldViolation[] {
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys
        .slice(0, MOST_VIOLATIONS)
        .map((key) => violation([...path, key], 'unknown_field', issue.message));
    case 'invalid_union':
      return readUnion(issue, path);
    case 'invalid_element':
    case 'invalid_key': {
      const first = issue.issues[0];
      return [violation(path, first === undefined ? 'invalid_format' : codeOf(first), issue.message)];
    }
    default:
      return [violation(path, codeOf(issue), issue.message)];
  }
}

/**
 * A union is refused for the reasons of the alternative that fits best: the one with the fewest faults among those
 * that are of the value's own kind. When none is, the alternatives are named.
 */
function readUnion(issue: Extract<Issue, { code: 'invalid_union' }>, path: Path): FieldViolation[] {
  if (isMissing(issue)) return [violation(path, 'required', issue.message)];
  if (issue.discriminator !== undefined) {
    const code = typeof valueAtFault(issue) === 'string' ? 'not_allowed' : 'invalid_type';
    return [violation(path, code, issue.message)];
  }
  const branches = issue.errors as readonly (readonly Issue[])[];
  const alike = branches.filter((branch) => !branch.some(isOtherKind)).sort((a, b) => a.length - b.length);
  const best = alike[0];
  if (best !== undefined) return collect(best, path);
  const firsts = branches.flatMap((branch) => branch.filter(isOtherKind).slice(0, 1));
  const code = firsts.some((first) => codeOf(first) === 'not_allowed') ? 'not_allowed' : 'invalid_type';
  return [violation(path, code, joinAlternatives(firsts.map((first) => first.message)) ?? issue.message)];
}

/** Whether the value is not of the kind an alternative is about. */
function isOtherKind(issue: Issue): boolean {
  return issue.path.length === 0 && (issue.code === 'invalid_type' || issue.code === 'invalid_value');
}

/** `must be a string, found 1` and `must be null, found 1` in one: `must be a string or null, found 1`. */
function joinAlternatives(messages: readonly string[]): string | undefined {
  const parts = messages.map((message) => /^must be (.*)(, found .*)$/s.exec(message));
  const accepted = new Set(parts.map((part) => part?.[1]));
  const found = new Set(parts.map((part) => part?.[2]));
  if (parts.length === 0 || accepted.has(undefined) || found.size !== 1) return messages[0];
  return `must be ${[...accepted].join(' or ')}${[...found].join('')}`;
}

function codeOf(issue: Issue): FieldCode {
  if (isMissing(issue)) return 'required';
  switch (issue.code) {
    case 'invalid_type':
    case 'invalid_union':
      return 'invalid_type';
    case 'invalid_value':
      return issue.values.some((value) => typeof value === typeof issue.input) && issue.input !== null
        ? 'not_allowed'
        : 'invalid_type';
    case 'too_small':
      return isNumeric(issue.origin) ? 'out_of_range' : 'too_short';
    case 'too_big':
      if (isNumeric(issue.origin)) return 'out_of_range';
      return issue.origin === 'string' ? 'too_long' : 'too_many';
    case 'not_multiple_of':
      return 'out_of_range';
    case 'custom':
      return isFieldCode(issue.params?.code) ? issue.params.code : 'invalid_format';
    default:
      return 'invalid_format';
  }
}

function isNumeric(origin: string): boolean {
  return origin === 'number' || origin === 'int' || origin === 'bigint' || origin === 'date';
}

const FIELD_CODES: Readonly<Record<FieldCode, true>> = {
  required: true,
  invalid_type: true,
  invalid_format: true,
  out_of_range: true,
  too_long: true,
  too_short: true,
  too_many: true,
  unknown_field: true,
  not_unique: true,
  not_allowed: true,
  immutable: true,
};

function isFieldCode(value: unknown): value is FieldCode {
  return typeof value === 'string' && Object.hasOwn(FIELD_CODES, value);
}

function violation(path: Path, code: FieldCode, message: string): FieldViolation {
  const field = path.map(String).join('.').toWellFormed();
  const shown = field.length > LONGEST_FIELD ? `${field.slice(0, LONGEST_FIELD).toWellFormed()}…` : field;
  return { field: shown, code, message };
}
