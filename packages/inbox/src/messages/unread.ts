import { sql } from 'kysely';
import type { InboxStore, InboxTransaction } from '../ports.ts';
import type { MessageRow } from './envelopes.ts';

/**
 * What an agent has not read, at a cost that follows the page and not history.
 *
 * An agent that has marked something has a row in `inbox_agents` and one row in `inbox_unread` for each
 * unread message that came since. What was there before it is not copied at once: up to `filled_us` it
 * has its unread rows, from there to `history_until_us` the feed itself is read, less what `inbox_reads`
 * has. Each mark_read moves `filled_us` on by more messages than it can mark, so that part soon is empty.
 * An agent without a row has read nothing: the whole feed.
 */

export interface UnreadFilter {
  readonly agentId: string;
  /** Exclusive lower bound, a receive time. */
  readonly sinceMicroseconds: number | null;
  readonly source: string | null;
  readonly channelId: string | null;
  readonly limit: number;
}

/** How many messages one mark_read copies from history; above the 1,000 ids it can mark. */
export const FILL_STEP = 2_000;

const FOREVER = Number.MAX_SAFE_INTEGER;

/** The page's rows, oldest receive time first. One statement, so both halves are of one moment. */
export async function unreadPage(store: InboxStore, filter: UnreadFilter): Promise<MessageRow[]> {
  const since = filter.sinceMicroseconds ?? -1;
  const { agentId, limit } = filter;
  const narrow = (alias: 'u' | 'h') => {
    const channel = sql.ref(`${alias}.channel_id`);
    const source = sql.ref(`${alias}.source`);
    if (filter.channelId === null)
      return filter.source === null ? sql`` : sql`AND ${source} = ${filter.source}`;
    if (filter.source === null) return sql`AND ${channel} = ${filter.channelId}`;
    // A channel has one source, so the channel's index is the right one; joined to '', source has none.
    return sql`AND ${channel} = ${filter.channelId} AND ${source} || '' = ${filter.source}`;
  };
  const history = await historyBounds(store, agentId);
  if (history === 'filled') {
    const page = await sql<MessageRow>`
      SELECT m.* FROM inbox_unread u JOIN inbox_messages m ON m.message_id = u.message_id
      WHERE u.agent_id = ${agentId} AND u.received_us > ${since} ${narrow('u')}
      ORDER BY u.received_us LIMIT ${limit}`.execute(store.db);
    return page.rows;
  }
  // One lower bound of history: given two, SQLite begins at the first and walks to the second.
  const page = await sql<MessageRow>`
    SELECT m.* FROM (
      SELECT * FROM (
        SELECT u.received_us AS at_us, u.message_id FROM inbox_unread u
        WHERE u.agent_id = ${agentId} AND u.received_us > ${since} ${narrow('u')}
        ORDER BY u.received_us LIMIT ${limit}) AS listed
      UNION ALL
      SELECT * FROM (
        SELECT h.feed_us AS at_us, h.message_id FROM inbox_messages h
        WHERE h.feed_us > COALESCE((
            SELECT CASE WHEN filled_us > ${since} THEN filled_us ELSE ${since} END
            FROM inbox_agents WHERE agent_id = ${agentId}), ${since})
          AND h.feed_us <= COALESCE((SELECT history_until_us FROM inbox_agents WHERE agent_id = ${agentId}), ${FOREVER})
          ${narrow('h')}
          AND NOT EXISTS (SELECT 1 FROM inbox_reads r WHERE r.message_id = h.message_id AND r.agent_id = ${agentId})
        ORDER BY h.feed_us LIMIT ${limit}) AS history
    ) AS page JOIN inbox_messages m ON m.message_id = page.message_id
    ORDER BY page.at_us LIMIT ${limit}`.execute(store.db);
  return page.rows;
}

/** `filled` never goes back to `open`, so a page may rely on it although it is read before the page. */
async function historyBounds(store: InboxStore, agentId: string): Promise<'filled' | 'open'> {
  const agent = await store.db
    .selectFrom('inbox_agents')
    .select(['filled_us', 'history_until_us'])
    .where('agent_id', '=', agentId)
    .executeTakeFirst();
  return agent && agent.filled_us >= agent.history_until_us ? 'filled' : 'open';
}

/** How many messages the agent has unread. Counts; for the operator's pages, not for an agent's path. */
export async function unreadCount(store: InboxStore, agentId: string): Promise<number> {
  const counted = await sql<{ total: number }>`
    SELECT (SELECT count(*) FROM inbox_unread u WHERE u.agent_id = a.agent_id) + (
      SELECT count(*) FROM inbox_messages h
      WHERE h.feed_us > a.filled_us AND h.feed_us <= a.history_until_us
        AND NOT EXISTS (SELECT 1 FROM inbox_reads r WHERE r.message_id = h.message_id AND r.agent_id = a.agent_id)
    ) AS total
    FROM inbox_agents a WHERE a.agent_id = ${agentId}`.execute(store.db);
  return counted.rows[0]?.total ?? 0;
}

/** Makes a message that has just entered the feed unread for every known agent. */
export async function addToUnread(
  tx: InboxTransaction,
  message: { messageId: string; receivedUs: number; channelId: string; source: string },
): Promise<void> {
  await sql`
    INSERT INTO inbox_unread (agent_id, received_us, message_id, channel_id, source)
    SELECT agent_id, ${message.receivedUs}, ${message.messageId}, ${message.channelId}, ${message.source} FROM inbox_agents
  `.execute(tx);
}

/** Takes a message out of every agent's unread, as a deletion does. */
export async function removeFromUnread(tx: InboxTransaction, messageId: string): Promise<void> {
  await tx.deleteFrom('inbox_unread').where('message_id', '=', messageId).execute();
}
