import type { FastifyInstance, FastifyReply } from 'fastify';
import { launchedContent } from '../campaigns/launched.ts';
import type { ClickDetails } from '../campaigns/report.ts';
import { coalesce } from '../engine/send/coalesce.ts';
import { isOneOf } from '../engine/sql.ts';
import type { CampaignsPorts, CampaignsTransaction } from '../ports.ts';
import { lockSuppressions } from '../suppressions/lock.ts';
import type { MailToken, Tokens } from '../tokens.ts';
import { sendUnknown } from './page.ts';
import type { TokenParams } from './params.ts';

/** Opens and clicks. Only a GET counts; a HEAD is somebody who checks addresses. */

/** A transparent GIF of one pixel. */
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

interface Reaction extends MailToken {
  readonly projectId: string;
  readonly type: 'opened' | 'clicked';
  readonly details: ClickDetails | null;
}

interface Tracked {
  readonly projectId: string;
  readonly links: readonly string[];
}

export function mountTracking(scope: FastifyInstance, ports: CampaignsPorts, tokens: Tokens): void {
  const record = coalesce((reactions: readonly Reaction[]) => insertReactions(ports, reactions));
  const trackedOf = trackedCampaigns(ports);

  scope.get<TokenParams>('/p/o/:token', async (request, reply) => {
    const mail = tokens.readMail('open', request.params.token.replace(/\.gif$/, ''));
    const tracked = mail && (await trackedOf(mail.campaignId));
    if (mail && tracked && request.method === 'GET') {
      await record({ ...mail, projectId: tracked.projectId, type: 'opened', details: null });
    }
    return reply.type('image/gif').header('cache-control', 'no-store').send(PIXEL);
  });

  scope.get<{ Params: { token: string; link: string } }>('/p/c/:token/:link', async (request, reply) => {
    const mail = tokens.readMail('click', request.params.token);
    const tracked = mail && (await trackedOf(mail.campaignId));
    const link = /^\d{1,4}$/.test(request.params.link) ? Number(request.params.link) : -1;
    const url = tracked?.links[link];
    if (!mail || !tracked || url === undefined) return sendUnknown(reply);
    if (request.method === 'GET') {
      await record({ ...mail, projectId: tracked.projectId, type: 'clicked', details: { link } });
    }
    return redirect(reply, url);
  });

  // A link made for one person carries its address along, so it may be longer than a parameter.
  scope.get<{ Params: { '*': string } }>('/p/l/*', async (request, reply) => {
    const found = tokens.readLink(request.params['*']);
    const tracked = found && (await trackedOf(found.campaignId));
    if (!found || !tracked) return sendUnknown(reply);
    const { url, ...mail } = found;
    if (request.method === 'GET') {
      await record({ ...mail, projectId: tracked.projectId, type: 'clicked', details: { url } });
    }
    return redirect(reply, url);
  });
}

/** The address byte for byte, in UTF-8, which is how browsers read it. */
function redirect(reply: FastifyReply, url: string): FastifyReply {
  const sendable = url.replace(/\p{Cc}/gu, (control) => encodeURIComponent(control));
  return reply
    .code(302)
    .header('location', Buffer.from(sendable).toString('latin1'))
    .header('cache-control', 'no-store')
    .header('referrer-policy', 'no-referrer')
    .send();
}

/** Campaigns that are remembered; their content is fixed once they were launched. */
const REMEMBERED = 200;

/** Reads what tracking needs of a campaign, and keeps that of the latest ones. */
function trackedCampaigns({ store }: CampaignsPorts): (campaignId: string) => Promise<Tracked | null> {
  const known = new Map<string, Tracked>();
  return async (campaignId) => {
    const found = known.get(campaignId);
    if (found !== undefined) return found;
    const row = await store.db
      .selectFrom('mail_campaigns')
      .select(['campaign_id', 'project_id', 'content_json', 'launched_us'])
      .where('campaign_id', '=', campaignId)
      .executeTakeFirst();
    if (!row || row.content_json === null) return null;
    const tracked: Tracked = { projectId: row.project_id, links: launchedContent(row).content.links };
    // A scheduled campaign may still be changed; no mail of it is out.
    if (row.launched_us !== null) {
      known.set(campaignId, tracked);
      if (known.size > REMEMBERED) known.delete(known.keys().next().value ?? '');
    }
    return tracked;
  };
}

/** A link that was made for a person is noted only with that person: not of nobody in particular, nor once erased. */
async function insertReactions(ports: CampaignsPorts, reactions: readonly Reaction[]): Promise<undefined[]> {
  const { store, clock, newId } = ports;
  const now = clock.nowMicroseconds();
  const row = ({ projectId, campaignId, subscriberId, type, details }: Reaction) => ({
    event_id: newId('evt'),
    project_id: projectId,
    campaign_id: campaignId,
    subscriber_id: subscriberId,
    type,
    details_json: JSON.stringify(details ?? {}),
    at_us: now,
  });
  const [telling, plain] = [reactions.filter(tellsOfPerson), reactions.filter((one) => !tellsOfPerson(one))];
  if (plain.length > 0) await store.db.insertInto('mail_events').values(plain.map(row)).execute();
  if (telling.length > 0) {
    await store.transaction(async (tx) => {
      // So that nobody is erased between the look and the writing.
      for (const projectId of [...new Set(telling.map((one) => one.projectId))].sort()) {
        await lockSuppressions(tx, ports, projectId, 'shared');
      }
      const known = await peopleAmong(tx, ports, telling);
      const rows = telling.map((one) =>
        row(known.has(one.subscriberId ?? '') ? one : { ...one, details: null }),
      );
      await tx.insertInto('mail_events').values(rows).execute();
    });
  }
  return reactions.map(() => undefined);
}

/** A link that was made for one person may say who they are. */
function tellsOfPerson({ details }: Reaction): boolean {
  return details !== null && 'url' in details;
}

/** Those who were not erased. */
async function peopleAmong(
  tx: CampaignsTransaction,
  { store }: CampaignsPorts,
  reactions: readonly Reaction[],
): Promise<ReadonlySet<string>> {
  const ids = [...new Set(reactions.flatMap((one) => one.subscriberId ?? []))];
  const rows = await tx
    .selectFrom('mail_subscribers')
    .select('subscriber_id')
    .where(isOneOf(store.engine, 'subscriber_id', ids))
    .where('status', '!=', 'erased')
    .execute();
  return new Set(rows.map((row) => row.subscriber_id));
}
