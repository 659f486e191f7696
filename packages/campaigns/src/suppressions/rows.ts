import type { CampaignsDatabase } from '../engine/ports.ts';
import type { CampaignsPorts, CampaignsTransaction } from '../ports.ts';
import type { SuppressionReason, SuppressionTable } from '../tables.ts';
import { suppressionHash } from './hash.ts';

type Keyed = Pick<CampaignsPorts, 'installationKey'>;

/** What keeps a project from mailing an address, if anything does. */
export function findSuppression(
  db: CampaignsDatabase,
  ports: Keyed,
  projectId: string,
  emailKey: string,
): Promise<SuppressionTable | undefined> {
  return db
    .selectFrom('mail_suppressions')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('email_hash', '=', suppressionHash(ports, projectId, emailKey))
    .executeTakeFirst();
}

export interface NewSuppression {
  readonly projectId: string;
  readonly emailKey: string;
  /** As typed; null for somebody who was erased. */
  readonly email: string | null;
  readonly reason: SuppressionReason;
  /** Where it comes from: `api`, `preferences`, `smtp`, … */
  readonly source: string;
  readonly note: string | null;
}

/** Suppresses an address; what is there already stays: the first reason counts. @returns whether it was new. */
export async function insertSuppression(
  tx: CampaignsTransaction,
  ports: Pick<CampaignsPorts, 'installationKey' | 'clock' | 'newId'>,
  suppression: NewSuppression,
): Promise<SuppressionTable | undefined> {
  return tx
    .insertInto('mail_suppressions')
    .values(rowOf(ports, suppression))
    .onConflict((conflict) => conflict.columns(['project_id', 'email_hash']).doNothing())
    .returningAll()
    .executeTakeFirst();
}

/** Suppresses an address whose person was erased: of what was there, only the hash is left. */
export async function eraseSuppression(
  tx: CampaignsTransaction,
  ports: Pick<CampaignsPorts, 'installationKey' | 'clock' | 'newId'>,
  projectId: string,
  emailKey: string,
): Promise<void> {
  const left = { email: null, reason: 'erased', source: 'erasure', note: null } as const;
  await tx
    .insertInto('mail_suppressions')
    .values(rowOf(ports, { projectId, emailKey, ...left }))
    .onConflict((conflict) => conflict.columns(['project_id', 'email_hash']).doUpdateSet(left))
    .execute();
}

function rowOf(
  ports: Pick<CampaignsPorts, 'installationKey' | 'clock' | 'newId'>,
  { projectId, emailKey, email, reason, source, note }: NewSuppression,
): SuppressionTable {
  return {
    suppression_id: ports.newId('sup'),
    project_id: projectId,
    email,
    email_hash: suppressionHash(ports, projectId, emailKey),
    reason,
    source,
    note,
    created_us: ports.clock.nowMicroseconds(),
  };
}
