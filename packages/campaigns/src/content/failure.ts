import { problem } from '@postern/http';
import { type FieldViolation, summariseViolations } from '@postern/kit';
import { ContentError } from './compile.ts';
import { TemplateError } from './template-error.ts';

/** Each error of a content as a violation of its field; the message ends with line and column. */
export function templateViolations({ errors }: ContentError): FieldViolation[] {
  return errors.map(({ field, message }) => ({ field, code: 'template_error', message }));
}

/** Runs what compiles or renders. @throws Failure precondition_failed with `template_error`. */
export async function tellingTemplateErrors<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    const content = error instanceof TemplateError ? new ContentError([error]) : error;
    if (!(content instanceof ContentError)) throw error;
    const violations = templateViolations(content);
    throw problem('precondition_failed', summariseViolations(violations), { violations });
  }
}
