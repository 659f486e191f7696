import {
  type Call,
  type HostPolicy,
  mountMcp,
  mountOperations,
  mountReference,
  problem,
} from '@postern/http';
import { type ErrorDialect, type FieldViolation, idPattern, summariseViolations } from '@postern/kit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { identify, mayCall, requireRight } from './auth.ts';
import type { Allowance, CampaignsCaller, CampaignsContext, CampaignsRights } from './context.ts';
import { futureViolations } from './future-times.ts';
import { withKeys } from './idempotency/keyed.ts';
import { API_PREFIX, campaignsOpenApi } from './openapi.ts';
import { type CampaignsOperation, campaignsOperations } from './operations/index.ts';
import { mountForOperators } from './operator-routes.ts';
import type { CampaignsPorts, Log } from './ports.ts';
import { projectOf } from './project-context.ts';
import { mountPublicPages } from './public/mount.ts';
import { RateLimit, UNCOUNTED } from './rate-limit.ts';
import { referenceViolations } from './references.ts';
import { campaignsInstructions, campaignsServerInfo } from './server-info.ts';
import { tellingTimeouts, withTimeouts } from './storage-timeout.ts';
import { readBulkSomewhere } from './workers/read-bulk.ts';

export interface MountCampaignsOptions {
  readonly ports: CampaignsPorts;
  readonly hosts: HostPolicy;
  readonly log: Log;
  /** problem+json. */
  readonly dialect: ErrorDialect;
  /** Name of the operator whose console login came with a request, or null. Throws when it is misused. */
  operatorOf(request: FastifyRequest): Promise<string | null>;
  /** Those of the folder unless a test has its own. */
  readonly operations?: readonly CampaignsOperation[];
}

const MCP_PATH = '/mcp';

/** One request's caller, and what the rate limit said of it. */
interface Visitor {
  readonly caller: CampaignsCaller;
  allowance: Allowance;
}

const isProjectId = (value: unknown) => typeof value === 'string' && idPattern('prj').test(value);

/** Mounts the REST routes under /api/v1, the MCP endpoint at /mcp, the public pages under /p/ and the operators' routes. */
export function mountCampaigns(app: FastifyInstance, options: MountCampaignsOptions): void {
  const { ports, log, dialect } = options;
  const operations = (options.operations ?? campaignsOperations).map(withTimeouts);
  const limit = new RateLimit(ports);

  const visit = async (request: FastifyRequest, operator: string | null): Promise<Visitor> => ({
    caller: await tellingTimeouts(() => identify(ports, request.headers.authorization, operator)),
    allowance: UNCOUNTED,
  });

  async function admit(reply: FastifyReply, visitor: Visitor, messages: number): Promise<void> {
    visitor.allowance = await tellingTimeouts(() => limit.admit(visitor.caller, reply, messages));
  }

  async function contextFor(
    call: Call<Visitor, CampaignsContext, CampaignsRights>,
  ): Promise<CampaignsContext> {
    const { operation, input, requestId, signal, header } = call;
    const { caller, allowance } = call.caller;
    requireRight(caller, operation.rights);
    const { project, references = {}, future = [] } = operation.rights;
    const { projectId, violations } =
      project === 'context'
        ? await tellingTimeouts(() => projectOf(ports, caller, input.project_id, isProjectId))
        : NO_PROJECT;
    const missing =
      projectId === null
        ? []
        : await tellingTimeouts(() => referenceViolations(ports, projectId, references, input));
    requireNone([...violations, ...missing, ...futureViolations(ports, future, input)]);
    return {
      ports,
      caller,
      projectId: projectId ?? '',
      dryRun: isDryRun(call),
      allowance,
      requestId,
      signal,
      header,
    };
  }

  mountPublicPages(app, ports);
  mountForOperators(app, options);

  mountReference(app, {
    prefix: API_PREFIX,
    dialect,
    document: () => campaignsOpenApi(options.hosts.publicUrl(), dialect),
  });

  mountOperations<CampaignsContext, CampaignsRights, Visitor>(app, withKeys(operations), {
    prefix: API_PREFIX,
    dialect,
    log,
    authenticate: async (request) => visit(request, await options.operatorOf(request)),
    admit: (_request, reply, visitor) => admit(reply, visitor, 1),
    readBulk: (operation, sent, signal) => readBulkSomewhere(ports, operation, sent, signal),
    contextFor,
  });

  mountMcp<CampaignsContext, CampaignsRights, Visitor>(app, {
    path: MCP_PATH,
    operations: operations.filter((operation) => operation.tool),
    info: campaignsServerInfo,
    instructions: campaignsInstructions,
    dialect,
    hosts: options.hosts,
    log,
    toolViolations: 'first_of_form',
    authenticate: (request) => visit(request, null),
    admit: (_request, reply, visitor, messages) => admit(reply, visitor, messages),
    sees: ({ caller }, { rights }) => mayCall(caller, rights),
    contextFor,
  });
}

const NO_PROJECT = { projectId: null, violations: [] };

/** What is wrong with values is told together. */
function requireNone(violations: readonly FieldViolation[]): void {
  if (violations.length === 0) return;
  throw problem('validation_failed', summariseViolations(violations), { violations });
}

/** REST does at once what it is asked unless `dry_run` is true; the tool only with `confirm: true`. */
function isDryRun({ operation, surface, input }: Call<Visitor, CampaignsContext, CampaignsRights>): boolean {
  const isConfirmed =
    operation.toolInput !== undefined && Object.hasOwn(operation.toolInput.shape, 'confirm');
  if (!isConfirmed) return false;
  return surface === 'rest' ? input.dry_run === true : input.confirm !== true;
}
