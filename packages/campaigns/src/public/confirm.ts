import type { FastifyInstance } from 'fastify';
import type { CampaignsPorts } from '../ports.ts';
import { type Confirmation, confirmSubscriber } from '../subscribers/confirm.ts';
import type { SubscriberStatus } from '../tables.ts';
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
    const asked = await askedFor(ports, subscriberId);
    if (asked === null) return sendPage(reply, pageAfter({ outcome: 'gone' }));
    if (asked.status === 'subscribed') return sendPage(reply, subscribedTo(asked.name));
    return sendPage(reply, {
      title: 'Confirm your subscription',
      body: html`<p>One more step: say that it was you who asked for the mails of <b>${asked.name}</b>.</p>
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

/** The list that a confirmation is about, and how the person stands to it; null when one of them is gone. */
async function askedFor(
  { store: { db } }: CampaignsPorts,
  subscriberId: string,
): Promise<{ name: string; status: SubscriberStatus } | null> {
  const row = await db
    .selectFrom('mail_subscribers')
    .innerJoin('mail_lists', 'mail_lists.list_id', 'mail_subscribers.list_id')
    .select(['mail_lists.name', 'status'])
    .where('subscriber_id', '=', subscriberId)
    .where('status', '!=', 'erased')
    .where('mail_lists.deleted_us', 'is', null)
    .executeTakeFirst();
  return row ?? null;
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
      return subscribedTo(confirmation.list.name);
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

function subscribedTo(list: string): Page {
  return {
    title: 'You are subscribed',
    body: html`<p>You are on the list <b>${list}</b>. Every mail has a link to leave it.</p>`,
  };
}
