import { SafeFetchError, safeFetch } from '@postern/http';
import { type InboxPorts, inboxDialect } from '@postern/inbox';
import { commonFailure, type Failure, failureFactory } from '@postern/kit';

/** Address, redirects and body together. */
const DEADLINE_MS = 30_000;

const fail = failureFactory(inboxDialect.catalogue);

/** Attachments that an agent names by address come through the guard that keeps inner networks out of reach. */
export const fetchAttachment: InboxPorts['fetchAttachment'] = async (address, field, maxBytes, signal) => {
  try {
    const answer = await safeFetch(address.href, { maxBytes, deadlineMs: DEADLINE_MS, signal });
    if (answer.status < 200 || answer.status > 299) {
      await answer.discard();
      throw refusal(field, `The server of the address answered with status ${answer.status}.`);
    }
    return withFailures(answer.body, field);
  } catch (error) {
    throw asFailure(error, field);
  }
};

/** The body breaks off in the same words as the request. */
async function* withFailures(body: AsyncIterable<Uint8Array>, field: string): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw asFailure(error, field);
  }
}

function asFailure(error: unknown, field: string): unknown {
  if (!(error instanceof SafeFetchError)) return error;
  if (error.fault === 'too_large')
    return fail('ATTACHMENT_TOO_LARGE_FOR_PLATFORM', `${field}: ${error.message}`);
  return refusal(field, error.message);
}

function refusal(field: string, message: string): Failure {
  return commonFailure(inboxDialect, 'validation', `${field}: ${message}`, {
    violations: [{ field, code: 'not_allowed', message }],
  });
}
