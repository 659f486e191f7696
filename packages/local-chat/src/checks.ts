import { problem } from '@postern/http';
import { checkInput, type FieldCode, type FieldViolation, summariseViolations } from '@postern/kit';
import type * as z from 'zod';

/** Refusals that several parts give, for callers over HTTP and in the process alike. */

/**
 * @param message what is accepted, without a subject: "must not be empty".
 * @throws Failure validation_failed for one field.
 */
export function refuse(field: string, code: FieldCode, message: string): never {
  throw validationFailed([{ field, code, message }]);
}

/**
 * The value as the schema gives it: for callers in the process, whom no route has checked.
 *
 * @throws Failure validation_failed.
 */
export function checked<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  field: string,
): z.output<Schema> {
  const result = checkInput(schema, value);
  if (result.ok) return result.value;
  throw validationFailed(
    result.violations.map((violation) => ({
      ...violation,
      field: violation.field === '' ? field : `${field}.${violation.field}`,
    })),
  );
}

function validationFailed(violations: readonly FieldViolation[]) {
  return problem('validation_failed', summariseViolations(violations), { violations });
}
