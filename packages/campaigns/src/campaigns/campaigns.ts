import { parseTime } from '@postern/kit';
import { recordAct } from '../audit.ts';
import { campaignCounts } from '../counts.ts';
import { type Page, page } from '../paging.ts';
import type { CampaignsPorts } from '../ports.ts';
import { senderColumns } from '../shapes/address.ts';
import { quoted } from '../shapes/words.ts';
import type { CampaignState, CampaignTable } from '../tables.ts';
import { campaignLife } from './lifecycle.ts';
import { findCampaign, lockCampaign, requireState, withCounts } from './rows.ts';
import { type CampaignAnswer, campaignAnswer } from './shapes.ts';

type Choice = CampaignTable['tracking_opens'];

export interface CampaignFields {
  readonly name: string;
  readonly list_ids: readonly string[];
  readonly segment_id: string | null;
  readonly from: Parameters<typeof senderColumns>[0];
  readonly reply_to: string | null;
  readonly subject: string | null;
  readonly preheader: string | null;
  readonly template_id: string | null;
  readonly html: string | null;
  readonly text: string | null;
  readonly tracking: { readonly opens?: Choice | undefined; readonly clicks?: Choice | undefined };
  readonly send_at: string | null;
  readonly max_lateness_seconds: number;
  readonly strict_variables: boolean;
  readonly rate_per_second: number | null;
}

export type CampaignPatch = { readonly [Field in keyof CampaignFields]?: CampaignFields[Field] | undefined };

/** Columns that whoever writes a campaign decides on. */
type Written = Omit<
  CampaignTable,
  | 'campaign_id'
  | 'project_id'
  | 'state'
  | 'state_reason'
  | 'frozen_us'
  | 'content_json'
  | 'launched_us'
  | 'finished_us'
  | 'created_us'
  | 'updated_us'
>;

const BLANK: Pick<Written, 'tracking_opens' | 'tracking_clicks'> = {
  tracking_opens: 'off',
  tracking_clicks: 'off',
};

export async function createCampaign(
  ports: CampaignsPorts,
  actor: string,
  projectId: string,
  fields: CampaignFields,
): Promise<CampaignAnswer> {
  return insertDraft(ports, actor, projectId, { ...BLANK, ...columnsOf(fields) }, 'create_campaign');
}

/** A new draft of the same content and audience, without a due time. @throws Failure not_found. */
export async function duplicateCampaign(
  ports: CampaignsPorts,
  actor: string,
  projectId: string,
  campaignId: string,
  name: string | undefined,
): Promise<CampaignAnswer> {
  const found = await findCampaign(ports.store.db, projectId, campaignId);
  const {
    campaign_id: _id,
    project_id: _project,
    state: _state,
    state_reason: _reason,
    frozen_us: _frozen,
    content_json: _content,
    launched_us: _launched,
    finished_us: _finished,
    created_us: _created,
    updated_us: _updated,
    ...written
  } = found;
  const copy = { ...written, name: name ?? copyName(found.name), send_at_us: null };
  return insertDraft(ports, actor, projectId, copy, 'duplicate_campaign');
}

async function insertDraft(
  ports: CampaignsPorts,
  actor: string,
  projectId: string,
  written: Written,
  action: string,
): Promise<CampaignAnswer> {
  const now = ports.clock.nowMicroseconds();
  const row: CampaignTable = {
    campaign_id: ports.newId('cmp'),
    project_id: projectId,
    ...written,
    state: 'draft',
    state_reason: null,
    frozen_us: null,
    content_json: null,
    launched_us: null,
    finished_us: null,
    created_us: now,
    updated_us: now,
  };
  await ports.store.transaction(async (tx) => {
    await tx.insertInto('mail_campaigns').values(row).execute();
    await recordAct(tx, ports, { actor, action, target: row.campaign_id });
  });
  return campaignAnswer(row);
}

/** Newest last, with their counts. */
export async function pageOfCampaigns(
  { store: { db } }: CampaignsPorts,
  projectId: string,
  request: { limit: number; cursor?: string | undefined; state?: CampaignState | undefined },
): Promise<Page<CampaignAnswer>> {
  const { rows, next_cursor } = await page(
    request,
    'cmp',
    ({ after, limit }) => {
      let query = db.selectFrom('mail_campaigns').selectAll().where('project_id', '=', projectId);
      if (request.state !== undefined) query = query.where('state', '=', request.state);
      if (after !== null) query = query.where('campaign_id', '>', after);
      return query.orderBy('campaign_id').limit(limit).execute();
    },
    (row) => row.campaign_id,
  );
  const counts = await campaignCounts(
    db,
    rows.map((row) => row.campaign_id),
  );
  return { rows: rows.map((row) => campaignAnswer(row, counts.get(row.campaign_id))), next_cursor };
}

