import type { InboxPorts, InboxTransaction } from '../ports.ts';

export interface AuditEntry {
  /** Credential that acted (`bootstrap`, `console`, `cli`, …). */
  readonly actor: string;
  readonly action: string;
  readonly target: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Puts an act on record, in the transaction that carries it out. */
export async function recordAct(
  tx: InboxTransaction,
  ports: Pick<InboxPorts, 'clock' | 'newId'>,
  entry: AuditEntry,
): Promise<void> {
  await tx
    .insertInto('inbox_audit')
    .values({
      audit_id: ports.newId('aud'),
      at_us: ports.clock.nowMicroseconds(),
      actor: entry.actor,
      action: entry.action,
      target: entry.target,
      details: JSON.stringify(entry.details ?? {}),
    })
    .execute();
}
