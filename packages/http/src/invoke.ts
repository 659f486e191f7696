import {
  type Checked,
  checkInput,
  commonFailure,
  type ErrorDialect,
  Failure,
  type FieldViolation,
  isAnswer,
  isFormViolation,
  JsonText,
  type Operation,
  type OperationShape,
  type RawBody,
  summariseViolations,
} from '@postern/kit';
import { withDeadline } from './deadline.ts';
import { isJsonObject, MAX_JSON_DEPTH } from './json.ts';
import type { Log } from './log.ts';
import { restAfter } from './rest.ts';

/**
 * The one way an operation is run. REST routes and MCP tools both come through here, so validation, rights,
 * errors and deadlines cannot differ between them.
 */

export type Surface = 'rest' | 'tool';

/** What a service gets to build an operation's context from. It is the same for both surfaces. */
export interface Call<Caller = unknown, Context = never, Rights = unknown> {
  readonly operation: Operation<Context, Rights>;
  readonly surface: Surface;
  readonly caller: Caller;
  /** The input as it came, not yet checked. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly requestId: string;
  /** Aborts when the caller goes away or the deadline passes. */
  readonly signal: AbortSignal;
  /** Aborts when the server begins to stop: time for waiting calls to answer. */
  readonly closing: AbortSignal;
  /** A request header by lower-case name. */
  header(name: string): string | undefined;
}

/** Which violations a tool's validation error lists. */
export type ToolViolations =
  /** All of them, as REST does. */
  | 'all'
  /**
   * A violation of form (JSON type, unknown or missing argument) is named alone in the message, without a
   * list; violations of values are all listed.
   */
  | 'first_of_form';

export interface RunOptions<Context> {
  readonly dialect: ErrorDialect;
  readonly surface: Surface;
  readonly toolViolations?: ToolViolations | undefined;
  /** Reads what was sent; throws a {@link Failure} when it cannot be read at all. */
  read(signal: AbortSignal): ReadInput | Promise<ReadInput>;
  /**
   * Builds the handler's context from the input as it came; throws a {@link Failure} when the caller may not go on.
   */
  context(signal: AbortSignal, input: ReadInput['input']): Context | Promise<Context>;
  readonly signal: AbortSignal;
  /** Milliseconds the whole run may take. */
  readonly deadlineMs: number;
  readonly requestId: string;
  readonly log: Log;
}

/** An input as it came, and what the operation's schema says of it. */
export interface ReadInput {
  /** Fields of path, query and body together, flat; without the one that is bulk. */
  readonly input: Readonly<Record<string, unknown>>;
  /** Violations found while the input was put together (fields in a wrong place). */
  readonly violations: readonly FieldViolation[];
  readonly checked: Checked<Record<string, unknown>>;
}

export type Outcome =
  | {
      readonly kind: 'success';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      /** A value, or a {@link JsonText}. */
      readonly body: unknown;
    }
  | { readonly kind: 'raw'; readonly raw: RawBody }
  | { readonly kind: 'failure'; readonly failure: Failure };

/**
 * Checks the input, builds the context and runs the handler. Never throws: an unexpected error is logged
 * with the request id and becomes the dialect's internal error.
 *
 * A failure of rights comes before one of validation. When the context itself finds fault with fields, its
 * violations and those of the schema are answered together.
 */
export async function runOperation<Context, Rights>(
  operation: Operation<Context, Rights>,
  options: RunOptions<Context>,
): Promise<Outcome> {
  const { dialect, log, requestId } = options;
  return withDeadline(
    options.deadlineMs,
    options.signal,
    async (signal): Promise<Outcome> => {
      try {
        return await attempt(operation, options, signal);
      } catch (error) {
        if (error instanceof Failure) {
          const { code, cause } = error;
          if (cause !== undefined)
            log.warn({ requestId, operation: operation.name, code, err: cause }, 'operation failed');
          return { kind: 'failure', failure: error };
        }
        if (options.signal.aborted) {
          log.debug({ requestId, operation: operation.name, err: error }, 'caller went away');
        } else {
          log.error({ requestId, operation: operation.name, err: error }, 'operation failed unexpectedly');
        }
        return { kind: 'failure', failure: internalFailure(dialect, requestId, error) };
      }
    },
    () => {
      log.warn(
        { requestId, operation: operation.name, deadlineMs: options.deadlineMs },
        'call took too long',
      );
      return { kind: 'failure', failure: tooLate(dialect) };
    },
  );
}

