import type { FastifyInstance } from 'fastify';
import type { CampaignsPorts } from '../ports.ts';
import { type Confirmation, confirmSubscriber } from '../subscribers/confirm.ts';
import type { Tokens } from '../tokens.ts';
import { evidenceOf } from './evidence.ts';
import { html, type Page, sendPage, sendUnknown } from './page.ts';
import type { TokenParams } from './params.ts';

/** Double opt-in: the mail leads to a page with a button, since scanners open links, and only people press buttons. */

const VALID_SECONDS = 30 * 24 * 3_600;

export function mountConfirm(scope: FastifyInstance, ports: CampaignsPorts, tokens: Tokens): void {
  const subscriberOf = (token: string): string | null | 'expired' => {
    const read = tokens.readConfirm(token);
    if (read === null) return null;
    const ageSeconds = ports.clock.nowMicroseconds() / 1_000_000 - read.atSeconds;
    return ageSeconds > VALID_SECONDS ? 'expired' : read.subscriberId;
  };

  scope.get<TokenParams>('/p/confirm/:token', async (request, reply) => {
    const subscriberId = subscriberOf(request.params.token);
    if (subscriberId === null) return sendUnknown(reply);
    if (subscriberId === 'expired') return sendPage(reply, EXPIRED);
    return sendPage(reply, {
      title: 'Confirm your subscription',
      body: html`<p>One more step: say that it was you.</p>
<form method="post"><div class="actions"><button>Yes, send me these mails</button></div></form>`,
    });
  });

  scope.post<TokenParams>('/p/confirm/:token', async (request, reply) => {
    const subscriberId = subscriberOf(request.params.token);
    if (subscriberId === null) return sendUnknown(reply);
    if (subscriberId === 'expired') return sendPage(reply, EXPIRED);
    return sendPage(reply, pageAfter(await confirmSubscriber(ports, subscriberId, evidenceOf(request))));
  });
}

const EXPIRED: Page = {
  status: 410,
  title: 'This address is too old',
  body: html`<p>It was good for 30 days. Subscribe again to get a new one.</p>`,
};

function pageAfter(confirmation: Confirmation): Page {
  switch (confirmation.outcome) {
    case 'confirmed':
    case 'subscribed':
      return {
        title: 'You are subscribed',
        body: html`<p>You are on the list <b>${confirmation.list.name}</b>. Every mail has a link to leave it.</p>`,
      };
    case 'left':
      return {
        status: 409,
        title: 'You have left this list',
        body: html`<p>An old confirmation does not bring you back. Subscribe again to get a new one.</p>`,
      };
    case 'gone':
      return {
        status: 404,
        title: 'This list is gone',
        body: html`<p>There is nothing left to confirm.</p>`,
      };
  }
}
