import type { Store } from '@postern/store';
import type { SessionTable, ThreadsTables } from '../tables.ts';

export interface SessionFilter {
  readonly state?: 'live' | 'ended';
  readonly platformId?: string;
  /** Id of a session; those made before it follow. */
  readonly before?: string;
  readonly limit: number;
}

/** A page of sessions, newest first, and whether more follow; their ids sort by the time they were made. */
export async function pageOfSessions(
  store: Store<ThreadsTables>,
  { state, platformId, before, limit }: SessionFilter,
): Promise<{ readonly rows: SessionTable[]; readonly next: string | null }> {
  let query = store.db.selectFrom('threads_sessions').selectAll();
  if (state !== undefined) query = query.where('state', state === 'live' ? '<>' : '=', 'ended');
  if (platformId !== undefined) query = query.where('platform_id', '=', platformId);
  if (before !== undefined) query = query.where('session_id', '<', before);
  const found = await query
    .orderBy('session_id', 'desc')
    .limit(limit + 1)
    .execute();
  const rows = found.slice(0, limit);
  return { rows, next: found.length > limit ? (rows.at(-1)?.session_id ?? null) : null };
}
