import { type ErrorCatalogue, type ErrorDialect, type Failure, failureFactory } from '@postern/kit';

/**
 * The problem+json dialect (RFC 9457): codes and statuses of the campaigns contract, spoken by every path
 * that is not the inbox's.
 */

export const problemErrors = {
  malformed_request: {
    status: 400,
    summary:
      'The request cannot be read: broken JSON, a bad encoding, or HTTP that makes no sense. Mend it first.',
  },
  unauthorized: { status: 401, summary: 'No credential, or one that is wrong, expired or revoked.' },
  forbidden: { status: 403, summary: 'The credential is good, and has no right to this.' },
  not_found: { status: 404, summary: 'No such route, or no such thing that this credential may see.' },
  method_not_allowed: {
    status: 405,
    summary: 'The route exists with other methods; the Allow header names them.',
  },
  conflict: { status: 409, summary: 'A value that must be unique is taken.' },
  idempotency_conflict: {
    status: 409,
    summary: 'The Idempotency-Key was used within 24 hours with another body. Use a fresh key.',
  },
  idempotency_in_progress: {
    status: 409,
    summary: 'A request with this Idempotency-Key is still running. Repeat it after Retry-After.',
  },
  body_too_large: { status: 413, summary: 'The request body is larger than the limit.' },
  unsupported_media_type: { status: 415, summary: 'Request bodies are application/json in UTF-8.' },
  validation_failed: {
    status: 422,
    summary: 'The input breaks the schema; errors names every field and why.',
  },
  precondition_failed: {
    status: 422,
    summary: 'The input is good, and the state of things does not allow the call.',
  },
  rate_limited: {
    status: 429,
    summary: 'Too many requests with this credential. Wait for Retry-After seconds.',
  },
  internal_error: { status: 500, summary: 'A fault of the server. Its log has the request id.' },
  storage_timeout: {
    status: 503,
    summary:
      'The database did not answer in time. A change may still take effect: look before you repeat it.',
  },
} as const satisfies ErrorCatalogue;

export type ProblemCode = keyof typeof problemErrors;

const TITLES: Readonly<Record<ProblemCode, string>> = {
  malformed_request: 'Malformed request',
  unauthorized: 'Unauthorized',
  forbidden: 'Forbidden',
  not_found: 'Not found',
  method_not_allowed: 'Method not allowed',
  conflict: 'Conflict',
  idempotency_conflict: 'Idempotency key used before',
  idempotency_in_progress: 'Request in progress',
  body_too_large: 'Body too large',
  unsupported_media_type: 'Unsupported media type',
  validation_failed: 'Validation failed',
  precondition_failed: 'Precondition failed',
  rate_limited: 'Rate limited',
  internal_error: 'Internal error',
  storage_timeout: 'Storage timeout',
};

/** Builds a failure of this dialect: `throw problem('not_found', 'No channel local:x exists.')`. */
export const problem = failureFactory<ProblemCode>(problemErrors);

const VIOLATIONS_SCHEMA = {
  type: 'array',
  items: {
    type: 'object',
    properties: { field: { type: 'string' }, code: { type: 'string' }, message: { type: 'string' } },
    required: ['field', 'code', 'message'],
    additionalProperties: false,
  },
} as const;

const CODE_SCHEMA = { type: 'string', enum: Object.keys(problemErrors) } as const;

const BODY_SCHEMA = {
  type: 'object',
  properties: {
    type: { type: 'string', format: 'uri' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    code: CODE_SCHEMA,
    errors: VIOLATIONS_SCHEMA,
  },
  required: ['type', 'title', 'status', 'detail', 'code'],
  additionalProperties: false,
} as const;

const TOOL_SCHEMA = {
  type: 'object',
  properties: { code: CODE_SCHEMA, detail: { type: 'string' }, errors: VIOLATIONS_SCHEMA },
  required: ['code', 'detail'],
  additionalProperties: false,
} as const;

export interface ProblemOptions {
  /** Base of the `type` addresses, without a trailing slash; asked at each use, as a port may be picked late. */
  publicUrl(): string;
}

/**
 * Makes the dialect. `type` is `<public URL>/errors/<code>`; `errors` is there when single fields are at
 * fault. A tool's error is `{code, detail, errors?}` with the text `<code>: <detail>`.
 */
export function problemDialect({ publicUrl }: ProblemOptions): ErrorDialect<ProblemCode> {
  return {
    catalogue: problemErrors,
    common: {
      malformed: 'malformed_request',
      validation: 'validation_failed',
      unauthorized: 'unauthorized',
      forbidden: 'forbidden',
      not_found: 'not_found',
      method_not_allowed: 'method_not_allowed',
      unsupported_media_type: 'unsupported_media_type',
      too_large: 'body_too_large',
      rate_limited: 'rate_limited',
      internal: 'internal_error',
    },
    contentType: 'application/problem+json; charset=utf-8',
    schema: BODY_SCHEMA,
    toolSchema: TOOL_SCHEMA,
    body: (failure) => ({
      type: `${publicUrl()}/errors/${failure.code}`,
      title: titleOf(failure),
      status: failure.status,
      detail: failure.message,
      code: failure.code,
      ...errorsOf(failure),
    }),
    tool: (failure) => ({
      text: `${failure.code}: ${failure.message}`,
      structured: { code: failure.code, detail: failure.message, ...errorsOf(failure) },
    }),
  };
}

function titleOf(failure: Failure): string {
  return Object.hasOwn(TITLES, failure.code) ? TITLES[failure.code as ProblemCode] : failure.code;
}

function errorsOf(failure: Failure): Record<string, unknown> {
  return failure.violations.length > 0 ? { errors: failure.violations } : {};
}
