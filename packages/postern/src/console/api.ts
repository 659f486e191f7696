import { type Call, type HostPolicy, type Log, mountOperations } from '@postern/http';
import type { ErrorDialect, Operation } from '@postern/kit';
import type { FastifyInstance } from 'fastify';
import { type AdminGate, refuseForeignPages } from '../hub/admin.ts';
import type { ConsoleContext, ConsoleRights } from './operation.ts';
import { createLoginLink } from './operations/create-login-link.ts';
import { getSession } from './operations/get-session.ts';
import { logIn } from './operations/log-in.ts';
import { logOut } from './operations/log-out.ts';

/** The console's own API under `/console/api`: logging in and out. All else it shows comes from the services' APIs. */

export const consoleOperations: readonly Operation<ConsoleContext, ConsoleRights>[] = [
  logIn,
  logOut,
  getSession,
  createLoginLink,
];

export interface ConsoleApiOptions extends HostPolicy {
  readonly dialect: ErrorDialect;
  readonly log: Log;
  readonly gate: AdminGate;
  readonly context: Omit<ConsoleContext, 'header'>;
}

/** A token and nothing else. */
const BODY_LIMIT = 4_096;

export function mountConsoleApi(app: FastifyInstance, options: ConsoleApiOptions): void {
  const { dialect, log, gate, context } = options;
  mountOperations(app, consoleOperations, {
    prefix: '/console/api',
    dialect,
    log,
    bodyLimit: BODY_LIMIT,
    async authenticate(request, { rights }) {
      if (rights === 'admin') await gate.require(request, dialect);
      // A stranger's page must neither log a browser in nor out; a program sends no Origin and holds no cookie.
      else if (request.headers.origin !== undefined || request.headers.cookie !== undefined) {
        refuseForeignPages(request, dialect, options);
      }
    },
    contextFor: ({ header }: Call<void, ConsoleContext, ConsoleRights>) => ({ ...context, header }),
  });
}
