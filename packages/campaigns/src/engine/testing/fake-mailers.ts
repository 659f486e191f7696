import type { CampaignMailer, MailerSource, OutgoingMail, Recipient } from '../ports.ts';
import { MailBuildError } from '../ports.ts';

/** Mails of two lines; the attribute `broken` makes one that can't be written. */
export const fakeMailers: MailerSource = {
  campaignMailer: async (campaign): Promise<CampaignMailer> => ({
    fromDomain: 'example.com',
    async build(recipient: Recipient): Promise<OutgoingMail> {
      if (recipient.attributes.broken === true) throw new MailBuildError('render_error', 'line 1: broken');
      return mailTo(recipient.email, `${recipient.deliveryId}@example.com`, campaign.subject ?? '');
    },
  }),
  email: async (email) => mailTo(email.recipient, `${email.email_id}@example.com`, 'E-mail'),
};

function mailTo(to: string, messageId: string, subject: string): OutgoingMail {
  return {
    from: 'bounce@example.com',
    to,
    bytes: Buffer.from(`Message-ID: <${messageId}>\r\nSubject: ${subject}\r\n\r\nHello\r\n`),
    messageId,
    subject,
    smtpUtf8: false,
  };
}
