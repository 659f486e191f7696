import type { Clock } from '@postern/kit';
import { sql } from 'kysely';
import type { InboxStore, InboxTransaction } from '../ports.ts';
import { lastReceiveTime } from './receive-time.ts';
import { FILL_STEP } from './unread.ts';

/**
 * Records that an agent has read messages. Ids that are unknown, quarantined, outbound or deleted are
 * passed over; reading twice changes nothing.
 */
export async function markRead(
  ports: { store: InboxStore; clock: Clock },
  agentId: string,
  messageIds: readonly string[],
  fillStep: number = FILL_STEP,
): Promise<void> {
  if (messageIds.length === 0) return;
  const ids = [...new Set(messageIds)];
  await ports.store.transaction(async (tx) => {
    const now = ports.clock.nowMicroseconds();
    const agent = await agentForUpdate(tx, agentId, now);
    const readable = await tx
      .selectFrom('inbox_messages')
      .select(['message_id', 'feed_us'])
      .where('message_id', 'in', ids)
      .where('feed_us', 'is not', null)
      .$narrowType<{ feed_us: number }>()
      .execute();
    if (readable.length > 0) {
      const recorded = await tx
        .insertInto('inbox_reads')
        .values(readable.map((row) => ({ message_id: row.message_id, agent_id: agentId, read_us: now })))
        .onConflict((conflict) => conflict.columns(['message_id', 'agent_id']).doNothing())
        .returning('message_id')
        .execute();
      await tx
        .deleteFrom('inbox_unread')
        .where('agent_id', '=', agentId)
        // By the key: given message ids, SQLite may walk through all that the agent has unread.
        .where(
          'received_us',
          'in',
          readable.map((row) => row.feed_us),
        )
        .execute();
      if (recorded.length > 0) {
        await tx
          .updateTable('inbox_agents')
          .set((update) => ({ last_read_us: now, read_count: update('read_count', '+', recorded.length) }))
          .where('agent_id', '=', agentId)
          .execute();
      }
    }
    if (agent.filled_us < agent.history_until_us) await fillFromHistory(tx, agentId, agent, fillStep);
  });
}

/**
 * The agent's row, locked until the transaction ends; made when this is the first it marks. Where history is
 * still to be copied the clock is locked too: no message enters or leaves the feed meanwhile. The clock comes
 * first, as it does for everybody who takes both.
 */
async function agentForUpdate(tx: InboxTransaction, agentId: string, now: number) {
  const known = await tx
    .selectFrom('inbox_agents')
    .select(['filled_us', 'history_until_us'])
    .where('agent_id', '=', agentId)
    .executeTakeFirst();
  const isFilled = known !== undefined && known.filled_us >= known.history_until_us;
  const last = isFilled ? 0 : await lastReceiveTime(tx);
  if (!known) {
    await tx
      .insertInto('inbox_agents')
      .values({
        agent_id: agentId,
        first_seen_us: now,
        last_read_us: null,
        read_count: 0,
        history_until_us: last,
        filled_us: -1,
      })
      .onConflict((conflict) => conflict.column('agent_id').doNothing())
      .execute();
  }
  return (
    tx
      .updateTable('inbox_agents')
      // Not the key: SQLite would look through all that the agent has unread for rows that point to the old one.
      .set((update) => ({ read_count: update.ref('read_count') }))
      .where('agent_id', '=', agentId)
      .returning(['filled_us', 'history_until_us'])
      .executeTakeFirstOrThrow()
  );
}

/** Copies the next stretch of history that is still unread into the agent's unread rows. */
async function fillFromHistory(
  tx: InboxTransaction,
  agentId: string,
  agent: { filled_us: number; history_until_us: number },
  fillStep: number,
): Promise<void> {
  const edge = await tx
    .selectFrom('inbox_messages')
    .select('feed_us')
    .where('feed_us', '>', agent.filled_us)
    .where('feed_us', '<=', agent.history_until_us)
    .orderBy('feed_us')
    .offset(fillStep - 1)
    .limit(1)
    .executeTakeFirst();
  const upTo = edge?.feed_us ?? agent.history_until_us;
  await sql`
    INSERT INTO inbox_unread (agent_id, received_us, message_id, channel_id, source)
    SELECT ${agentId}, h.feed_us, h.message_id, h.channel_id, h.source FROM inbox_messages h
    WHERE h.feed_us > ${agent.filled_us} AND h.feed_us <= ${upTo}
      AND NOT EXISTS (SELECT 1 FROM inbox_reads r WHERE r.message_id = h.message_id AND r.agent_id = ${agentId})
  `.execute(tx);
  await tx.updateTable('inbox_agents').set({ filled_us: upTo }).where('agent_id', '=', agentId).execute();
}
