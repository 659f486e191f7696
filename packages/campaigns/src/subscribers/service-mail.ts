import { parseAddress } from '@postern/mail';
import type { CampaignsPorts, CampaignsTransaction } from '../ports.ts';

/** A mail the service sends by itself, about itself. */
export interface ServiceMail {
  readonly projectId: string;
  readonly to: string;
  readonly from: { readonly name: string | null; readonly email: string };
  readonly replyTo?: string | null;
  readonly subject: string;
  /** At least one of the two. */
  readonly html: string | null;
  readonly text: string | null;
  readonly kind: 'confirm' | 'test';
  /** The subscriber whose data it shows to somebody else. */
  readonly aboutId?: string | null;
}

/** Queues a mail in the transaction that gives cause for it; the engine sends it as it sends single e-mails. */
export async function enqueueServiceMail(
  tx: CampaignsTransaction,
  { clock, newId, store }: Pick<CampaignsPorts, 'clock' | 'newId' | 'store'>,
  { projectId, to, from, replyTo = null, subject, html, text, kind, aboutId = null }: ServiceMail,
): Promise<void> {
  const parsed = parseAddress(to);
  if (parsed.fault !== undefined) throw new Error(`a ${kind} mail to no address: ${parsed.fault}`);
  const now = clock.nowMicroseconds();
  await tx
    .insertInto('mail_emails')
    .values({
      email_id: newId('eml'),
      project_id: projectId,
      recipient: to,
      email_key: parsed.key,
      reference: null,
      kind,
      about_id: aboutId,
      request_json: JSON.stringify({ from, reply_to: replyTo, subject, html, text }),
      state: 'pending',
      reason: null,
      attempts: 0,
      due_us: now,
      lease_until_us: null,
      claimed_by: null,
      smtp_reply: null,
      message_id: null,
      sent_us: null,
      created_us: now,
      updated_us: now,
    })
    .execute();
  store.notify('mail_engine');
}
