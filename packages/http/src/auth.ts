import { createHash, timingSafeEqual } from 'node:crypto';

/** What stands between a request's header and a decision about it. Who may do what is each service's own. */

/** `token68` of RFC 9110: the characters a bearer may be made of (RFC 6750). */
const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*) *$/i;

/** The token of an `Authorization: Bearer …` field, or null when there is none that can be read. */
export function bearerToken(authorization: string | undefined): string | null {
  return authorization === undefined ? null : (BEARER.exec(authorization)?.[1] ?? null);
}

/** SHA-256 of a secret in lower-case hex: what is stored and looked up in its place. */
export function secretHash(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/**
 * Whether two secrets are the same, in a time that tells nothing about either: both are hashed first, so
 * that neither the first difference nor the length shows.
 */
export function secretsEqual(left: string, right: string): boolean {
  const digest = (secret: string) => createHash('sha256').update(secret).digest();
  return timingSafeEqual(digest(left), digest(right));
}
