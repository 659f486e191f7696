import { problem } from '@postern/http';
import { forUpdate, type StoreHandle } from '@postern/store';
import type { Kysely } from 'kysely';
import { campaignCounts } from '../counts.ts';
import type { CampaignsTransaction } from '../ports.ts';
import { listed } from '../shapes/words.ts';
import type { CampaignState, CampaignsTables, CampaignTable } from '../tables.ts';
import { type CampaignAnswer, campaignAnswer } from './shapes.ts';

/** Finding campaigns, and refusing what their state does not allow. */

/** @throws Failure not_found. */
export async function findCampaign(
  db: StoreHandle,
  projectId: string,
  campaignId: string,
): Promise<CampaignTable> {
  const row = await (db as unknown as Kysely<CampaignsTables>)
    .selectFrom('mail_campaigns')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('campaign_id', '=', campaignId)
    .executeTakeFirst();
  if (!row) throw noCampaign(campaignId);
  return row;
}

/** Holds the row until the transaction ends. @throws Failure not_found. */
export async function lockCampaign(
  tx: CampaignsTransaction,
  projectId: string,
  campaignId: string,
): Promise<CampaignTable> {
  const query = tx.selectFrom('mail_campaigns').selectAll().where('project_id', '=', projectId);
  const row = await forUpdate(tx, query.where('campaign_id', '=', campaignId)).executeTakeFirst();
  if (!row) throw noCampaign(campaignId);
  return row;
}

export async function withCounts(db: StoreHandle, row: CampaignTable): Promise<CampaignAnswer> {
  return campaignAnswer(row, (await campaignCounts(db, [row.campaign_id])).get(row.campaign_id));
}

/**
 * @param act what was asked for: `launched`, `changed`.
 * @throws Failure precondition_failed with `invalid_state`.
 */
export function requireState(row: CampaignTable, allowed: readonly CampaignState[], act: string): void {
  if (!allowed.includes(row.state)) throw wrongState(row, allowed, act);
}

export function wrongState(row: CampaignTable, allowed: readonly CampaignState[], act: string) {
  const message = `is ${row.state}; only a campaign that is ${either(allowed)} can be ${act}`;
  return problem('precondition_failed', `The campaign's state ${message}.`, {
    violations: [{ field: 'state', code: 'invalid_state', message }],
  });
}

function either(states: readonly string[]): string {
  return listed(states).replace(/ and (?=[^ ]*$)/, ' or ');
}

function noCampaign(campaignId: string) {
  return problem('not_found', `There is no campaign ${campaignId} in this project.`);
}
