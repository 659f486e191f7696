import { sql } from 'kysely';
import { addToCampaignCounts } from '../../counts.ts';
import type { CampaignsPorts, CampaignsTransaction } from '../../ports.ts';
import { suppressionHash } from '../../suppressions/hash.ts';
import type { DeliveryState } from '../../tables.ts';
import type { IDLE_STATES } from '../deliveries.ts';
import type { Recipient } from '../ports.ts';
import { type Move, moveRows } from './moves.ts';
import { type Person, personOf, type RefusalReason, refusals } from './refusals.ts';

/** How long a claim outlives its worker; prolonged while it lives. */
export const LEASE_MS = 60_000;

export interface ClaimedDelivery {
  readonly projectId: string;
  readonly campaignId: string;
  readonly recipient: Recipient;
  /** {@link suppressionHash} */
  readonly emailHash: string;
  /** Attempts that a server has answered so far. */
  readonly attempts: number;
}

interface ClaimedRow {
  delivery_id: string;
  project_id: string;
  email_key: string;
  subscriber_id: string;
  list_id: string;
  email: string;
  attempts: number;
}

export interface ClaimRequest {
  readonly campaignId: string;
  readonly state: (typeof IDLE_STATES)[number];
  readonly worker: string;
  readonly limit: number;
}

/**
 * Takes rows of a running campaign that are due, for the length of a lease; no other worker gets them meanwhile.
 * Who may no longer be mailed is skipped in the same transaction, with the reason.
 *
 * @returns those to send to, and how many rows were taken, so that an empty ledger can be told from a batch of
 *   nothing but skipped ones.
 */
export async function claimDeliveries(
  ports: CampaignsPorts,
  request: ClaimRequest,
): Promise<{ readonly taken: number; readonly deliveries: ClaimedDelivery[] }> {
  const { store, clock } = ports;
  return store.transaction(async (tx) => {
    if (!(await isRunning(tx, request.campaignId))) return { taken: 0, deliveries: [] };
    const nowUs = clock.nowMicroseconds();
    const rows = await takeDue(tx, store.engine, request, nowUs);
    if (rows.length === 0) return { taken: 0, deliveries: [] };
    await addToCampaignCounts(tx, request.campaignId, {
      [request.state]: -rows.length,
      claimed: rows.length,
    });
    const asked = rows.map((row) => askedOf(ports, row));
    const { people, refused } = await refusals(tx, ports, asked);
    await skip(tx, ports, request, nowUs, refused);
    const deliveries = asked
      .filter(({ id }) => !refused.has(id))
      .map(({ row, subscriberId, emailHash }) =>
        claimedDelivery(row, request.campaignId, people.get(subscriberId), emailHash),
      );
    return { taken: rows.length, deliveries };
  });
}

async function isRunning(tx: CampaignsTransaction, campaignId: string): Promise<boolean> {
  const campaign = await tx
    .selectFrom('mail_campaigns')
    .innerJoin('mail_projects', 'mail_projects.project_id', 'mail_campaigns.project_id')
    .select(['mail_campaigns.state', 'mail_projects.deleted_us'])
    .where('campaign_id', '=', campaignId)
    .executeTakeFirst();
  return campaign?.state === 'running' && campaign.deleted_us === null;
}

/** Oldest first by the index alone: a second order would sort all that wait, which may be a million. */
async function takeDue(
  tx: CampaignsTransaction,
  engine: string,
  { campaignId, state, worker, limit }: ClaimRequest,
  nowUs: number,
): Promise<ClaimedRow[]> {
  const locking = engine === 'postgres' ? sql`FOR UPDATE SKIP LOCKED` : sql``;
  const leaseUntil = nowUs + LEASE_MS * 1_000;
  // MATERIALIZED, or PostgreSQL may run the limited query again for each row and take more than the limit.
  const { rows } = await sql<ClaimedRow>`
    WITH due AS MATERIALIZED (
      SELECT delivery_id FROM mail_deliveries
      WHERE campaign_id = ${campaignId} AND state = ${sql.lit(state)} AND due_us <= ${nowUs}
      ORDER BY due_us LIMIT ${limit} ${locking})
    UPDATE mail_deliveries SET state = 'claimed', claimed_by = ${worker}, lease_until_us = ${leaseUntil},
      updated_us = ${nowUs}
    WHERE delivery_id IN (SELECT delivery_id FROM due)
    RETURNING delivery_id, project_id, email_key, subscriber_id, list_id, email, attempts`.execute(tx);
  return rows;
}

function askedOf(ports: CampaignsPorts, row: ClaimedRow) {
  return {
    row,
    id: row.delivery_id,
    projectId: row.project_id,
    subscriberId: row.subscriber_id,
    emailKey: row.email_key,
    emailHash: suppressionHash(ports, row.project_id, row.email_key),
  };
}

async function skip(
  tx: CampaignsTransaction,
  { store }: CampaignsPorts,
  { campaignId, worker }: ClaimRequest,
  nowUs: number,
  refused: ReadonlyMap<string, RefusalReason>,
): Promise<void> {
  const from: DeliveryState = 'claimed';
  const moves: Move[] = [...refused].map(([id, reason]) => ({ id, campaignId, from, event: 'skip', reason }));
  await moveRows(tx, store.engine, 'campaign', worker, nowUs, moves);
}

function claimedDelivery(
  row: ClaimedRow,
  campaignId: string,
  person: Person | undefined,
  emailHash: string,
): ClaimedDelivery {
  const { name, attributes } = person ?? personOf(null, '{}');
  return {
    projectId: row.project_id,
    campaignId,
    attempts: row.attempts,
    emailHash,
    recipient: {
      deliveryId: row.delivery_id,
      subscriberId: row.subscriber_id,
      listId: row.list_id,
      email: row.email,
      emailKey: row.email_key,
      name,
      attributes,
    },
  };
}
