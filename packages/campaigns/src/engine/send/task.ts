import type { EmailTable } from '../../tables.ts';
import type { ClaimedDelivery } from '../ledger/claim.ts';
import type { AboutToLeave } from '../ledger/gate.ts';
import type { Settlement } from '../ledger/settle.ts';
import type { CampaignMailer, MailerSource, OutgoingMail } from '../ports.ts';

/** A claimed mail on its way through a worker. */
export interface SendTask extends AboutToLeave {
  readonly email: string;
  /** A-label; throttles and slow-downs go by it. */
  readonly destination: string;
  readonly attempts: number;
  /** @throws MailBuildError */
  build(): Promise<OutgoingMail>;
}

export function campaignTask(delivery: ClaimedDelivery, mailer: CampaignMailer): SendTask {
  const { recipient, projectId, campaignId, attempts } = delivery;
  return {
    ledger: 'campaign',
    id: recipient.deliveryId,
    projectId,
    campaignId,
    subscriberId: recipient.subscriberId,
    emailKey: recipient.emailKey,
    emailHash: delivery.emailHash,
    email: recipient.email,
    destination: domainOf(recipient.emailKey),
    attempts,
    build: () => mailer.build(recipient),
  };
}

export function emailTask(row: EmailTable, mailers: MailerSource): SendTask {
  return {
    ledger: 'email',
    id: row.email_id,
    projectId: row.project_id,
    campaignId: null,
    subscriberId: null,
    emailKey: row.email_key,
    email: row.recipient,
    destination: domainOf(row.email_key),
    attempts: row.attempts,
    build: () => mailers.email(row),
  };
}

/** What of a settlement says which mail it is about. */
export function settlementOf(
  task: SendTask,
  step: Pick<Settlement, 'from' | 'event'> & Partial<Settlement>,
): Settlement {
  const { ledger, id, projectId, campaignId, subscriberId, email, emailKey } = task;
  return { ledger, id, projectId, campaignId, subscriberId, email, emailKey, answer: null, ...step };
}

/** A canonical address is `local@domain` in A-labels, and a domain holds no @; an erased one has none. */
function domainOf(emailKey: string): string {
  return emailKey.slice(emailKey.lastIndexOf('@') + 1);
}
