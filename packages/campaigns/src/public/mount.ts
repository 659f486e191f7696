import { Failure } from '@postern/kit';
import type { FastifyInstance } from 'fastify';
import type { CampaignsPorts } from '../ports.ts';
import { tokensOf } from '../tokens.ts';
import { mountConfirm } from './confirm.ts';
import { acceptForms } from './forms.ts';
import { html, sendPage } from './page.ts';
import { mountPreferences } from './preferences.ts';
import { mountTracking } from './tracking.ts';
import { mountUnsubscribe } from './unsubscribe.ts';
import { mountViews } from './view.ts';

/** Mounts the pages under /p/, which are for people and their mailbox providers: no login, no cookies, no scripts. */
export function mountPublicPages(app: FastifyInstance, ports: CampaignsPorts): void {
  const tokens = tokensOf(ports.installationKey);
  app.register(async (scope) => {
    acceptForms(scope);
    scope.setErrorHandler((error, request, reply) => {
      // What is wrong with the request itself is told as everywhere.
      if (isRefusal(error)) throw error;
      const { id: requestId, routeOptions } = request;
      ports.log.error({ requestId, route: routeOptions.url, err: error }, 'a public page failed');
      return sendPage(reply, {
        status: 500,
        title: 'That did not work',
        body: html`<p>Please try again in a moment.</p>`,
      });
    });
    mountUnsubscribe(scope, ports, tokens);
    mountPreferences(scope, ports, tokens);
    mountConfirm(scope, ports, tokens);
    mountViews(scope, ports, tokens);
    mountTracking(scope, ports, tokens);
  });
}

function isRefusal(error: unknown): boolean {
  if (error instanceof Failure) return true;
  return error instanceof Error && 'statusCode' in error && Number(error.statusCode) < 500;
}
