import { parseReport, type Report, type ReportRecipient } from '@postern/mail';
import { forUpdate } from '@postern/store';
import { addToCampaignCounts } from '../counts.ts';
import { deliveryStates } from '../engine/deliveries.ts';
import type { CampaignsPorts, CampaignsTransaction } from '../ports.ts';
import { lockSuppressions } from '../suppressions/lock.ts';
import type { DeliveryState } from '../tables.ts';
import { tokensOf } from '../tokens.ts';
import { emitEvents } from '../webhooks/events.ts';
import { BOUNCED_AFTER_SENDING, hasBouncedTooOften, refuseAddress } from './effects.ts';

/**
 * What comes back: bounces and complaints find the mail they are about, and do to its recipient what the same words
 * would have done during the SMTP dialogue. Delays, automatic replies and letters do nothing.
 */

export type IntakeOutcome =
  | 'bounced'
  | 'complained'
  /** Known already; a report may come twice. */
  | 'repeated'
  /** About a mail of ours, and nothing follows from it. */
  | 'noted'
  /** About no mail that we know. */
  | 'unknown';

/**
 * Takes in one message that came back.
 *
 * @param raw the message; any bytes.
 * @param envelopeTo the recipients of its envelope, which hold the return path's token.
 */
export async function takeReport(
  ports: CampaignsPorts,
  raw: Uint8Array,
  envelopeTo: readonly string[],
): Promise<IntakeOutcome> {
  const tokens = tokensOf(ports.installationKey);
  const readToken = (address: string) => tokens.readBounce(address.slice(0, address.lastIndexOf('@')));
  const report = parseReport(raw, { envelopeTo, readToken });
  const [leftSide = ''] = (report.original.messageId ?? '').split('@');
  const id = report.token ?? tokens.readMessageId(leftSide);
  if (id === null) return 'unknown';
  const meaning = meaningOf(report);
  if (meaning === null) return 'noted';
  return ports.store.transaction(async (tx) => {
    const mail = await findMail(tx, ports, id);
    if (mail === null) return 'unknown';
    return meaning.kind === 'complaint' ? complain(tx, ports, mail) : bounce(tx, ports, mail, meaning);
  });
}

type Meaning =
  | { readonly kind: 'complaint' }
  | {
      readonly kind: 'bounce';
      /** `blame`: of the sender or the message; suppresses nobody. */
      readonly how: 'hard' | 'soft' | 'blame';
      readonly status: string | null;
      readonly words: string | null;
    };

const NO_COMPLAINTS: ReadonlySet<string> = new Set(['not-spam', 'auth-failure', 'dmarc']);

function meaningOf(report: Report): Meaning | null {
  if (report.kind === 'complaint') {
    return NO_COMPLAINTS.has(report.feedbackType ?? '') ? null : { kind: 'complaint' };
  }
  if (report.kind !== 'bounce') return null;
  const failed = report.recipients.find(({ action }) => action === 'failed');
  if (!failed) return null;
  return { kind: 'bounce', how: howOf(failed), status: failed.status, words: failed.diagnostic };
}

function howOf({ class: outcome }: ReportRecipient): 'hard' | 'soft' | 'blame' {
  if (outcome === 'hard_bounce') return 'hard';
  return outcome === 'sender_fault' || outcome === 'content_fault' ? 'blame' : 'soft';
}

interface Mail {
  readonly ledger: 'campaign' | 'email';
  readonly id: string;
  readonly projectId: string;
  readonly campaignId: string | null;
  readonly subscriberId: string | null;
  readonly email: string;
  readonly emailKey: string;
  readonly state: DeliveryState;
  readonly reason: string | null;
}

/** Locks the mail's row, after the lock that keeps erasures apart; an erased recipient is nobody any more. */
async function findMail(tx: CampaignsTransaction, ports: CampaignsPorts, id: string): Promise<Mail | null> {
  const isDelivery = id.startsWith('dlv_');
  const project = isDelivery
    ? await tx
        .selectFrom('mail_deliveries')
        .select('project_id')
        .where('delivery_id', '=', id)
        .executeTakeFirst()
    : await tx.selectFrom('mail_emails').select('project_id').where('email_id', '=', id).executeTakeFirst();
  if (!project) return null;
  await lockSuppressions(tx, ports, project.project_id, 'shared');
  const mail = isDelivery ? await delivery(tx, id) : await singleEmail(tx, id);
  return mail === null || mail.emailKey.startsWith('erased:') ? null : mail;
}

