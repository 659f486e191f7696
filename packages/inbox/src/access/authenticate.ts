import { bearerToken, secretsEqual } from '@postern/http';
import type { InboxCaller, InboxRights, InboxScope } from '../context.ts';
import { agentIdPattern } from '../envelope.ts';
import { fail } from '../errors.ts';
import type { InboxPorts } from '../ports.ts';
import { findToken } from './tokens.ts';

export interface InboxCredentials {
  /** AMC_BEARER_TOKEN: every agent route, as whichever agent X-Agent-ID names. */
  readonly bearer: string;
  /** Who acts as operator with this secret (`bootstrap`, a key's id), or null when it is no admin key. */
  adminOf(secret: string): Promise<string | null>;
}

/** Whose credential came with a request, before it is known what for. */
export interface Identity {
  readonly kind: InboxCaller['kind'];
  readonly credential: string;
  /** The agent a token is bound to. */
  readonly boundAgent: string | null;
  readonly scopes: readonly InboxScope[];
}

const CHALLENGE = { 'www-authenticate': 'Bearer realm="postern"' };

/**
 * Who asks.
 *
 * @param given `operator` is the name of a console login that was already checked, `signed` whether the
 *   address carries a signature that may stand in for a bearer.
 * @throws Failure UNAUTHORIZED when nobody known does.
 */
export async function identify(
  ports: Pick<InboxPorts, 'store' | 'clock'>,
  credentials: InboxCredentials,
  given: { authorization: string | undefined; operator: string | null; signed: boolean },
): Promise<Identity> {
  if (given.authorization === undefined) {
    if (given.operator !== null)
      return { kind: 'admin', credential: given.operator, boundAgent: null, scopes: [] };
    if (given.signed) return { kind: 'signature', credential: 'signature', boundAgent: null, scopes: [] };
    throw fail('UNAUTHORIZED', 'Send Authorization: Bearer <token>.', { headers: CHALLENGE });
  }
  const secret = bearerToken(given.authorization);
  if (secret !== null) {
    if (secretsEqual(secret, credentials.bearer)) {
      return { kind: 'bearer', credential: 'bearer', boundAgent: null, scopes: ['read', 'send'] };
    }
    const operator = await credentials.adminOf(secret);
    if (operator !== null) return { kind: 'admin', credential: operator, boundAgent: null, scopes: [] };
    const token = await findToken(ports, secret);
    if (token)
      return { kind: 'token', credential: token.token_id, boundAgent: token.agent_id, scopes: token.scopes };
  }
  throw fail('UNAUTHORIZED', 'The bearer token is wrong or revoked.', { headers: CHALLENGE });
}

/**
 * Whether somebody known may use an operation of these rights, and as which agent. An agent's credentials
 * never open the operator's routes, and the operator's never the agents'.
 *
 * @param agentId the X-Agent-ID header as it came.
 * @throws Failure FORBIDDEN, AGENT_ID_REQUIRED, UNAUTHORIZED (a signature anywhere but at its attachment) or
 *   VALIDATION_FAILED (malformed X-Agent-ID).
 */
export function authorize(identity: Identity, rights: InboxRights, agentId: string | undefined): InboxCaller {
  const { kind, credential } = identity;
  if (kind === 'signature') {
    if (rights.scope === 'attachment') return { kind, credential, agentId: null };
    throw fail('UNAUTHORIZED', 'Send Authorization: Bearer <token>.', { headers: CHALLENGE });
  }
  if (kind === 'admin') {
    if (rights.scope === 'read' || rights.scope === 'send') {
      throw fail(
        'FORBIDDEN',
        'This route is for agents; an admin key does not open it. Use AMC_BEARER_TOKEN or an agent token.',
      );
    }
    checkAgentId(agentId);
    return { kind, credential, agentId: null };
  }
  if (rights.scope === 'admin')
    throw fail('FORBIDDEN', "This route is the operator's; it takes an admin key.");
  const needed = rights.scope === 'attachment' ? 'read' : rights.scope;
  if (needed !== 'any' && !identity.scopes.includes(needed)) {
    throw fail('FORBIDDEN', `This token has no ${needed} scope.`);
  }
  return { kind, credential, agentId: agentOf(identity, rights, agentId) };
}

function checkAgentId(given: string | undefined): void {
  if (given === undefined || agentIdPattern.test(given)) return;
  const message = 'must be 1 to 64 letters, digits, dots, underscores or hyphens';
  throw fail('VALIDATION_FAILED', `X-Agent-ID ${message}.`, {
    violations: [{ field: 'X-Agent-ID', code: 'invalid_format', message }],
  });
}

function agentOf(identity: Identity, rights: InboxRights, given: string | undefined): string | null {
  checkAgentId(given);
  const { boundAgent } = identity;
  if (boundAgent !== null && given !== undefined && given !== boundAgent) {
    throw fail('FORBIDDEN', `This token belongs to the agent ${boundAgent}; it cannot act as another.`);
  }
  const agentId = boundAgent ?? given ?? null;
  if (agentId === null && rights.agent === 'required') {
    throw fail('AGENT_ID_REQUIRED', 'Unread state is kept per agent: send X-Agent-ID.');
  }
  return agentId;
}
