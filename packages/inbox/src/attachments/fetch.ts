import { SafeFetchError, safeFetch } from '@postern/http';
import { fail } from '../errors.ts';
import type { InboxPorts } from '../ports.ts';

/** Milliseconds the whole fetch may take, redirects and body included. */
const DEADLINE_MS = 30_000;

/**
 * Fetches an attachment of another server behind the address guard: public addresses only, whatever a name or a
 * redirect says. The body breaks off with the same failures as the request.
 */
export const fetchAttachment: InboxPorts['fetchAttachment'] = async (address, field, maxBytes, signal) => {
  try {
    const response = await safeFetch(address.href, { maxBytes, deadlineMs: DEADLINE_MS, signal });
    if (response.status < 200 || response.status > 299) {
      await response.discard();
      throw refusal(field, `The server of the address answered with status ${response.status}.`);
    }
    return withFailures(response.body, field);
  } catch (error) {
    throw asFailure(error, field);
  }
};

async function* withFailures(body: AsyncIterable<Uint8Array>, field: string): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw asFailure(error, field);
  }
}

function asFailure(error: unknown, field: string): unknown {
  if (!(error instanceof SafeFetchError)) return error;
  if (error.fault !== 'too_large') return refusal(field, error.message);
  return fail('ATTACHMENT_TOO_LARGE_FOR_PLATFORM', `${field}: ${error.message}`);
}

function refusal(field: string, message: string) {
  return fail('VALIDATION_FAILED', `${field}: ${message}`, {
    violations: [{ field, code: 'not_allowed', message }],
  });
}