async function attempt<Context, Rights>(
  operation: Operation<Context, Rights>,
  options: RunOptions<Context>,
  signal: AbortSignal,
): Promise<Outcome> {
  const { dialect } = options;
  const reading = performance.now();
  const { input, checked, ...read } = await options.read(signal);
  await restAfter(reading);
  const violations = [...read.violations, ...(checked.ok ? [] : checked.violations)];
  let context: Context;
  try {
    context = await options.context(signal, input);
  } catch (error) {
    if (violations.length === 0 || !isValidationOfFields(error, dialect)) throw error;
    // What the context finds is about values, also where a field it needs is `required`.
    throw validationFailure(dialect, violations, options, error.violations);
  }
  if (!checked.ok || violations.length > 0) throw validationFailure(dialect, violations, options);

  const returned = await operation.handle(checked.value, context);
  if (operation.http.produces !== undefined) return { kind: 'raw', raw: returned as RawBody };
  const [body, headers, status] = isAnswer(returned)
    ? [returned.body, returned.headers ?? {}, returned.status]
    : [returned, {}, undefined];
  return {
    kind: 'success',
    status: status ?? operation.http.status ?? 200,
    headers,
    body: body instanceof JsonText ? body : await parseOutput(operation, body),
  };
}

/** A handler that breaks its own contract is a fault of ours; parsing also keeps columns in that nobody declared. */
async function parseOutput({ output }: Pick<OperationShape, 'output'>, body: unknown): Promise<unknown> {
  const parsing = performance.now();
  const parsed = output.parse(body);
  await restAfter(parsing);
  return parsed;
}

/** Checks an input against the operation's schema, REST-only fields included where they apply. */
export function checkOperationInput(
  operation: Pick<OperationShape, 'input' | 'restOnly' | 'toolInput'>,
  raw: Readonly<Record<string, unknown>>,
  surface: Surface,
): Checked<Record<string, unknown>> {
  const unfit = unfitValues(raw);
  if (unfit.some(({ message }) => message === TOO_DEEP)) return { ok: false, violations: unfit };

  const restOnly = surface === 'rest' ? operation.restOnly : undefined;
  const [restFields, fields] = partition(
    raw,
    (field) => restOnly !== undefined && Object.hasOwn(restOnly.shape, field),
  );
  const checks = [
    checkInput(surface === 'tool' ? (operation.toolInput ?? operation.input) : operation.input, fields),
    ...(restOnly ? [checkInput(restOnly, restFields)] : []),
  ];
  const violations = [...unfit, ...checks.flatMap((check) => (check.ok ? [] : check.violations))];
  if (violations.length > 0) return { ok: false, violations };
  return { ok: true, value: Object.assign({}, ...checks.map((check) => (check.ok ? check.value : {}))) };
}

function partition(
  fields: Readonly<Record<string, unknown>>,
  belongs: (field: string) => boolean,
): [Record<string, unknown>, Record<string, unknown>] {
  const entries = Object.entries(fields);
  return [
    Object.fromEntries(entries.filter(([field]) => belongs(field))),
    Object.fromEntries(entries.filter(([field]) => !belongs(field))),
  ];
}

const TOO_DEEP = `nests deeper than ${MAX_JSON_DEPTH} levels`;
/** Violations one answer lists; a body of a million unknown fields must not be echoed whole. */
const MAX_VIOLATIONS = 100;
const MAX_FIELD_LENGTH = 200;

