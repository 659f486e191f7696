import { problem } from '@postern/http';
import { ATTRIBUTE_LIMITS } from './attributes.ts';

/** A change that would leave a subscriber with more attributes than one may have. */
export function tooLarge() {
  const message = `would be more than a subscriber may have: ${ATTRIBUTE_LIMITS.keys} of them, ${4 * ATTRIBUTE_LIMITS.characters} characters as JSON`;
  return problem('validation_failed', `attributes ${message}`, {
    violations: [{ field: 'attributes', code: 'too_many', message }],
  });
}