async function delivery(tx: CampaignsTransaction, id: string): Promise<Mail | null> {
  const query = tx.selectFrom('mail_deliveries').selectAll().where('delivery_id', '=', id);
  const row = await forUpdate(tx, query).executeTakeFirst();
  return row
    ? {
        ledger: 'campaign',
        id,
        projectId: row.project_id,
        campaignId: row.campaign_id,
        subscriberId: row.subscriber_id,
        email: row.email,
        emailKey: row.email_key,
        state: row.state,
        reason: row.reason,
      }
    : null;
}

async function singleEmail(tx: CampaignsTransaction, id: string): Promise<Mail | null> {
  const query = tx.selectFrom('mail_emails').selectAll().where('email_id', '=', id);
  const row = await forUpdate(tx, query).executeTakeFirst();
  return row
    ? {
        ledger: 'email',
        id,
        projectId: row.project_id,
        campaignId: null,
        subscriberId: null,
        email: row.recipient,
        emailKey: row.email_key,
        state: row.state,
        reason: row.reason,
      }
    : null;
}

async function bounce(
  tx: CampaignsTransaction,
  ports: CampaignsPorts,
  mail: Mail,
  { how, status, words }: Extract<Meaning, { kind: 'bounce' }>,
): Promise<IntakeOutcome> {
  const reason = { hard: BOUNCED_AFTER_SENDING, soft: 'soft_bounce', blame: 'sender_fault' }[how];
  // A mail bounces once; what was refused in the dialogue can't come back.
  const isOut = mail.state === 'sent' || mail.state === 'unknown' || mail.state === 'submitted';
  if (!isOut || mail.reason === reason || mail.reason === BOUNCED_AFTER_SENDING) return 'repeated';
  await writeReason(tx, ports, mail, reason);
  await recordEvent(tx, ports, mail, 'bounced', { kind: how, status, reply: words?.slice(0, 500) ?? null });
  if (how === 'hard') await refuseAddress(tx, ports, mail, 'hard_bounce', 'dsn');
  else if (how === 'soft' && (await hasBouncedTooOften(tx, ports, mail))) {
    await refuseAddress(tx, ports, mail, 'hard_bounce', 'soft_bounces');
  }
  await emitEvents(tx, ports, [
    {
      projectId: mail.projectId,
      type: 'delivery.bounced',
      data: { ...dataOf(mail), kind: how, reason, status },
    },
  ]);
  return 'bounced';
}

/** What was sent stays sent, and says that it came back; of what was unknown it is known now. */
async function writeReason(
  tx: CampaignsTransaction,
  { clock }: CampaignsPorts,
  mail: Mail,
  reason: string,
): Promise<void> {
  const isUnknown = mail.state === 'unknown';
  const state = isUnknown ? deliveryStates.next('unknown', 'fail') : mail.state;
  const change = { reason, updated_us: clock.nowMicroseconds() };
  if (mail.ledger === 'email') {
    await tx
      .updateTable('mail_emails')
      .set({ ...change, ...(isUnknown ? { state: 'failed' as const } : {}) })
      .where('email_id', '=', mail.id)
      .execute();
    return;
  }
  await tx
    .updateTable('mail_deliveries')
    .set({ ...change, state })
    .where('delivery_id', '=', mail.id)
    .execute();
  if (isUnknown && mail.campaignId !== null) {
    await addToCampaignCounts(tx, mail.campaignId, { unknown: -1, [state]: 1 });
  }
}

async function complain(tx: CampaignsTransaction, ports: CampaignsPorts, mail: Mail): Promise<IntakeOutcome> {
  if (mail.reason === 'complaint') return 'repeated';
  if (mail.state !== 'unknown') await writeReason(tx, ports, mail, 'complaint');
  await recordEvent(tx, ports, mail, 'complained', {});
  await refuseAddress(tx, ports, mail, 'complaint', 'arf');
  await emitEvents(tx, ports, [
    { projectId: mail.projectId, type: 'delivery.complained', data: dataOf(mail) },
  ]);
  return 'complained';
}

async function recordEvent(
  tx: CampaignsTransaction,
  { clock, newId }: CampaignsPorts,
  { projectId, campaignId, subscriberId }: Mail,
  type: 'bounced' | 'complained',
  details: Readonly<Record<string, unknown>>,
): Promise<void> {
  if (campaignId === null) return;
  await tx
    .insertInto('mail_events')
    .values({
      event_id: newId('evt'),
      project_id: projectId,
      campaign_id: campaignId,
      subscriber_id: subscriberId,
      type,
      details_json: JSON.stringify(details),
      at_us: clock.nowMicroseconds(),
    })
    .execute();
}

function dataOf({ ledger, id, campaignId, subscriberId, email }: Mail) {
  return {
    delivery_id: ledger === 'campaign' ? id : null,
    email_id: ledger === 'email' ? id : null,
    campaign_id: campaignId,
    subscriber_id: subscriberId,
    email,
  };
}