/**
 * Text that no storage keeps as it is: PostgreSQL refuses NUL, and a lone surrogate has no UTF-8. Walks
 * with a stack of its own, since the value may nest as deep as it likes.
 */
function unfitValues(raw: Readonly<Record<string, unknown>>): FieldViolation[] {
  if (isFit(raw, 0)) return [];
  const found: FieldViolation[] = [];
  const pending: { path: string; value: unknown; depth: number }[] = [{ path: '', value: raw, depth: 0 }];
  for (let next = pending.pop(); next !== undefined && found.length < MAX_VIOLATIONS; next = pending.pop()) {
    const { path, value, depth } = next;
    if (typeof value === 'string') {
      const message = textFault(value);
      if (message !== null) found.push({ field: path, code: 'invalid_format', message });
    } else if (typeof value === 'object' && value !== null) {
      if (depth > MAX_JSON_DEPTH) return [{ field: path, code: 'invalid_format', message: TOO_DEEP }];
      for (const [key, inner] of Object.entries(value).reverse()) {
        const field = path === '' ? key : `${path}.${key}`;
        const message = textFault(key);
        if (message !== null)
          found.push({ field: path, code: 'invalid_format', message: `has a name that ${message}` });
        pending.push({ path: field, value: inner, depth: depth + 1 });
      }
    }
  }
  return found;
}

/** The same question without the names of fields, which cost more than the answer in a body of many records. */
function isFit(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return textFault(value) === null;
  if (typeof value !== 'object' || value === null) return true;
  if (depth > MAX_JSON_DEPTH) return false;
  if (Array.isArray(value)) return value.every((inner) => isFit(inner, depth + 1));
  return Object.entries(value).every(([key, inner]) => textFault(key) === null && isFit(inner, depth + 1));
}

function textFault(text: string): string | null {
  if (text.includes('\0')) return 'must not contain a NUL character';
  if (!text.isWellFormed()) return 'must be well-formed Unicode, without lone surrogates';
  return null;
}

function isValidationOfFields(error: unknown, dialect: ErrorDialect): error is Failure {
  return error instanceof Failure && error.code === dialect.common.validation && error.violations.length > 0;
}

/**
 * The validation fault for some violations; its message names each field and what is wrong with it.
 *
 * @param ofValues further ones that are never of form, whatever their codes.
 */
export function validationFailure(
  dialect: ErrorDialect,
  violations: readonly FieldViolation[],
  { surface, toolViolations = 'all' }: { surface: Surface; toolViolations?: ToolViolations | undefined },
  ofValues: readonly FieldViolation[] = [],
): Failure {
  const ofForm = violations.find(isFormViolation);
  if (surface === 'tool' && toolViolations === 'first_of_form' && ofForm) {
    return commonFailure(dialect, 'validation', summariseViolations([ofForm]));
  }
  const bounded = [...violations, ...ofValues]
    .slice(0, MAX_VIOLATIONS)
    .map((violation) => ({ ...violation, field: violation.field.slice(0, MAX_FIELD_LENGTH).toWellFormed() }));
  return commonFailure(dialect, 'validation', summariseViolations(bounded), { violations: bounded });
}

/** An unexpected error as the caller sees it: no internals, and the id under which the log has them. */
export function internalFailure(dialect: ErrorDialect, requestId: string, cause: unknown): Failure {
  return commonFailure(
    dialect,
    'internal',
    `An unexpected error occurred; the server's log has it as request ${requestId}.`,
    {
      cause,
    },
  );
}

/** The answer to a call that was given up when its time was over. */
export function tooLate(dialect: ErrorDialect): Failure {
  const message =
    'The call took too long and was given up. It may still take effect: look before you repeat it.';
  return commonFailure(dialect, 'internal', message);
}

/** What a body or `arguments` that is no JSON object is told. */
export function notAnObject(value: unknown, field: string): FieldViolation | null {
  if (isJsonObject(value)) return null;
  const found = value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`;
  return { field, code: 'invalid_type', message: `must be a JSON object, not ${found}` };
}
