import type { CampaignsPorts } from '../../ports.ts';
import { configuredTransport } from '../../transports/transport.ts';
import { workerTask } from '../../workers/task.ts';
import { campaignMailer } from '../mail/campaign-mailer.ts';
import { emailMail } from '../mail/email-mailer.ts';
import type { MailerSource } from '../ports.ts';
import { runSender } from './sender.ts';

export function realMailers(ports: CampaignsPorts): MailerSource {
  return {
    campaignMailer: (campaign) => campaignMailer(ports, campaign),
    email: (email) => emailMail(ports, email),
  };
}

/** Sends on a thread of its own until it is told to stop. */
export const senderTask = workerTask(
  import.meta.url,
  'senderTask',
  async (ports, { worker, share }: { readonly worker: string; readonly share: number }, signal) => {
    const transport = configuredTransport(ports, share);
    try {
      await runSender({ ports, transport, mailers: realMailers(ports), worker }, signal);
    } finally {
      await transport.close();
    }
  },
);
