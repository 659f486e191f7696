/**
 * Errors as typed values. A service declares its codes once, in a catalogue; an operation names the ones it
 * can give; the dialect turns a {@link Failure} into the body its callers expect. Nobody else builds one.
 */

/** One entry of a service's error catalogue. */
export interface ErrorDefinition {
  /** HTTP status that goes with the code. */
  readonly status: number;
  /** What the code means and what the caller should do, for the errors page. */
  readonly summary: string;
}

export type ErrorCatalogue<Code extends string = string> = Readonly<Record<Code, ErrorDefinition>>;

/** A violation of one input field, named by its dotted path (`attachments.0.url`). */
export interface FieldViolation {
  readonly field: string;
  /** One of {@link FieldCode}; a service's preconditions have codes of their own. */
  readonly code: string;
  readonly message: string;
}

export type FieldCode =
  | 'required'
  | 'invalid_type'
  | 'invalid_format'
  | 'out_of_range'
  | 'too_long'
  | 'too_short'
  | 'too_many'
  | 'unknown_field'
  | 'not_unique'
  | 'not_allowed'
  | 'immutable';

export interface FailureOptions {
  /** Machine-readable extras; must be safe to show the caller. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** Violations of single fields, for validation failures. */
  readonly violations?: readonly FieldViolation[];
  /** Whole seconds until a retry makes sense; becomes `Retry-After`. */
  readonly retryAfterSeconds?: number;
  /** Replaces the catalogue's status (malformed JSON is VALIDATION_FAILED with 400). */
  readonly status?: number;
  /** Header fields the answer carries beside the body (`Idempotency-Replayed`). */
  readonly headers?: Readonly<Record<string, string>>;
  /** Logged, never shown. */
  readonly cause?: unknown;
}

/** An expected error: a code of a catalogue, its status and a sentence for the caller. */
export class Failure<Code extends string = string> extends Error {
  override readonly name = 'Failure';
  readonly code: Code;
  readonly status: number;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  readonly violations: readonly FieldViolation[];
  readonly retryAfterSeconds: number | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: Code, status: number, message: string, options: FailureOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.status = options.status ?? status;
    this.details = options.details;
    this.violations = options.violations ?? [];
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.headers = options.headers ?? {};
  }
}

/** Makes the function that builds failures of one catalogue, so that an unknown code is a type error. */
export function failureFactory<Code extends string>(catalogue: ErrorCatalogue<Code>) {
  return (code: Code, message: string, options: FailureOptions = {}): Failure<Code> =>
    new Failure(code, catalogue[code].status, message, options);
}

/** Faults that are found before an operation runs; every dialect names its own code for each. */
export type CommonFault =
  | 'malformed'
  | 'validation'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'unsupported_media_type'
  | 'too_large'
  | 'rate_limited'
  | 'internal';

/** How one service speaks of errors, over HTTP and over MCP. */
export interface ErrorDialect<Code extends string = string> {
  readonly catalogue: ErrorCatalogue<Code>;
  /** The code each common fault has here. */
  readonly common: Readonly<Record<CommonFault, Code>>;
  /** Media type of an error body. */
  readonly contentType: string;
  /** The body; `requestId` may be put in where the dialect has a place for it. */
  body(failure: Failure, requestId?: string): Record<string, unknown>;
  /** JSON Schema of the body, for OpenAPI and for output schemas that must admit it. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** JSON Schema of a tool's structured error, where that is not the body. */
  readonly toolSchema?: Readonly<Record<string, unknown>>;
  /** What an MCP tool answers: text block and structured content. */
  tool(failure: Failure): { text: string; structured: Record<string, unknown> };
}

/** Builds a common fault in a dialect. */
export function commonFailure(
  dialect: ErrorDialect,
  fault: CommonFault,
  message: string,
  options: FailureOptions = {},
): Failure {
  const code = dialect.common[fault];
  const definition = dialect.catalogue[code];
  return new Failure(code, definition?.status ?? 500, message, options);
}
