import { formatMicroseconds } from '@postern/kit';
import { unreadCount } from '../messages/unread.ts';
import type { InboxPorts } from '../ports.ts';

export interface AgentSummary {
  readonly agent_id: string;
  readonly first_seen_at: string;
  readonly last_read_at: string | null;
  readonly read_count: number;
  readonly unread_count: number;
}

/** Agents that have marked something read, and how far each is. */
export async function listAgents({ store }: Pick<InboxPorts, 'store'>): Promise<AgentSummary[]> {
  const rows = await store.db.selectFrom('inbox_agents').selectAll().orderBy('agent_id').execute();
  const summaries: AgentSummary[] = [];
  for (const row of rows) {
    summaries.push({
      agent_id: row.agent_id,
      first_seen_at: formatMicroseconds(row.first_seen_us),
      last_read_at: row.last_read_us === null ? null : formatMicroseconds(row.last_read_us),
      read_count: row.read_count,
      unread_count: await unreadCount(store, row.agent_id),
    });
  }
  return summaries;
}
