import type { ErrorDialect } from '@postern/kit';

const catalogue = {
  invalid: { status: 400, summary: 'The arguments cannot be used.' },
  failed: { status: 500, summary: 'The call failed.' },
} as const;

/** Faults found before a tool runs, in the words of the tools: `{ok: false, reason}`. */
export const toolDialect: ErrorDialect<keyof typeof catalogue> = {
  catalogue,
  common: {
    malformed: 'invalid',
    validation: 'invalid',
    unauthorized: 'failed',
    forbidden: 'failed',
    not_found: 'invalid',
    method_not_allowed: 'invalid',
    unsupported_media_type: 'invalid',
    too_large: 'invalid',
    rate_limited: 'failed',
    internal: 'failed',
  },
  contentType: 'application/json',
  body: ({ message }) => ({ ok: false, reason: message }),
  schema: { type: 'object' },
  tool: ({ message }) => {
    const structured = { ok: false, reason: message };
    return { text: JSON.stringify(structured), structured };
  },
};
