import { newWebhookSecret, problem } from '@postern/http';
import { forUpdate } from '@postern/store';
import { recordAct } from '../audit.ts';
import type { CampaignsDatabase } from '../engine/ports.ts';
import { type Page, page } from '../paging.ts';
import type { CampaignsPorts } from '../ports.ts';
import { seal } from '../seal.ts';
import type { WebhookTable } from '../tables.ts';
import type { WebhookEvent } from './events.ts';
import { type WebhookAnswer, webhookAnswer } from './shapes.ts';

/** Addresses that a project's events are posted to. */

export interface WebhookFields {
  readonly url: string;
  readonly events: readonly WebhookEvent[];
  readonly enabled: boolean;
}

export type WebhookPatch = { readonly [Field in keyof WebhookFields]?: WebhookFields[Field] | undefined };

/** Makes a webhook and its secret, which is shown this once. */
export async function createWebhook(
  ports: CampaignsPorts,
  actor: string,
  projectId: string,
  fields: WebhookFields,
): Promise<WebhookAnswer> {
  const now = ports.clock.nowMicroseconds();
  const secret = newWebhookSecret(ports.random);
  const row: WebhookTable = {
    webhook_id: ports.newId('whk'),
    project_id: projectId,
    ...columnsOf(fields),
    secret_sealed: seal(ports, 'webhook', secret),
    created_us: now,
    updated_us: now,
  };
  await ports.store.transaction(async (tx) => {
    await tx.insertInto('mail_webhooks').values(row).execute();
    await recordAct(tx, ports, { actor, action: 'create_webhook', target: row.webhook_id });
  });
  return webhookAnswer(row, secret);
}

/** Oldest first. */
export async function pageOfWebhooks(
  { store }: CampaignsPorts,
  projectId: string,
  request: { limit: number; cursor?: string | undefined },
): Promise<Page<WebhookAnswer>> {
  const { rows, next_cursor } = await page(
    request,
    'whk',
    ({ after, limit }) =>
      store.db
        .selectFrom('mail_webhooks')
        .selectAll()
        .where('project_id', '=', projectId)
        .where('webhook_id', '>', after ?? '')
        .orderBy('webhook_id')
        .limit(limit)
        .execute(),
    (row) => row.webhook_id,
  );
  return { rows: rows.map((row) => webhookAnswer(row)), next_cursor };
}

/** @throws Failure not_found. */
export async function getWebhook(
  { store }: CampaignsPorts,
  projectId: string,
  webhookId: string,
): Promise<WebhookAnswer> {
  return webhookAnswer(await requireWebhook(store.db, projectId, webhookId));
}

/** @throws Failure not_found. */
export async function updateWebhook(
  ports: CampaignsPorts,
  actor: string,
  projectId: string,
  webhookId: string,
  patch: WebhookPatch,
): Promise<WebhookAnswer> {
  return ports.store.transaction(async (tx) => {
    const found = await forUpdate(tx, byId(tx, projectId, webhookId)).executeTakeFirst();
    if (!found) throw noWebhook(webhookId);
    const change = columnsOf(patch);
    if (Object.keys(change).length === 0) return webhookAnswer(found);
    const row = { ...found, ...change, updated_us: ports.clock.nowMicroseconds() };
    await tx.updateTable('mail_webhooks').set(row).where('webhook_id', '=', webhookId).execute();
    const details = { fields: Object.keys(change) };
    await recordAct(tx, ports, { actor, action: 'update_webhook', target: webhookId, details });
    return webhookAnswer(row);
  });
}

/** Deletes a webhook; what was still on its way to it is not delivered. @throws Failure not_found. */
export async function deleteWebhook(
  ports: CampaignsPorts,
  actor: string,
  projectId: string,
  webhookId: string,
): Promise<{ effect: string }> {
  return ports.store.transaction(async (tx) => {
    const gone = await tx
      .deleteFrom('mail_webhooks')
      .where('project_id', '=', projectId)
      .where('webhook_id', '=', webhookId)
      .returning('url')
      .executeTakeFirst();
    if (!gone) throw noWebhook(webhookId);
    await recordAct(tx, ports, { actor, action: 'delete_webhook', target: webhookId });
    return { effect: `Deleted the webhook to ${new URL(gone.url).host}; nothing more is sent there.` };
  });
}

/** @throws Failure not_found. */
export async function requireWebhook(
  db: CampaignsDatabase,
  projectId: string,
  webhookId: string,
): Promise<WebhookTable> {
  const row = await byId(db, projectId, webhookId).executeTakeFirst();
  if (!row) throw noWebhook(webhookId);
  return row;
}

function byId(db: CampaignsDatabase, projectId: string, webhookId: string) {
  return db
    .selectFrom('mail_webhooks')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('webhook_id', '=', webhookId);
}

function noWebhook(webhookId: string) {
  return problem('not_found', `There is no webhook ${webhookId} in this project.`);
}

type Written = Pick<WebhookTable, 'url' | 'events' | 'enabled'>;

function columnsOf(fields: WebhookFields): Written;
function columnsOf(fields: WebhookPatch): Partial<Written>;
function columnsOf({ url, events, enabled }: WebhookPatch): Partial<Written> {
  return {
    ...(url === undefined ? {} : { url }),
    ...(events === undefined ? {} : { events: [...new Set(events)].sort().join(' ') }),
    ...(enabled === undefined ? {} : { enabled: enabled ? 1 : 0 }),
  };
}
