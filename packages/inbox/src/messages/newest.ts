import type { Connector } from '../connectors/connector.ts';
import type { InboxTransaction } from '../ports.ts';

const MOST = 100;

/** Platform ids of the newest inbound messages in a channel that are accepted and not deleted. */
export async function newestPlatformIds(
  db: Pick<InboxTransaction, 'selectFrom'>,
  { source, account }: Pick<Connector, 'source' | 'account'>,
  channelId: string,
): Promise<string[]> {
  const newest = await db
    .selectFrom('inbox_messages')
    .select('message_id')
    .where('channel_id', '=', channelId)
    .where('state', '=', 'accepted')
    .where('direction', '=', 'inbound')
    .where('deleted_us', 'is', null)
    .orderBy('timestamp_ms', 'desc')
    .orderBy('received_us', 'desc')
    .limit(MOST)
    .execute();
  if (newest.length === 0) return [];
  const ids = newest.map(({ message_id }) => message_id);
  const rows = await db
    .selectFrom('inbox_platform_ids')
    .select('platform_id')
    .where('message_id', 'in', ids)
    .where('source', '=', source)
    .where('account', '=', account)
    .execute();
  return rows.map(({ platform_id }) => platform_id);
}
