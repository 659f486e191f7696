import { problem } from '@postern/http';
import { type FieldViolation, summariseViolations } from '@postern/kit';
import { checkTransport } from '../campaigns/check-launch.ts';
import { escapeHtml } from '../content/markup.ts';
import type { CampaignsPorts, CampaignsTransaction } from '../ports.ts';
import { confirmLink } from '../public/addresses.ts';
import type { ListTable, SubscriberTable } from '../tables.ts';
import { tokensOf } from '../tokens.ts';
import { enqueueServiceMail } from './service-mail.ts';

/**
 * What keeps confirmation mails of a list from leaving: no sender (contract, 8.9), or one that may not leave by SMTP
 * (8.10). Looked up before the transaction that would need them.
 */
export async function confirmationFaults(ports: CampaignsPorts, list: ListTable): Promise<FieldViolation[]> {
  if (list.opt_in !== 'double') return [];
  if (list.from_email !== null) {
    return checkTransport(ports, list.project_id, { email: list.from_email });
  }
  const message = 'has no from to send confirmation mails from; set it with update_list';
  return [{ field: 'list_id', code: 'invalid_state', message }];
}

/**
 * Asks somebody on a double opt-in list to confirm, in the transaction that puts them there.
 *
 * @param faults what {@link confirmationFaults} found.
 * @throws Failure precondition_failed when there are any.
 */
export async function askToConfirm(
  tx: CampaignsTransaction,
  ports: CampaignsPorts,
  list: ListTable,
  { subscriber_id, email }: SubscriberTable,
  faults: readonly FieldViolation[],
): Promise<void> {
  if (faults.length > 0 || list.from_email === null) {
    const detail = `The list cannot send its confirmation mail: ${summariseViolations(faults)}.`;
    throw problem('precondition_failed', detail, { violations: faults });
  }
  if (email === null) return;
  const link = confirmLink(
    ports.publicUrl(),
    tokensOf(ports.installationKey),
    subscriber_id,
    ports.clock.nowMicroseconds(),
  );
  await enqueueServiceMail(tx, ports, {
    projectId: list.project_id,
    to: email,
    from: { name: list.from_name, email: list.from_email },
    ...wording(list.name, link),
    kind: 'confirm',
  });
}

function wording(list: string, link: string): { subject: string; html: string; text: string } {
  const [name, address] = [escapeHtml(list), escapeHtml(link)];
  const ignore = 'If it was not you who asked for this, do nothing: without it you will get no mails.';
  return {
    subject: `Please confirm: ${list}`,
    html: [
      '<!doctype html>',
      '<html lang="en"><head><meta charset="utf-8"><title>Please confirm</title></head>',
      '<body style="font-family: sans-serif; line-height: 1.5">',
      `<p>Somebody, hopefully you, put this address on the list <b>${name}</b>.</p>`,
      `<p><a href="${address}">Yes, send me its mails</a></p>`,
      `<p>${ignore}</p>`,
      '</body></html>',
    ].join('\n'),
    text: [
      `Somebody, hopefully you, put this address on the list "${list}".`,
      '',
      'To get its mails, open this address and confirm:',
      link,
      '',
      ignore,
      '',
    ].join('\n'),
  };
}
