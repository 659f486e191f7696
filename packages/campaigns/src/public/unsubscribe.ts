import type { FastifyInstance } from 'fastify';
import type { CampaignsPorts } from '../ports.ts';
import { unsubscribeFromCampaign } from '../subscribers/unsubscribe.ts';
import type { Tokens } from '../tokens.ts';
import { choicesOf } from './choices.ts';
import { formOf, textOf } from './forms.ts';
import { html, sendPage, sendSample, sendUnknown } from './page.ts';
import { SAMPLE, type TokenParams } from './params.ts';
import { senderNameOf } from './sender-name.ts';

/**
 * Unsubscribing (RFC 8058): a POST does it at once, with no cookie, no login and no redirect; a GET only asks, since
 * anybody who scans a mail opens what is in it. Repeats are harmless, and nothing is said of whom we do not know.
 */
export function mountUnsubscribe(scope: FastifyInstance, ports: CampaignsPorts, tokens: Tokens): void {
  // Somebody who reads several newsletters has to see which one they leave.
  const fromSender = async (campaignId: string) => {
    const name = await senderNameOf(ports, campaignId);
    return name === null ? html`` : html` from <b>${name}</b>`;
  };

  scope.get<TokenParams>('/p/u/:token', async (request, reply) => {
    if (request.params.token === SAMPLE) return sendSample(reply);
    const mail = tokens.readMail('unsubscribe', request.params.token);
    if (mail === null) return sendUnknown(reply);
    return sendPage(reply, {
      title: 'Unsubscribe?',
      body: html`<p>You will get no more mails of this kind${await fromSender(mail.campaignId)}.</p>
<form method="post"><div class="actions"><button>Unsubscribe</button></div></form>`,
    });
  });

  scope.post<TokenParams>('/p/u/:token', async (request, reply) => {
    if (request.params.token === SAMPLE) return sendSample(reply);
    const mail = tokens.readMail('unsubscribe', request.params.token);
    if (mail === null || mail.subscriberId === null) return sendUnknown(reply);
    const { campaignId, subscriberId } = mail;
    const reason = textOf(formOf(request), 'reason');
    await unsubscribeFromCampaign(ports, { campaignId, subscriberId }, { source: 'one_click', reason });
    const preferences = html`<a href="/p/s/${tokens.mail('preferences', mail)}">`;
    const { lists, getsNone } = await choicesOf(ports, subscriberId);
    // Nothing is promised that the page it leads to does not have.
    const next =
      lists.length > 0
        ? html`Was that a mistake, or is there more to leave? ${preferences}Choose what you get</a>.`
        : html`To get them again, write to whoever sent them.${getsNone ? html`` : html` You can also ${preferences}choose to get no mail at all</a>.`}`;
    return sendPage(reply, {
      title: 'You are unsubscribed',
      body: html`<p>There will be no more mails of this kind${await fromSender(campaignId)}; one that is on its way already may still arrive.</p>
<p class="dim">${next}</p>`,
    });
  });
}
