import { randomUUID } from 'node:crypto';
import { type HostPolicy, type Log, mountMcp, mountOperations, mountReference } from '@postern/http';
import type { ErrorDialect } from '@postern/kit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { authorize, type Identity, type InboxCredentials, identify } from './access/authenticate.ts';
import type { InboxCaller, InboxContext, InboxRights } from './context.ts';
import { fail, inboxDialect } from './errors.ts';
import type { Inbox } from './inbox.ts';
import { inboxOpenApi } from './openapi.ts';
import { inboxOperations } from './operations/index.ts';
import type { InboxPorts } from './ports.ts';
import { inboxInstructions, inboxServerInfo } from './server-info.ts';

export interface MountInboxOptions {
  readonly inbox: Inbox;
  readonly ports: Pick<InboxPorts, 'store' | 'clock'>;
  readonly credentials: InboxCredentials;
  readonly hosts: HostPolicy;
  readonly log: Log;
  /** Name of the operator whose console login came with a request, or null. Throws when it is misused. */
  operatorOf(request: FastifyRequest): Promise<string | null>;
  /** Dialect of HTTP errors at the MCP endpoint. */
  readonly httpDialect: ErrorDialect;
}

/** Paths the inbox answers at; its error dialect holds there. */
export const inboxPrefixes = [
  '/messages',
  '/attachments',
  '/typing',
  '/allowlist',
  '/agents',
  '/pairings',
  '/channels',
  '/webhooks',
  '/openapi.json',
  '/docs',
] as const;

/** Mounts the REST routes at the root and the MCP endpoint at /mcp/inbox. */
export function mountInbox(app: FastifyInstance, options: MountInboxOptions): void {
  const { inbox, ports, credentials, log } = options;

  async function authenticate(request: FastifyRequest, rights: InboxRights): Promise<InboxCaller> {
    const identity = await identify(ports, credentials, {
      authorization: request.headers.authorization,
      operator: await options.operatorOf(request),
      signed: rights.scope === 'attachment' && isSigned(request.query),
    });
    return authorize(identity, rights, header(request, 'x-agent-id'));
  }

  mountReference(app, {
    prefix: '',
    dialect: inboxDialect,
    document: () => inboxOpenApi(options.hosts.publicUrl()),
    authenticate: (request) => authenticate(request, { scope: 'any', agent: 'optional' }),
  });

  mountOperations<InboxContext, InboxRights, InboxCaller>(app, inboxOperations, {
    prefix: '',
    dialect: inboxDialect,
    log,
    authenticate: (request, { rights }) => authenticate(request, rights),
    contextFor: ({ caller, requestId, signal, closing, header }) => ({
      inbox,
      caller,
      requestId,
      signal,
      closing,
      header,
    }),
  });

  mountMcp<InboxContext, InboxRights, Identity>(app, {
    path: '/mcp/inbox',
    operations: inboxOperations.filter((operation) => operation.tool),
    info: inboxServerInfo,
    instructions: inboxInstructions,
    dialect: inboxDialect,
    httpDialect: options.httpDialect,
    hosts: options.hosts,
    log,
    async authenticate(request) {
      const identity = await identify(ports, credentials, {
        authorization: request.headers.authorization,
        operator: null,
        signed: false,
      });
      if (identity.kind === 'admin')
        throw fail('FORBIDDEN', 'The tools are for agents; an admin key does not open them.');
      return identity;
    },
    contextFor: ({ operation, caller, requestId, signal, closing, header }) => ({
      inbox,
      caller: authorize(caller, operation.rights, header('x-agent-id')),
      requestId,
      signal,
      closing,
      // A client sets its headers once for all calls, so a key among them would be no call's own.
      header: (name) => (name === 'idempotency-key' ? randomUUID() : undefined),
    }),
  });
}

function isSigned(query: unknown): boolean {
  return typeof query === 'object' && query !== null && 'signature' in query;
}

function header(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}
