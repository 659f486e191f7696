import { parseAddress } from '@postern/mail';
import { forUpdate } from '@postern/store';
import { sql } from 'kysely';
import { deliveryStates } from '../../engine/deliveries.ts';
import { isOneOf } from '../../engine/sql.ts';
import type { CampaignsPorts, CampaignsTransaction } from '../../ports.ts';
import { tokensOf } from '../../tokens.ts';
import type { Person } from './person.ts';

const BEFORE_LEAVING = deliveryStates.statesBefore('skip') as ('pending' | 'claimed' | 'deferred')[];

/**
 * Takes a person out of single e-mails: what stays is that there was one, and what became of it. One that has not
 * left fails.
 *
 * @returns how the address was spelled in them.
 */
export async function eraseEmails(
  tx: CampaignsTransaction,
  { clock }: Pick<CampaignsPorts, 'clock'>,
  { projectId, emailKey }: Person,
): Promise<Set<string>> {
  const rows = await forUpdate(
    tx,
    tx
      .selectFrom('mail_emails')
      .select(['email_id', 'recipient'])
      .where('project_id', '=', projectId)
      .where('email_key', '=', emailKey)
      .orderBy('email_id'),
  ).execute();
  if (rows.length === 0) return new Set();
  await tx
    .updateTable('mail_emails')
    .set({ state: 'failed', reason: 'erased', lease_until_us: null, claimed_by: null })
    .where('project_id', '=', projectId)
    .where('email_key', '=', emailKey)
    .where('state', 'in', BEFORE_LEAVING)
    .execute();
  await tx
    .updateTable('mail_emails')
    .set({
      recipient: '',
      email_key: sql<string>`'erased:' || email_id`,
      reference: null,
      request_json: '{}',
      smtp_reply: null,
      updated_us: clock.nowMicroseconds(),
    })
    .where('project_id', '=', projectId)
    .where('email_key', '=', emailKey)
    .execute();
  return new Set(rows.map((row) => row.recipient));
}

/**
 * Takes what tests showed of a person out of them: their recipients are others, but their contents are the person's.
 * One that has not left fails; captured ones go whole.
 */
export async function eraseTests(
  tx: CampaignsTransaction,
  { store, clock, installationKey }: Pick<CampaignsPorts, 'store' | 'clock' | 'installationKey'>,
  { subscriberIds }: Person,
): Promise<void> {
  const isAbout = isOneOf(store.engine, 'about_id', subscriberIds);
  const rows = await forUpdate(
    tx,
    tx.selectFrom('mail_emails').select(['email_id', 'recipient']).where(isAbout).orderBy('email_id'),
  ).execute();
  if (rows.length === 0) return;
  await tx
    .updateTable('mail_emails')
    .set({ state: 'failed', reason: 'erased', lease_until_us: null, claimed_by: null })
    .where(isAbout)
    .where('state', 'in', BEFORE_LEAVING)
    .execute();
  await tx
    .updateTable('mail_emails')
    .set({ about_id: null, request_json: '{}', updated_us: clock.nowMicroseconds() })
    .where(isAbout)
    .execute();
  const tokens = tokensOf(installationKey);
  for (const { email_id, recipient } of rows) {
    const address = parseAddress(recipient);
    if (address.fault !== undefined) continue;
    await tx
      .deleteFrom('mail_captured')
      .where('rcpt_to', '=', address.wire)
      .where('mail_from', 'like', `${tokens.bounce(email_id)}@%`)
      .execute();
  }
}

/**
 * Captured mails to the person go whole. They know nothing of projects, and are kept for a while only.
 *
 * @param spellings of the address, as it stood on the wire.
 */
export async function eraseCaptured(tx: CampaignsTransaction, spellings: ReadonlySet<string>): Promise<void> {
  await tx
    .deleteFrom('mail_captured')
    .where('rcpt_to', 'in', [...spellings])
    .execute();
}
