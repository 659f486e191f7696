import { forEachRow, forUpdate } from '@postern/store';
import { sql } from 'kysely';
import { addToListCounts } from '../counts.ts';
import { isOneOf, recordsTable } from '../engine/sql.ts';
import type { CampaignsPorts, CampaignsTransaction } from '../ports.ts';
import type { SubscriberStatus, SubscriberTable } from '../tables.ts';
import { recordEvents, type SubscriberEvent } from './events.ts';
import { type Given, type Identity, type Plan, planChange, planNew, type Terms } from './plan.ts';

/** The one way subscribers get onto a list: one by one or by the thousand, it is the same few statements. */

export interface Entry extends Identity {
  readonly given: Given;
}

const COLUMNS = {
  subscriber_id: 'text',
  project_id: 'text',
  list_id: 'text',
  email: 'text',
  email_key: 'text',
  name: 'text',
  attributes_json: 'text',
  status: 'text',
  consent_source: 'text',
  consent_at_us: 'bigint',
  consent_evidence: 'text',
  confirm_sent_us: 'bigint',
  created_us: 'bigint',
  updated_us: 'bigint',
} as const satisfies Record<keyof SubscriberTable, 'text' | 'bigint'>;

const names = Object.keys(COLUMNS) as (keyof SubscriberTable)[];
const columnList = sql.join(names.map((name) => sql.ref(name)));
const INSERT_ONE = `INSERT INTO mail_subscribers (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`;

/**
 * Adds the entries to a list, or changes those who are on it, and keeps the counters. None of the addresses may be
 * suppressed, and none may come twice.
 *
 * @returns what came of each entry, by subscriber id; what is `too_large` was left as it was.
 */
export async function applyEntries(
  tx: CampaignsTransaction,
  ports: Pick<CampaignsPorts, 'store' | 'clock' | 'newId'>,
  terms: Terms,
  entries: readonly Entry[],
): Promise<Map<string, Plan>> {
  const plans = new Map<string, Plan>();
  // In one order everywhere, so that two transactions never wait for each other's rows.
  let open = [...entries].sort((one, other) => (one.subscriberId < other.subscriberId ? -1 : 1));
  while (open.length > 0) {
    const nowUs = ports.clock.nowMicroseconds();
    const found = await lockRows(tx, ports, open);
    const planned = open.map((entry) => [entry, planOf(entry, found, terms, nowUs)] as const);
    const fresh = planned.flatMap(([, plan]) => (isFresh(plan) ? [plan.row] : []));
    const inserted = await insertRows(tx, ports, fresh);
    const changed = planned.flatMap(([, plan]) => (isChange(plan) ? [plan.row] : []));
    await updateRows(tx, ports, changed);
    open = [];
    for (const [entry, plan] of planned) {
      // Somebody else added them meanwhile; they are there now.
      if (isFresh(plan) && !inserted.has(entry.subscriberId)) open.push(entry);
      else plans.set(entry.subscriberId, plan);
    }
  }
  await recordEvents(
    tx,
    ports,
    [...plans.values()].flatMap((plan) => eventsOf(plan, terms)),
  );
  await addToListCounts(tx, terms.list.list_id, deltasOf(plans.values()));
  return plans;
}

function planOf(
  entry: Entry,
  found: ReadonlyMap<string, SubscriberTable>,
  terms: Terms,
  nowUs: number,
): Plan {
  const row = found.get(entry.subscriberId);
  if (row === undefined || row.status === 'erased') return planNew(entry, entry.given, terms, nowUs, row);
  return planChange(row, entry.given, terms, nowUs);
}

type Writing = Exclude<Plan, { outcome: 'too_large' }>;

function isFresh(plan: Plan): plan is Writing {
  return plan.outcome !== 'too_large' && plan.before === null;
}

function isChange(plan: Plan): plan is Writing {
  return plan.outcome !== 'too_large' && plan.before !== null && plan.isWritten;
}

async function lockRows(
  tx: CampaignsTransaction,
  { store }: Pick<CampaignsPorts, 'store'>,
  entries: readonly Entry[],
): Promise<Map<string, SubscriberTable>> {
  const ids = entries.map((entry) => entry.subscriberId);
  const rows = await forUpdate(
    tx,
    tx
      .selectFrom('mail_subscribers')
      .selectAll()
      .where(isOneOf(store.engine, 'subscriber_id', ids))
      .orderBy('subscriber_id'),
  ).execute();
  return new Map(rows.map((row) => [row.subscriber_id, row]));
}

async function insertRows(
  tx: CampaignsTransaction,
  { store }: Pick<CampaignsPorts, 'store'>,
  rows: readonly SubscriberTable[],
): Promise<Set<string>> {
  if (rows.length === 0) return new Set();
  if (store.engine === 'sqlite') {
    // Nobody else can have added them: this transaction has been the only writer since before it looked.
    const values = rows.map((row) => names.map((name) => row[name]));
    await forEachRow(tx, INSERT_ONE, values);
    return new Set(rows.map((row) => row.subscriber_id));
  }
  const { rows: inserted } = await sql<{ subscriber_id: string }>`
    INSERT INTO mail_subscribers (${columnList})
    SELECT ${columnList} FROM ${recordsTable(store.engine, 'given', COLUMNS, rows.map(recordOf))}
    ON CONFLICT (subscriber_id) DO NOTHING RETURNING subscriber_id`.execute(tx);
  return new Set(inserted.map((row) => row.subscriber_id));
}

async function updateRows(
  tx: CampaignsTransaction,
  { store }: Pick<CampaignsPorts, 'store'>,
  rows: readonly SubscriberTable[],
): Promise<void> {
  if (rows.length === 0) return;
  const settings = sql.join(
    names
      .filter((name) => name !== 'subscriber_id')
      .map((name) => sql`${sql.ref(name)} = ${sql.ref(`given.${name}`)}`),
  );
  await sql`
    UPDATE mail_subscribers SET ${settings}
    FROM ${recordsTable(store.engine, 'given', COLUMNS, rows.map(recordOf))}
    WHERE mail_subscribers.subscriber_id = given.subscriber_id`.execute(tx);
}

function recordOf(row: SubscriberTable): Readonly<Record<string, string | number | null>> {
  return { ...row };
}

function eventsOf(plan: Plan, { source }: Terms): SubscriberEvent[] {
  if (plan.outcome !== 'updated' || plan.before === null || plan.before === plan.row.status) return [];
  const { project_id: projectId, subscriber_id: subscriberId } = plan.row;
  return [{ projectId, subscriberId, type: 'resubscribed', details: { source, from: plan.before } }];
}

function deltasOf(plans: Iterable<Plan>): Partial<Record<SubscriberStatus, number>> {
  const deltas: Partial<Record<SubscriberStatus, number>> = {};
  for (const plan of plans) {
    if (plan.outcome === 'too_large' || plan.before === plan.row.status) continue;
    if (plan.before !== null) deltas[plan.before] = (deltas[plan.before] ?? 0) - 1;
    deltas[plan.row.status] = (deltas[plan.row.status] ?? 0) + 1;
  }
  return deltas;
}
