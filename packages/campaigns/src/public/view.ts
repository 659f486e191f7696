import type { FastifyInstance, FastifyReply } from 'fastify';
import { copies, launchedContent } from '../campaigns/launched.ts';
import { listIdsOf } from '../campaigns/shapes.ts';
import type { Recipient } from '../content/compiled.ts';
import { renderContent } from '../content/personalise.ts';
import { TemplateError } from '../content/template-error.ts';
import type { CampaignsPorts } from '../ports.ts';
import { answerTime } from '../shapes/common.ts';
import type { CampaignTable } from '../tables.ts';
import { type Tokens, tokensOf } from '../tokens.ts';
import { runInWorker, workerTask } from '../workers/task.ts';
import { archiveAddress } from './addresses.ts';
import { html, sendPage, sendSample, sendUnknown } from './page.ts';
import { SAMPLE, type TokenParams } from './params.ts';

/** Campaigns on the web: one person's copy, and the archive of public lists, which knows nobody. */

/** Mails bring their own styles and pictures; nothing in them runs, sends or frames. */
const MAIL_POLICY = [
  "default-src 'none'",
  'img-src http: https: data:',
  "style-src 'unsafe-inline' http: https:",
  'font-src http: https: data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  'sandbox allow-popups allow-popups-to-escape-sandbox allow-top-navigation-by-user-activation',
].join('; ');

interface Shown {
  readonly subject: string;
  readonly html: string | null;
  readonly text: string | null;
}

/** What a template renders may take its time, so it is rendered on a thread; null when it can't be shown. */
export const viewTask = workerTask(
  import.meta.url,
  'viewTask',
  async (
    ports,
    { campaignId, subscriberId }: { campaignId: string; subscriberId: string | null },
  ): Promise<Shown | null> => {
    const campaign = await ports.store.db
      .selectFrom('mail_campaigns')
      .selectAll()
      .where('campaign_id', '=', campaignId)
      .executeTakeFirst();
    if (!campaign || campaign.content_json === null) return null;
    const recipient =
      subscriberId === null ? nobody(campaign) : await somebody(ports, campaign, subscriberId);
    if (recipient === null) return null;
    const { content } = launchedContent(campaign);
    try {
      // Who is nobody has no attributes, and a person's may have gone since.
      return renderContent({ ...content, strict: false }, recipient);
    } catch (error) {
      if (error instanceof TemplateError) return null;
      throw error;
    }
  },
);

async function somebody(
  ports: CampaignsPorts,
  campaign: CampaignTable,
  subscriberId: string,
): Promise<Recipient | null> {
  const row = await ports.store.db
    .selectFrom('mail_subscribers')
    .selectAll()
    .where('subscriber_id', '=', subscriberId)
    .where('project_id', '=', campaign.project_id)
    .executeTakeFirst();
  if (!row || row.email === null) return null;
  const copyFor = copies(
    launchedContent(campaign),
    campaign,
    ports.publicUrl(),
    tokensOf(ports.installationKey),
  );
  const { recipient } = copyFor({
    subscriberId,
    listId: row.list_id,
    email: row.email,
    name: row.name,
    attributes: JSON.parse(row.attributes_json),
  });
  return { ...recipient, tracking: null };
}

function nobody(campaign: CampaignTable): Recipient {
  const { campaign: about, project, lists } = launchedContent(campaign);
  return {
    variables: {
      subscriber: { email: '', name: null, attributes: {} },
      campaign: about,
      list: { name: Object.values(lists)[0] ?? '' },
      project,
      unsubscribe_url: '',
      preferences_url: '',
      view_url: '',
    },
    tracking: null,
  };
}

/** The archive shows so many of the latest campaigns. */
const MOST_IN_ARCHIVE = 100;

export function mountViews(scope: FastifyInstance, ports: CampaignsPorts, tokens: Tokens): void {
  const { db } = ports.store;

  scope.get<TokenParams>('/p/v/:token', async (request, reply) => {
    if (request.params.token === SAMPLE) return sendSample(reply);
    const mail = tokens.readMail('view', request.params.token);
    const shown = mail?.subscriberId ? await runInWorker(ports, viewTask, mail) : null;
    return sendMail(reply, shown);
  });

  const publicList = (listId: string) =>
    db
      .selectFrom('mail_lists')
      .innerJoin('mail_projects', 'mail_projects.project_id', 'mail_lists.project_id')
      .select(['list_id', 'mail_lists.project_id', 'mail_lists.name', 'mail_lists.description'])
      .where('list_id', '=', listId)
      .where('public', '=', 1)
      .where('mail_lists.deleted_us', 'is', null)
      .where('mail_projects.deleted_us', 'is', null)
      .executeTakeFirst();

  /** What went to the whole list; what was meant for some of it stays with them. */
  const archived = (list: { list_id: string; project_id: string }) =>
    db
      .selectFrom('mail_campaigns')
      .selectAll()
      .where('project_id', '=', list.project_id)
      .where('state', 'in', ['running', 'paused', 'finished'])
      .where('segment_id', 'is', null)
      .where('content_json', 'is not', null)
      .where('list_ids_json', 'like', `%"${list.list_id}"%`);

  scope.get<{ Params: { list: string } }>('/p/archive/:list', async (request, reply) => {
    const list = await publicList(request.params.list);
    if (!list) return sendUnknown(reply);
    const campaigns = await archived(list).orderBy('campaign_id', 'desc').limit(MOST_IN_ARCHIVE).execute();
    const entries = campaigns.map((campaign) => {
      const at = answerTime(campaign.launched_us ?? campaign.created_us);
      const title = subjectOf(campaign);
      return html`<li><a href="${archiveAddress('', list.list_id, campaign.campaign_id)}">${title}</a> <time datetime="${at}">${at.slice(0, 10)}</time></li>`;
    });
    const description = list.description === null ? html`` : html`<p class="dim">${list.description}</p>`;
    const body = entries.length === 0 ? html`<p>Nothing was sent yet.</p>` : html`<ul>${entries}</ul>`;
    return sendPage(reply, { title: list.name, body: html`${description}${body}` });
  });

  scope.get<{ Params: { list: string; campaign: string } }>(
    '/p/archive/:list/:campaign',
    async (request, reply) => {
      const list = await publicList(request.params.list);
      const campaign =
        list && (await archived(list).where('campaign_id', '=', request.params.campaign).executeTakeFirst());
      if (!campaign || !listIdsOf(campaign).includes(request.params.list)) return sendUnknown(reply);
      const { campaign_id: campaignId } = campaign;
      return sendMail(reply, await runInWorker(ports, viewTask, { campaignId, subscriberId: null }));
    },
  );
}

/** The subject as nobody gets it: what is fixed in it. */
function subjectOf(campaign: CampaignTable): string {
  const { content } = launchedContent(campaign);
  const fixed = content.subject.map((piece) => (typeof piece === 'string' ? piece : '…')).join('');
  return fixed.trim() === '' ? campaign.name : fixed.trim();
}

function sendMail(reply: FastifyReply, shown: Shown | null): FastifyReply {
  if (shown === null) return sendUnknown(reply);
  if (shown.html === null) {
    return reply
      .type('text/plain; charset=utf-8')
      .headers({ 'cache-control': 'no-store', 'x-robots-tag': 'noindex', 'referrer-policy': 'no-referrer' })
      .send(shown.text ?? '');
  }
  return reply
    .type('text/html; charset=utf-8')
    .headers({
      'content-security-policy': MAIL_POLICY,
      'cache-control': 'no-store',
      'x-robots-tag': 'noindex',
      'referrer-policy': 'no-referrer',
    })
    .send(shown.html);
}
