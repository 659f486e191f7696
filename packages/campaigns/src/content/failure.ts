import { problem } from '@postern/http';
import { type FieldViolation, summariseViolations } from '@postern/kit';
import { ContentError } from './compile.ts';

/** Each error of a content as a violation of its field; the message ends with line and column. */
export function templateViolations({ errors }: ContentError): FieldViolation[] {
  return errors.map(({ field, message }) => ({ field, code: 'template_error', message }));
}

/** Runs what compiles or renders. @throws Failure precondition_failed with `template_error`. */
export async function tellingTemplateErrors<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ContentError)) throw error;
    const violations = templateViolations(error);
    throw problem('precondition_failed', summariseViolations(violations), { violations });
  }
}
