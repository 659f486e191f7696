import type { FastifyInstance, FastifyRequest } from 'fastify';

/**
 * Bodies of forms. One-click requests come as `application/x-www-form-urlencoded` or `multipart/form-data` (RFC 8058,
 * section 3.1); what is in them is one field, and nobody depends on it, so the second is taken as it is.
 */

const BODY_LIMIT = 65_536;

/** Takes any body on the routes of a scope; {@link formOf} reads it. */
export function acceptForms(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    '*',
    { parseAs: 'string', bodyLimit: BODY_LIMIT },
    async (_request: unknown, body: unknown) => body,
  );
}

/** The fields of a form; none for anything else. */
export function formOf(request: FastifyRequest): URLSearchParams {
  const { body, headers } = request;
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(headers['content-type'] ?? '');
  return new URLSearchParams(isForm && typeof body === 'string' ? body : '');
}

/** Longest text somebody can leave in a form. */
const LONGEST_TEXT = 500;

/** A field as a text on its own, without controls; null when it is empty. */
export function textOf(form: URLSearchParams, name: string): string | null {
  const text = (form.get(name) ?? '')
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .toWellFormed();
  return text === '' ? null : [...text].slice(0, LONGEST_TEXT).join('');
}
