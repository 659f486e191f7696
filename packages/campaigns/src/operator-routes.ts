import { mountOperations } from '@postern/http';
import type { Operation } from '@postern/kit';
import type { FastifyInstance } from 'fastify';
import { identify, requireRight } from './auth.ts';
import type { CampaignsCaller, CampaignsContext, CampaignsRights } from './context.ts';
import type { MountCampaignsOptions } from './mount.ts';
import { UNCOUNTED } from './rate-limit.ts';
import { historyOperations } from './subscribers/history-routes.ts';
import { capturedOperations } from './transports/captured-routes.ts';

/** Routes for operators and their console, beside the API: no tools, and not under the rate limit. */
const groups: readonly {
  readonly prefix: string;
  readonly operations: readonly Operation<CampaignsContext, CampaignsRights>[];
}[] = [
  { prefix: '/captured/api', operations: capturedOperations },
  { prefix: '/campaigns/api', operations: historyOperations },
];

export function mountForOperators(
  app: FastifyInstance,
  { ports, dialect, log, operatorOf }: Omit<MountCampaignsOptions, 'hosts' | 'operations'>,
): void {
  for (const { prefix, operations } of groups) {
    mountOperations<CampaignsContext, CampaignsRights, CampaignsCaller>(app, operations, {
      prefix,
      dialect,
      log,
      authenticate: async (request) =>
        identify(ports, request.headers.authorization, await operatorOf(request)),
      async contextFor({ operation: called, caller, requestId, signal, header }) {
        requireRight(caller, called.rights);
        return {
          ports,
          caller,
          projectId: '',
          dryRun: false,
          allowance: UNCOUNTED,
          requestId,
          signal,
          header,
        };
      },
    });
  }
}
