import { MailboxError, type MailboxFault, tryMailbox } from '@postern/campaigns';
import type { Config } from '../config/load.ts';
import { type Finding, failed, ok, warning } from './check.ts';

/** The mailbox that takes in bounces. */

const CHECK = 'campaigns.bounces.imap';
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/i;

const FIXES: Readonly<Record<MailboxFault, string>> = {
  credentials: 'Correct user and password; many providers want a password made for programs',
  mailbox: 'Set mailbox to one of the account, in the words of the server',
  tls: 'Set tls and port as the provider says, or NODE_EXTRA_CA_CERTS to a file with your own authority',
  unreachable: 'Correct host and port, and see that this machine may connect there',
  interrupted: "See the mail server's log",
};

/** Logs in and opens the mailbox, and reads nothing. */
export async function checkBounces({ campaigns }: Config): Promise<Finding[]> {
  const { imap } = campaigns.bounces;
  if (imap === undefined) return [];
  const findings = [await checkMailbox(imap)];
  if (imap.tls === 'none' && !LOOPBACK.test(imap.host)) {
    const message = `The password goes to ${imap.host} as it is, for everyone on the way to read`;
    findings.push(warning(CHECK, message, 'Set tls to implicit or starttls'));
  }
  return findings;
}

async function checkMailbox(imap: Parameters<typeof tryMailbox>[0]): Promise<Finding> {
  try {
    await tryMailbox(imap);
    return ok(CHECK, `${imap.mailbox} on ${imap.host}`);
  } catch (error) {
    if (!(error instanceof MailboxError)) throw error;
    return failed(CHECK, error.message, FIXES[error.fault]);
  }
}
