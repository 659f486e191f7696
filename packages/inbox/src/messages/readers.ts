import { formatMicroseconds } from '@postern/kit';
import type { InboxStore } from '../ports.ts';

export interface Reader {
  readonly agent_id: string;
  readonly read_at: string;
}

/** Which agents have marked each of some messages read. */
export async function readersOf(
  store: InboxStore,
  messageIds: readonly string[],
): Promise<Map<string, Reader[]>> {
  const readers = new Map<string, Reader[]>();
  if (messageIds.length === 0) return readers;
  const rows = await store.db
    .selectFrom('inbox_reads')
    .selectAll()
    .where('message_id', 'in', [...messageIds])
    .orderBy('message_id')
    .orderBy('agent_id')
    .execute();
  for (const row of rows) {
    const list = readers.get(row.message_id) ?? [];
    list.push({ agent_id: row.agent_id, read_at: formatMicroseconds(row.read_us) });
    readers.set(row.message_id, list);
  }
  return readers;
}
