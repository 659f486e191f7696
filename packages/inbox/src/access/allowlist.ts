import { formatMicroseconds, sanitizeName } from '@postern/kit';
import type { Selectable } from 'kysely';
import { fail } from '../errors.ts';
import { lastReceiveTime } from '../messages/receive-time.ts';
import { FEED_CHANNEL, type InboxPorts, type InboxTransaction } from '../ports.ts';
import type { AllowlistTable } from '../tables.ts';
import { recordAct } from './audit.ts';
import { releaseSender } from './quarantine.ts';

export interface AllowlistEntry {
  readonly source: string;
  readonly sender_id: string;
  readonly display_name: string | null;
  readonly person_id: string | null;
  readonly created_at: string;
}

export interface AllowRequest {
  readonly source: string;
  readonly senderId: string;
  /** Undefined keeps what the entry has, null clears it. */
  readonly displayName?: string | null | undefined;
  readonly personId?: string | null | undefined;
  /** Whether what the sender has in quarantine is released with it. */
  readonly release: boolean;
  readonly actor: string;
}

export function entryOf(row: Selectable<AllowlistTable>): AllowlistEntry {
  return {
    source: row.source,
    sender_id: row.sender_id,
    display_name: row.display_name,
    person_id: row.person_id,
    created_at: formatMicroseconds(row.created_us),
  };
}

/** All entries, by source and sender. Small: people put on it by hand. */
export async function listAllowlist({ store }: Pick<InboxPorts, 'store'>): Promise<AllowlistEntry[]> {
  const rows = await store.db
    .selectFrom('inbox_allowlist')
    .selectAll()
    .orderBy('source')
    .orderBy('sender_id')
    .execute();
  return rows.map(entryOf);
}

export interface Allowed {
  readonly entry: AllowlistEntry;
  readonly released_count: number;
}

/** Adds or changes an entry; takes effect with the next message. */
export async function allowSender(ports: InboxPorts, request: AllowRequest): Promise<Allowed> {
  const result = await ports.store.transaction((tx) => allowWithin(tx, ports, request));
  if (result.released_count > 0) ports.store.notify(FEED_CHANNEL);
  return result;
}

/** {@link allowSender} as part of a transaction; waking those who wait for messages is left to the caller. */
export async function allowWithin(
  tx: InboxTransaction,
  ports: InboxPorts,
  request: AllowRequest,
): Promise<Allowed> {
  const name = (value: string | null | undefined) =>
    value === undefined || value === null ? value : sanitizeName(value, request.senderId);
  const displayName = name(request.displayName);
  // A message being stored right now is in quarantine by then and released, or finds the entry.
  await lastReceiveTime(tx);
  const row = await tx
    .insertInto('inbox_allowlist')
    .values({
      source: request.source,
      sender_id: request.senderId,
      display_name: displayName ?? null,
      person_id: request.personId ?? null,
      created_us: ports.clock.nowMicroseconds(),
    })
    .onConflict((conflict) =>
      conflict.columns(['source', 'sender_id']).doUpdateSet({
        // An assignment is needed for RETURNING to answer an entry that stays as it is.
        sender_id: request.senderId,
        ...(displayName === undefined ? {} : { display_name: displayName }),
        ...(request.personId === undefined ? {} : { person_id: request.personId }),
      }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
  await tx
    .deleteFrom('inbox_pairings')
    .where('source', '=', request.source)
    .where('sender_id', '=', request.senderId)
    .execute();
  const released = request.release ? await releaseSender(tx, ports, request) : 0;
  await recordAct(tx, ports, {
    actor: request.actor,
    action: 'allowlist.put',
    target: `${request.source}/${request.senderId}`,
    details: { display_name: row.display_name, person_id: row.person_id, released },
  });
  return { entry: entryOf(row), released_count: released };
}

/**
 * Removes an entry. Messages that were accepted stay; the sender's next ones go to quarantine.
 *
 * @throws Failure NOT_FOUND when there is no such entry.
 */
export async function disallowSender(
  ports: InboxPorts,
  sender: { source: string; senderId: string; actor: string },
): Promise<void> {
  await ports.store.transaction(async (tx) => {
    const removed = await tx
      .deleteFrom('inbox_allowlist')
      .where('source', '=', sender.source)
      .where('sender_id', '=', sender.senderId)
      .returning('sender_id')
      .executeTakeFirst();
    if (!removed) throw fail('NOT_FOUND', `${sender.source}/${sender.senderId} is not on the allowlist.`);
    await recordAct(tx, ports, {
      actor: sender.actor,
      action: 'allowlist.delete',
      target: `${sender.source}/${sender.senderId}`,
    });
  });
}
