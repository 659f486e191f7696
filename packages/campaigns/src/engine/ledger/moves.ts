import type { Engine } from '@postern/store';
import { sql } from 'kysely';
import { addToCampaignCounts } from '../../counts.ts';
import type { CampaignsTransaction } from '../../ports.ts';
import type { DeliveryState } from '../../tables.ts';
import { type DeliveryEvent, deliveryStates } from '../deliveries.ts';
import { recordsTable } from '../sql.ts';

/** Campaign mails and single e-mails live in tables of the same columns, and move by the same table. */
export type Ledger = 'campaign' | 'email';

export const LEDGERS = {
  campaign: { table: 'mail_deliveries', id: 'delivery_id' },
  email: { table: 'mail_emails', id: 'email_id' },
} as const satisfies Record<Ledger, { table: string; id: string }>;

/** One step of one row that a worker holds. */
export interface Move {
  readonly id: string;
  /** Null for single e-mails, which no counter counts. */
  readonly campaignId: string | null;
  readonly from: DeliveryState;
  readonly event: DeliveryEvent;
  /** Why, as a code; kept with the row. */
  readonly reason?: string | null;
  readonly reply?: string | null;
  readonly messageId?: string | null;
  readonly sentUs?: number | null;
  /** When a row that waits again is due; unchanged without it. */
  readonly dueUs?: number | null;
  /** Whether a server's answer used up an attempt. */
  readonly isAttempt?: boolean;
}

const COLUMNS = {
  id: 'text',
  from_state: 'text',
  to_state: 'text',
  reason: 'text',
  reply: 'text',
  message_id: 'text',
  sent_us: 'bigint',
  due_us: 'bigint',
  tries: 'bigint',
} as const;

/**
 * Moves rows that `worker` holds and keeps the counters in step. A row that is no longer the worker's, or no longer
 * in the state it thinks, stays as it is.
 *
 * @returns the ids that were moved, and of each whether its person was erased meanwhile: of them nothing that the
 *   server said is kept.
 * @throws IllegalTransition when the table knows no such step.
 */
export async function moveRows(
  tx: CampaignsTransaction,
  engine: Engine,
  ledger: Ledger,
  worker: string,
  nowUs: number,
  moves: readonly Move[],
): Promise<Map<string, boolean>> {
  if (moves.length === 0) return new Map();
  const { table, id } = LEDGERS[ledger];
  const records = moves.map((move) => ({
    id: move.id,
    from_state: move.from,
    to_state: deliveryStates.next(move.from, move.event),
    reason: move.reason ?? null,
    reply: move.reply ?? null,
    message_id: move.messageId ?? null,
    sent_us: move.sentUs ?? null,
    due_us: move.dueUs ?? null,
    tries: move.isAttempt === true ? 1 : 0,
  }));
  // What was submitted has no reason, unless it bounced before its acceptance was written down.
  const own = (column: string) => sql.ref(`${table}.${column}`);
  const isErased = sql`${own('email_key')} LIKE 'erased:%'`;
  const { rows } = await sql<{ id: string; erased: number }>`
    UPDATE ${sql.table(table)} SET state = move.to_state,
      reason = CASE WHEN move.to_state = 'sent' AND move.from_state = 'submitted' THEN ${own('reason')} ELSE move.reason END,
      smtp_reply = CASE WHEN ${isErased} THEN NULL ELSE COALESCE(move.reply, ${own('smtp_reply')}) END,
      message_id = COALESCE(move.message_id, ${own('message_id')}),
      sent_us = COALESCE(move.sent_us, ${own('sent_us')}), due_us = COALESCE(move.due_us, ${own('due_us')}),
      attempts = ${own('attempts')} + move.tries, updated_us = ${nowUs},
      lease_until_us = CASE WHEN move.to_state = 'submitted' THEN ${own('lease_until_us')} END,
      claimed_by = CASE WHEN move.to_state IN ('pending', 'deferred') THEN NULL ELSE ${own('claimed_by')} END
    FROM ${recordsTable(engine, 'move', COLUMNS, records)}
    WHERE ${own(id)} = move.id AND ${own('state')} = move.from_state AND ${own('claimed_by')} = ${worker}
    RETURNING ${own(id)} AS id, CASE WHEN ${isErased} THEN 1 ELSE 0 END AS erased`.execute(tx);
  const moved = new Map(rows.map((row) => [row.id, row.erased === 1]));
  if (ledger === 'campaign') await countMoves(tx, moves, moved);
  return moved;
}

async function countMoves(
  tx: CampaignsTransaction,
  moves: readonly Move[],
  moved: ReadonlyMap<string, boolean>,
) {
  const deltas = new Map<string, Partial<Record<DeliveryState, number>>>();
  for (const { id, campaignId, from, event } of moves) {
    if (campaignId === null || !moved.has(id)) continue;
    const delta = deltas.get(campaignId) ?? {};
    const to = deliveryStates.next(from, event);
    delta[from] = (delta[from] ?? 0) - 1;
    delta[to] = (delta[to] ?? 0) + 1;
    deltas.set(campaignId, delta);
  }
  // In one order everywhere, so that two workers never wait for each other's counters.
  for (const [campaignId, delta] of [...deltas].sort(([one], [other]) => (one < other ? -1 : 1))) {
    await addToCampaignCounts(tx, campaignId, delta);
  }
}
