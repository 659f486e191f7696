import { commonFailure, type ErrorDialect, type Failure, type FailureOptions } from '@postern/kit';

/** What is said of requests that cannot be read. */

/** 415 in every dialect, also where its code usually has another status. */
export function unsupported(dialect: ErrorDialect, message: string): Failure {
  return commonFailure(dialect, 'unsupported_media_type', message, { status: 415 });
}

/** 400, also where a dialect has one code for what cannot be read and what breaks the schema. */
export function malformed(dialect: ErrorDialect, message: string, options: FailureOptions = {}): Failure {
  return commonFailure(dialect, 'malformed', message, { status: 400, ...options });
}
