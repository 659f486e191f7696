import { sql } from 'kysely';
import { recordsTable } from '../engine/sql.ts';
import type { CampaignsPorts, CampaignsTransaction } from '../ports.ts';

/** What happened to subscribers, for their history; joined by what the mails they got record. */
export interface SubscriberEvent {
  readonly projectId: string;
  readonly subscriberId: string;
  readonly campaignId?: string | null;
  readonly type: 'confirmed' | 'unsubscribed' | 'resubscribed';
  /** Free text in it goes with the person: see `erase/events.ts`. */
  readonly details: Readonly<Record<string, string | null>>;
}

const COLUMNS = {
  event_id: 'text',
  project_id: 'text',
  campaign_id: 'text',
  subscriber_id: 'text',
  type: 'text',
  details_json: 'text',
  at_us: 'bigint',
} as const;

const columnList = sql.join(Object.keys(COLUMNS).map((name) => sql.ref(name)));

/** Writes events down, in the transaction in which they happen. */
export async function recordEvents(
  tx: CampaignsTransaction,
  { store, clock, newId }: Pick<CampaignsPorts, 'store' | 'clock' | 'newId'>,
  events: readonly SubscriberEvent[],
): Promise<void> {
  if (events.length === 0) return;
  const at = clock.nowMicroseconds();
  const records = events.map(({ projectId, subscriberId, campaignId, type, details }) => ({
    event_id: newId('evt'),
    project_id: projectId,
    campaign_id: campaignId ?? null,
    subscriber_id: subscriberId,
    type,
    details_json: JSON.stringify(details),
    at_us: at,
  }));
  await sql`
    INSERT INTO mail_events (${columnList})
    SELECT ${columnList} FROM ${recordsTable(store.engine, 'happened', COLUMNS, records)}`.execute(tx);
}
