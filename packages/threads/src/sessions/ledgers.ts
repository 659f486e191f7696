import type { Clock } from '@postern/kit';
import { forUpdate, type Store } from '@postern/store';
import type { ThreadsTables } from '../tables.ts';
import type { DirectMessageLedger, ToolAllowances } from '../tools/tool.ts';

/** What a session has used up and what it was allowed, kept over restarts. */

const MOST_DIRECT_MESSAGES = 3;

/** Direct messages of a session: three to each recipient, one pending at a time. */
export function directMessageLedger(store: Store<ThreadsTables>, sessionId: string): DirectMessageLedger {
  async function change(
    recipientId: string,
    changes: Partial<{ sent: number; is_pending: number; is_allowed: number }>,
  ): Promise<void> {
    await store.db
      .insertInto('threads_direct_messages')
      .values({
        session_id: sessionId,
        recipient_id: recipientId,
        sent: 0,
        is_pending: 0,
        is_allowed: 0,
        ...changes,
      })
      .onConflict((conflict) => conflict.columns(['session_id', 'recipient_id']).doUpdateSet(changes))
      .execute();
  }

  return {
    async take(recipientId) {
      const outcome = await store.transaction(async (tx) => {
        await tx
          .insertInto('threads_direct_messages')
          .values({ session_id: sessionId, recipient_id: recipientId, sent: 0, is_pending: 0, is_allowed: 0 })
          .onConflict((conflict) => conflict.columns(['session_id', 'recipient_id']).doNothing())
          .execute();
        const row = await forUpdate(
          tx,
          tx
            .selectFrom('threads_direct_messages')
            .selectAll()
            .where('session_id', '=', sessionId)
            .where('recipient_id', '=', recipientId),
        ).executeTakeFirstOrThrow();
        if (row.is_pending === 1) return 'pending' as const;
        if (row.sent >= MOST_DIRECT_MESSAGES) return 'none_left' as const;
        await tx
          .updateTable('threads_direct_messages')
          .set({ is_pending: 1 })
          .where('session_id', '=', sessionId)
          .where('recipient_id', '=', recipientId)
          .execute();
        return row.sent;
      });
      if (typeof outcome === 'string') return outcome;
      return {
        giveBack: () => change(recipientId, { is_pending: 0 }),
        done: () => change(recipientId, { is_pending: 0, sent: outcome + 1 }),
      };
    },
    async isAllowed(recipientId) {
      const row = await store.db
        .selectFrom('threads_direct_messages')
        .select('is_allowed')
        .where('session_id', '=', sessionId)
        .where('recipient_id', '=', recipientId)
        .executeTakeFirst();
      return row?.is_allowed === 1;
    },
    allow: (recipientId) => change(recipientId, { is_allowed: 1 }),
  };
}

/** Gives back what was pending when an earlier process ended: nothing it asked for can be answered any more. */
export async function giveBackPending(store: Store<ThreadsTables>, platformId: string): Promise<void> {
  await store.db
    .updateTable('threads_direct_messages')
    .set({ is_pending: 0 })
    .where('is_pending', '=', 1)
    .where('session_id', 'in', (from) =>
      from.selectFrom('threads_sessions').select('session_id').where('platform_id', '=', platformId),
    )
    .execute();
}

/** Tools that somebody allowed for the rest of a session. */
export function toolAllowances(
  ports: { readonly store: Store<ThreadsTables>; readonly clock: Clock },
  sessionId: string,
): ToolAllowances {
  const { store, clock } = ports;
  return {
    async has(tool) {
      const row = await store.db
        .selectFrom('threads_allowances')
        .select('tool')
        .where('session_id', '=', sessionId)
        .where('tool', '=', tool)
        .executeTakeFirst();
      return row !== undefined;
    },
    async allow(tool, by) {
      await store.db
        .insertInto('threads_allowances')
        .values({
          session_id: sessionId,
          tool,
          allowed_by: by.id,
          allowed_us: clock.nowMicroseconds(),
        })
        .onConflict((conflict) => conflict.columns(['session_id', 'tool']).doNothing())
        .execute();
    },
  };
}