/** @throws Failure not_found. */
export async function getCampaign(
  { store: { db } }: CampaignsPorts,
  projectId: string,
  campaignId: string,
): Promise<CampaignAnswer> {
  return withCounts(db, await findCampaign(db, projectId, campaignId));
}

/**
 * Changes a draft, or a scheduled campaign, which becomes a draft again: only a new launch schedules it.
 *
 * @throws Failure not_found; precondition_failed with `invalid_state`.
 */
export async function updateCampaign(
  ports: CampaignsPorts,
  actor: string,
  projectId: string,
  campaignId: string,
  patch: CampaignPatch,
): Promise<CampaignAnswer> {
  return ports.store.transaction(async (tx) => {
    const found = await lockCampaign(tx, projectId, campaignId);
    requireState(found, campaignLife.statesBefore('edit'), 'changed');
    const change = columnsOf(patch);
    if (Object.keys(change).length === 0) return withCounts(tx, found);
    const row: CampaignTable = {
      ...found,
      ...change,
      state: campaignLife.next(found.state, 'edit'),
      state_reason: null,
      content_json: null,
      updated_us: later(ports, found),
    };
    await tx.updateTable('mail_campaigns').set(row).where('campaign_id', '=', campaignId).execute();
    await recordAct(tx, ports, {
      actor,
      action: 'update_campaign',
      target: campaignId,
      details: { fields: Object.keys(change), unscheduled: found.state === 'scheduled' },
    });
    return withCounts(tx, row);
  });
}

/** Deletes a draft. @throws Failure not_found; precondition_failed with `invalid_state`. */
export async function deleteCampaign(
  ports: CampaignsPorts,
  actor: string,
  projectId: string,
  campaignId: string,
): Promise<{ effect: string }> {
  return ports.store.transaction(async (tx) => {
    const found = await lockCampaign(tx, projectId, campaignId);
    requireState(found, ['draft'], 'deleted');
    await tx.deleteFrom('mail_campaigns').where('campaign_id', '=', campaignId).execute();
    await recordAct(tx, ports, { actor, action: 'delete_campaign', target: campaignId });
    return { effect: `Deleted the draft ${quoted(found.name)}.` };
  });
}

/** Now, and after the change before, so that a launch can tell what it checked from what has changed since. */
export function later({ clock }: Pick<CampaignsPorts, 'clock'>, { updated_us }: CampaignTable): number {
  return Math.max(clock.nowMicroseconds(), updated_us + 1);
}

const LONGEST_NAME = 200;
const COPY = ' (copy)';

function copyName(name: string): string {
  return [...name].slice(0, LONGEST_NAME - COPY.length).join('') + COPY;
}

function columnsOf(fields: CampaignFields): Omit<Written, keyof typeof BLANK>;
function columnsOf(fields: CampaignPatch): Partial<Written>;
function columnsOf(fields: CampaignPatch): Partial<Written> {
  const { list_ids, from, reply_to, tracking, send_at, strict_variables } = fields;
  return {
    ...given(fields, [
      'name',
      'segment_id',
      'subject',
      'preheader',
      'template_id',
      'html',
      'text',
      'max_lateness_seconds',
      'rate_per_second',
    ]),
    ...(list_ids === undefined ? {} : { list_ids_json: JSON.stringify(list_ids) }),
    ...(from === undefined ? {} : senderColumns(from)),
    ...(reply_to === undefined ? {} : { reply_to: reply_to?.trim() ?? null }),
    ...(tracking?.opens === undefined ? {} : { tracking_opens: tracking.opens }),
    ...(tracking?.clicks === undefined ? {} : { tracking_clicks: tracking.clicks }),
    ...(send_at === undefined ? {} : { send_at_us: send_at === null ? null : parseTime(send_at) }),
    ...(strict_variables === undefined ? {} : { strict_variables: strict_variables ? 1 : 0 }),
  };
}

/** Those of the fields that were given. */
function given<Fields extends object, Name extends keyof Fields>(
  fields: Fields,
  names: readonly Name[],
): { [Field in Name]?: Exclude<Fields[Field], undefined> } {
  const found: { [Field in Name]?: Exclude<Fields[Field], undefined> } = {};
  for (const name of names) {
    const value = fields[name];
    if (value !== undefined) found[name] = value as Exclude<Fields[Name], undefined>;
  }
  return found;
}
