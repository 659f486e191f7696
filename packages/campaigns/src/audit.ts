import type { CampaignsPorts, CampaignsTransaction } from './ports.ts';

export interface AuditEntry {
  /** Who acted: `context.caller.keyId`, `cli`, or the id of a subscriber for what people do on the public pages. */
  readonly actor: string;
  /** What was done, verb first: `create_list`, `erase_subscriber`. */
  readonly action: string;
  /** Id of the thing. Never a person's address: the audit outlives their erasure. */
  readonly target: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Puts an act on record, in the transaction that carries it out. */
export async function recordAct(
  tx: CampaignsTransaction,
  ports: Pick<CampaignsPorts, 'clock' | 'newId'>,
  entry: AuditEntry,
): Promise<void> {
  await tx
    .insertInto('mail_audit')
    .values({
      audit_id: ports.newId('aud'),
      at_us: ports.clock.nowMicroseconds(),
      actor: entry.actor,
      action: entry.action,
      target: entry.target,
      details_json: JSON.stringify(entry.details ?? {}),
    })
    .execute();
}
