import { type ErrorCatalogue, type ErrorDialect, type Failure, failureFactory } from '@postern/kit';

/** The inbox's error codes; names and statuses are part of the contract. */
export const inboxErrors = {
  UNAUTHORIZED: {
    status: 401,
    summary: 'The bearer token is missing or wrong. Send Authorization: Bearer <token>.',
  },
  AGENT_ID_REQUIRED: {
    status: 400,
    summary:
      'Unread and read state are kept per agent. Send X-Agent-ID, 1 to 64 letters, digits, dots, underscores or hyphens.',
  },
  VALIDATION_FAILED: {
    status: 422,
    summary: 'The input breaks the schema; details.errors names each field. Malformed JSON is status 400.',
  },
  FORBIDDEN: { status: 403, summary: 'The credential is good, and has no right to this operation or agent.' },
  CHANNEL_NOT_FOUND: {
    status: 404,
    summary: 'Nobody has written in that channel yet, and the operator has not added it.',
  },
  MESSAGE_NOT_FOUND: {
    status: 404,
    summary: 'No such message in that channel, or an attachment URL that the hub does not hold.',
  },
  ATTACHMENT_TOO_LARGE_FOR_PLATFORM: {
    status: 413,
    summary: 'The attachment is larger than the platform, or the hub, takes.',
  },
  IDEMPOTENCY_KEY_REUSE: {
    status: 422,
    summary: 'The key was used in the last 24 hours with another body. Use a fresh key.',
  },
  IDEMPOTENCY_IN_PROGRESS: {
    status: 409,
    summary: 'A send with this key is still running. Ask again after Retry-After.',
  },
  RATE_LIMITED: { status: 429, summary: 'Too many messages to this channel. Wait for Retry-After seconds.' },
  PLATFORM_AUTH: {
    status: 502,
    summary:
      'The platform refuses the hub: its credentials, or what they may do there. The message has what it said.',
  },
  PLATFORM_SEND_FAILED: {
    status: 502,
    summary: 'The platform did not take the message; details.delivery says failed, partial or unknown.',
  },
  PAYLOAD_TOO_LARGE: { status: 413, summary: 'The request body is larger than the hub takes.' },
  NOT_FOUND: { status: 404, summary: 'No such route or thing.' },
  METHOD_NOT_ALLOWED: { status: 405, summary: 'The route exists, with other methods; see the Allow header.' },
  HUB_UNREACHABLE: { status: 503, summary: 'The MCP server cannot reach the hub at AMC_BASE_URL.' },
  INTERNAL_ERROR: { status: 500, summary: 'A fault of the hub. Its log has the request id.' },
} as const satisfies ErrorCatalogue;

export type InboxCode = keyof typeof inboxErrors;

/** Builds an inbox failure: `throw fail('CHANNEL_NOT_FOUND', 'No channel local:x is known.')`. */
export const fail = failureFactory<InboxCode>(inboxErrors);

function envelope(failure: Failure): Record<string, unknown> {
  const details = {
    ...failure.details,
    ...(failure.violations.length > 0 ? { errors: failure.violations } : {}),
  };
  return {
    error: {
      code: failure.code,
      message: failure.message,
      status: failure.status,
      ...(Object.keys(details).length > 0 ? { details } : {}),
    },
  };
}

/** `{"error": {code, message, status, details?}}`, over HTTP and as a tool's error alike. */
export const inboxDialect: ErrorDialect<InboxCode> = {
  catalogue: inboxErrors,
  common: {
    malformed: 'VALIDATION_FAILED',
    validation: 'VALIDATION_FAILED',
    unauthorized: 'UNAUTHORIZED',
    forbidden: 'FORBIDDEN',
    not_found: 'NOT_FOUND',
    method_not_allowed: 'METHOD_NOT_ALLOWED',
    unsupported_media_type: 'VALIDATION_FAILED',
    too_large: 'PAYLOAD_TOO_LARGE',
    rate_limited: 'RATE_LIMITED',
    internal: 'INTERNAL_ERROR',
  },
  contentType: 'application/json; charset=utf-8',
  body: envelope,
  schema: {
    type: 'object',
    properties: {
      error: {
        type: 'object',
        properties: {
          code: { type: 'string', enum: Object.keys(inboxErrors) },
          message: { type: 'string' },
          status: { type: 'integer' },
          details: { type: 'object', additionalProperties: true },
        },
        required: ['code', 'message', 'status'],
        additionalProperties: false,
      },
    },
    required: ['error'],
    additionalProperties: false,
  },
  tool: (failure) => {
    const structured = envelope(failure);
    return { text: JSON.stringify(structured, null, 2), structured };
  },
};
