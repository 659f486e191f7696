import { bearerToken, type HostPolicy, isSameOrigin } from '@postern/http';
import { commonFailure, type ErrorDialect } from '@postern/kit';
import type { FastifyRequest } from 'fastify';
import { isSession, type SessionPorts } from '../console/sessions.ts';
import { readCookie, SESSION_COOKIE } from './cookies.ts';

/** Who acts as the operator: the holder of an admin key, or a person logged in to the console. */

export interface AdminGate {
  /** Name of the admin key that a secret is, or null. */
  adminOf(secret: string): Promise<string | null>;
  /** Name of the console login that came with a request, or null. @throws Failure forbidden when it is misused. */
  loginOf(request: FastifyRequest, dialect: ErrorDialect): Promise<string | null>;
  /** Whoever may act as operator. @throws Failure unauthorized when nobody does. */
  require(request: FastifyRequest, dialect: ErrorDialect): Promise<string>;
}

export interface AdminGateOptions extends HostPolicy {
  /** Name of the admin key that a secret is, or null. */
  adminOf(secret: string): Promise<string | null>;
  readonly sessions: Pick<SessionPorts, 'store' | 'clock'>;
}

/** Methods that change nothing, which a browser may send without saying where from. */
const SAFE_METHODS = new Set(['GET', 'HEAD']);

/**
 * A cookie travels by itself, so a request that rests on one must come from our own pages: never across
 * sites, and with our own Origin where it changes something. With `Authorization` the cookie does not count.
 */
export function adminGate(options: AdminGateOptions): AdminGate {
  const { adminOf, sessions } = options;

  async function loginOf(request: FastifyRequest, dialect: ErrorDialect): Promise<string | null> {
    if (request.headers.authorization !== undefined) return null;
    const cookie = readCookie(request.headers.cookie, SESSION_COOKIE);
    if (cookie === null || !(await isSession(sessions, cookie))) return null;
    refuseForeignPages(request, dialect, options);
    return 'console';
  }

  return {
    adminOf,
    loginOf,
    async require(request, dialect) {
      const key = bearerToken(request.headers.authorization);
      const operator = key === null ? await loginOf(request, dialect) : await adminOf(key);
      if (operator !== null) return operator;
      throw commonFailure(
        dialect,
        'unauthorized',
        'An admin key as bearer, or a login to the console, is needed.',
      );
    },
  };
}

/** @throws Failure forbidden when a browser sent the request for a page that is not ours. */
export function refuseForeignPages(request: FastifyRequest, dialect: ErrorDialect, policy: HostPolicy): void {
  const { headers, method } = request;
  const safe = SAFE_METHODS.has(method);
  const foreign =
    headers['sec-fetch-site'] === 'cross-site' ||
    (headers.origin === undefined ? !safe : !isSameOrigin(headers.origin, headers.host, policy));
  if (foreign) {
    throw commonFailure(dialect, 'forbidden', "A login counts only for requests of the console's own pages.");
  }
}
