import { sql } from 'kysely';
import { addToCampaignCounts } from '../../counts.ts';
import type { CampaignsPorts, CampaignsTransaction } from '../../ports.ts';
import type { DeliveryState } from '../../tables.ts';
import { bulkRows, giveWay } from '../../workers/bulk.ts';
import type { RefusalReason } from '../ledger/refusals.ts';
import { recordsTable } from '../sql.ts';
import { type Audience, audiencePage, leftOutOf, type Member, type Position, START } from './audience.ts';

/**
 * Writes a campaign's audience into the ledger, one row for each address: `pending`, or `skipped` with the reason.
 * It notes how far it is with every batch, so whoever goes on after a crash neither loses nor repeats anybody; the
 * ledger itself takes an address only once.
 *
 * @param batch rows of one transaction; as many as suit the database without it.
 * @returns false when the signal stopped it before the end.
 */
export async function freezeAudience(
  ports: CampaignsPorts,
  campaignId: string,
  audience: Audience,
  signal: AbortSignal,
  batch?: number,
): Promise<boolean> {
  let position: Position | null = await startOrGoOn(ports, campaignId);
  while (position !== null) {
    if (signal.aborted) return false;
    position = await freezeBatch(ports, campaignId, audience, position, batch ?? bulkRows(ports.store));
    await giveWay(ports.store);
  }
  await ports.store.transaction((tx) => markFrozen(tx, ports, campaignId));
  return true;
}

async function startOrGoOn({ store }: CampaignsPorts, campaignId: string): Promise<Position> {
  const run = await store.db
    .insertInto('mail_campaign_runs')
    .values({
      campaign_id: campaignId,
      freeze_pass: START.pass,
      freeze_list: START.list,
      freeze_after: START.after,
      answers: 0,
      faults: 0,
    })
    // Changes nothing, and gives the row that is there.
    .onConflict((conflict) => conflict.column('campaign_id').doUpdateSet({ campaign_id: campaignId }))
    .returning(['freeze_pass', 'freeze_list', 'freeze_after'])
    .executeTakeFirstOrThrow();
  return { pass: run.freeze_pass, list: run.freeze_list, after: run.freeze_after };
}

async function freezeBatch(
  ports: CampaignsPorts,
  campaignId: string,
  audience: Audience,
  position: Position,
  batch: number,
): Promise<Position | null> {
  const { store } = ports;
  // A segment may take long to evaluate, so it is read before the lock is taken.
  const { members, next } = await audiencePage(store.db, audience, position, batch);
  if (members.length > 0 || next !== null) {
    await store.transaction(async (tx) => {
      const reasons = await leftOutOf(tx, ports, audience, members);
      await insertMembers(tx, ports, campaignId, audience, members, reasons);
      if (next) {
        await tx
          .updateTable('mail_campaign_runs')
          .set({ freeze_pass: next.pass, freeze_list: next.list, freeze_after: next.after })
          .where('campaign_id', '=', campaignId)
          .execute();
      }
    });
  }
  return next;
}

const COLUMNS = {
  delivery_id: 'text',
  email_key: 'text',
  subscriber_id: 'text',
  list_id: 'text',
  email: 'text',
  state: 'text',
  reason: 'text',
} as const;

async function insertMembers(
  tx: CampaignsTransaction,
  { store, clock, newId }: CampaignsPorts,
  campaignId: string,
  { projectId }: Audience,
  members: readonly Member[],
  reasons: ReadonlyMap<string, RefusalReason>,
): Promise<void> {
  if (members.length === 0) return;
  const now = clock.nowMicroseconds();
  const records = members.map((member) => {
    const reason = reasons.get(member.emailKey) ?? null;
    return {
      delivery_id: newId('dlv'),
      email_key: member.emailKey,
      subscriber_id: member.subscriberId,
      list_id: member.listId,
      email: member.email,
      state: reason === null ? 'pending' : 'skipped',
      reason,
    };
  });
  // WHERE true, or SQLite takes ON for a join's condition. Due since ever: a clock that is set back holds nobody up.
  const { rows } = await sql<{ state: DeliveryState }>`
    INSERT INTO mail_deliveries (delivery_id, project_id, campaign_id, email_key, subscriber_id, list_id, email, state,
      reason, attempts, due_us, updated_us)
    SELECT delivery_id, ${projectId}, ${campaignId}, email_key, subscriber_id, list_id, email, state, reason,
      0, 0, CAST(${now} AS bigint)
    FROM ${recordsTable(store.engine, 'member', COLUMNS, records)} WHERE true
    ON CONFLICT (campaign_id, email_key) DO NOTHING RETURNING state`.execute(tx);
  const skipped = rows.filter((row) => row.state === 'skipped').length;
  await addToCampaignCounts(tx, campaignId, { pending: rows.length - skipped, skipped });
}

async function markFrozen(
  tx: CampaignsTransaction,
  { clock }: CampaignsPorts,
  campaignId: string,
): Promise<void> {
  await tx
    .updateTable('mail_campaigns')
    .set({ frozen_us: clock.nowMicroseconds() })
    .where('campaign_id', '=', campaignId)
    .where('frozen_us', 'is', null)
    .execute();
}
