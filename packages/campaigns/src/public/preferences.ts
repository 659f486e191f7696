import type { FastifyInstance, FastifyReply } from 'fastify';
import type { CampaignsPorts } from '../ports.ts';
import { subscribeAgain } from '../subscribers/confirm.ts';
import { unsubscribeEverywhere, unsubscribeFromList } from '../subscribers/unsubscribe.ts';
import type { Tokens } from '../tokens.ts';
import { type Choice, type Choices, choicesOf } from './choices.ts';
import { evidenceOf } from './evidence.ts';
import { formOf } from './forms.ts';
import { type Html, html, sendPage, sendSample, sendUnknown } from './page.ts';
import { SAMPLE, type TokenParams } from './params.ts';

/**
 * What somebody gets from a project: the lists they are on, to leave one by one or all at once, and those they left,
 * to come back to. A list that is not public shows only while they are on it.
 */

export function mountPreferences(scope: FastifyInstance, ports: CampaignsPorts, tokens: Tokens): void {
  scope.get<TokenParams>('/p/s/:token', async (request, reply) => {
    if (request.params.token === SAMPLE) return sendSample(reply);
    const subscriberId = tokens.readMail('preferences', request.params.token)?.subscriberId ?? null;
    if (subscriberId === null) return sendUnknown(reply);
    return sendChoices(reply, await choicesOf(ports, subscriberId), null);
  });

  scope.post<TokenParams>('/p/s/:token', async (request, reply) => {
    if (request.params.token === SAMPLE) return sendSample(reply);
    const mail = tokens.readMail('preferences', request.params.token);
    if (mail === null || mail.subscriberId === null) return sendUnknown(reply);
    const { campaignId, subscriberId } = mail;
    const form = formOf(request);
    const how = { source: 'preferences', reason: null, campaignId } as const;
    if (form.get('all') === 'none') {
      await unsubscribeEverywhere(ports, subscriberId, how);
      return sendChoices(
        reply,
        await choicesOf(ports, subscriberId),
        'You will get no mail at all any more.',
      );
    }
    const [shown, wanted] = [new Set(form.getAll('shown')), new Set(form.getAll('list'))];
    let isAllDone = true;
    const { lists } = await choicesOf(ports, subscriberId);
    const open = new Set(lists.map(({ listId }) => listId));
    // A page that stood open while they left a list elsewhere offers it still.
    if ([...wanted].some((listId) => shown.has(listId) && !open.has(listId))) isAllDone = false;
    for (const { listId, isOn } of lists) {
      // What was not on the page they saw was not theirs to choose.
      if (!shown.has(listId) || wanted.has(listId) === isOn) continue;
      if (isOn) await unsubscribeFromList(ports, subscriberId, listId, how);
      else isAllDone = (await subscribeAgain(ports, subscriberId, listId, evidenceOf(request))) && isAllDone;
    }
    const message = isAllDone
      ? 'Your choice is saved.'
      : 'Your choice is saved, but for lists you cannot be put back on.';
    return sendChoices(reply, await choicesOf(ports, subscriberId), message);
  });
}

const NO_MAIL = html`<button class="quiet" name="all" value="none">No mail at all</button>`;

function sendChoices(
  reply: FastifyReply,
  { lists, getsNone }: Choices,
  message: string | null,
): FastifyReply {
  const said = message === null ? html`` : html`<p role="status"><b>${message}</b></p>`;
  const noMail = getsNone ? html`` : NO_MAIL;
  if (lists.length === 0) {
    const rest = getsNone ? html`` : html`<form method="post"><div class="actions">${noMail}</div></form>`;
    return sendPage(reply, {
      title: 'What you get',
      body: html`${said}<p>There is no list left for you here.</p>
<p class="dim">To get mails again, write to whoever sent them.</p>
${rest}`,
    });
  }
  return sendPage(reply, {
    title: 'What you get',
    body: html`${said}<form method="post">
<fieldset><legend>Mails from these lists</legend>${lists.map(checkbox)}</fieldset>
<div class="actions"><button>Save</button>${noMail}</div>
</form>`,
  });
}

function checkbox({ listId, name, description, isOn }: Choice): Html {
  const checked = isOn ? html` checked` : html``;
  const detail = description === null ? html`` : html`<small>${description}</small>`;
  return html`<input type="hidden" name="shown" value="${listId}"><label><input type="checkbox" name="list" value="${listId}"${checked}><span>${name}${detail}</span></label>`;
}
