import { compileMessage, messageBytes, parseAddress } from '@postern/mail';
import type { CampaignsPorts } from '../../ports.ts';
import type { EmailTable } from '../../tables.ts';
import { tokensOf } from '../../tokens.ts';
import { MailBuildError, type OutgoingMail } from '../ports.ts';
import { asBuildError } from './campaign-mailer.ts';
import { identityOf, signatureFor } from './identity.ts';

/** What a single e-mail was composed of (`mail_emails.request_json`). */
export interface ComposedEmail {
  readonly from: { readonly name: string | null; readonly email: string };
  readonly reply_to?: string | null;
  readonly subject: string;
  readonly html: string | null;
  readonly text: string | null;
}

/** Writes a single e-mail. @throws MailBuildError */
export async function emailMail(ports: CampaignsPorts, email: EmailTable): Promise<OutgoingMail> {
  try {
    return await write(ports, email, JSON.parse(email.request_json) as ComposedEmail);
  } catch (error) {
    throw asBuildError(error);
  }
}

async function write(
  ports: CampaignsPorts,
  { email_id, project_id, recipient, kind }: EmailTable,
  composed: ComposedEmail,
): Promise<OutgoingMail> {
  const sender = parseAddress(composed.from.email);
  const address = parseAddress(recipient);
  const replyTo = composed.reply_to == null ? null : parseAddress(composed.reply_to);
  if (sender.fault !== undefined || address.fault !== undefined || replyTo?.fault !== undefined) {
    throw new MailBuildError('invalid_email', 'an address is none');
  }
  const identity = await identityOf(ports, project_id, sender.domain);
  const nowUs = ports.clock.nowMicroseconds();
  const tokens = tokensOf(ports.installationKey);
  const messageId = `${tokens.messageId(email_id)}@${sender.domain}`;
  const rendered = compileMessage({
    from: { address: sender, name: composed.from.name },
    replyTo: replyTo && { address: replyTo },
    subject: composed.subject,
    html: composed.html,
    text: composed.text,
    fields: [
      { name: 'Feedback-ID', value: `${kind}:${project_id}:email:postern`, form: 'tokens' },
      // What nobody wrote gets no vacation replies (RFC 3834).
      ...(kind === 'confirm'
        ? [{ name: 'Auto-Submitted', value: 'auto-generated', form: 'tokens' } as const]
        : []),
    ],
    seed: email_id,
  }).render({ to: { address }, date: Math.floor(nowUs / 1_000), messageId, values: {} });
  return {
    from: `${tokens.bounce(email_id)}@${identity.returnPathDomain}`,
    to: address.wire,
    bytes: messageBytes(rendered, await signatureFor(identity, rendered, nowUs)),
    messageId,
    subject: composed.subject,
    smtpUtf8: rendered.utf8,
  };
}
