import { randomUUID } from 'node:crypto';
import {
  checkOperationInput,
  restRequest,
  toolErrorBody,
  toolFailure,
  toolSuccess,
  validationFailure,
} from '@postern/http/mcp';
import { fail, inboxDialect } from '../errors.ts';
import type { InboxOperation } from '../operations/index.ts';
import { callHub, type HubAddress } from './hub-client.ts';

/**
 * Answers one tool call: the input is checked here, before anything leaves the process; then it is one HTTP
 * call to the hub, whose answer is passed on as it is.
 */
export async function callTool(
  hub: HubAddress,
  operation: InboxOperation,
  input: Record<string, unknown>,
  signal: AbortSignal,
) {
  const checked = checkOperationInput(operation, input, 'tool');
  if (!checked.ok) {
    return toolFailure(
      inboxDialect,
      validationFailure(inboxDialect, checked.violations, { surface: 'tool' }),
    );
  }
  // A key of its own for every call: should the hub or a proxy repeat the request, it is still sent once.
  const isKeyed = operation.http.headers !== undefined && 'idempotency-key' in operation.http.headers;
  const answer = await callHub(
    hub,
    restRequest(operation, checked.value),
    isKeyed ? { 'idempotency-key': randomUUID() } : {},
    signal,
  );
  if (answer.kind === 'unreachable') {
    const hint = isKeyed
      ? ' The message may have been sent: look at the channel before you send it again.'
      : '';
    return toolFailure(inboxDialect, fail('HUB_UNREACHABLE', `${answer.reason}${hint}`));
  }
  return answer.status < 400 ? toolSuccess(answer.body) : toolErrorBody(answer.body);
}
