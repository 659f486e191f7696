import type { Clock } from '@postern/kit';
import type { ImapFlow } from 'imapflow';
import type { BounceMailboxConfig } from '../../config.ts';

/** A connection to an IMAP server (RFC 9051, RFC 3501) with one mailbox open, and what can be wrong with it. */

const CONNECT_MS = 20_000;
const ANSWER_MS = 60_000;
const CONNECTION_BROKE = 'The connection to the mail server broke';
const LONGEST_LINE = 16_777_216;
/** The status part and the returned header stand before whatever else a report returns. */
export const MOST_READ = 1_048_576;

export type MailboxFault = 'credentials' | 'mailbox' | 'tls' | 'unreachable' | 'interrupted';

/** Why a mailbox can't be read. The message is for the operator, and holds no names of servers or accounts. */
export class MailboxError extends Error {
  override readonly name = 'MailboxError';
  readonly fault: MailboxFault;

  constructor(fault: MailboxFault, message: string, cause: unknown) {
    super(message, { cause });
    this.fault = fault;
  }
}

/**
 * Connects, logs in and opens the mailbox, and the one that reports are moved to.
 *
 * @throws MailboxError
 */
export async function openMailbox(settings: BounceMailboxConfig): Promise<ImapFlow> {
  const { host, tls, user, password, mailbox, moveTo, pollSeconds } = settings;
  // Loaded only here: it is large, and most hubs and every short command have no such mailbox.
  const { ImapFlow: Client } = await import('imapflow');
  const client = new Client({
    host,
    port: portOf(settings),
    secure: tls === 'implicit',
    doSTARTTLS: tls === 'starttls',
    auth: { user, pass: password },
    clientInfo: { name: 'Postern' },
    logger: false,
    disableAutoIdle: true,
    disableCompression: true,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    // A connection that waits for mail is quiet for as long as that.
    socketTimeout: pollSeconds * 1_000 + CONNECT_MS,
    maxLineLength: LONGEST_LINE,
    maxLiteralSize: 2 * MOST_READ,
    maxResponseSize: LONGEST_LINE + 2 * MOST_READ,
  });
  // Whoever waits for an answer is told; an event without a listener would end the process.
  client.on('error', () => client.close());
  try {
    await client.connect();
  } catch (error) {
    client.close();
    throw connectFault(error, tls);
  }
  try {
    if (moveTo !== undefined) await client.mailboxCreate(moveTo).catch(ifRefused);
    await client.mailboxOpen(mailbox);
  } catch (error) {
    client.close();
    throw isRefusal(error)
      ? new MailboxError('mailbox', 'The mail server has no such mailbox, or does not open it', error)
      : connectFault(error, tls);
  }
  return client;
}

/** A tagged NO or BAD, as against a connection that broke. */
function isRefusal(error: unknown): boolean {
  return 'responseStatus' in Object(error);
}

/** Not every server says why it makes no mailbox; whether there is one shows when something is moved there. */
function ifRefused(error: unknown): void {
  if (!isRefusal(error)) throw error;
}

/**
 * Waits for the answer to a command, and hangs up when it does not come.
 *
 * @throws MailboxError `interrupted` when the connection broke or nothing came in time.
 */
export async function inTime<T>(clock: Clock, client: ImapFlow, answer: Promise<T>): Promise<T> {
  const done = new AbortController();
  const tooLate = clock.sleep(ANSWER_MS, done.signal).then(() => {
    if (done.signal.aborted) return;
    client.close();
    throw new MailboxError('interrupted', 'The mail server did not answer in time', null);
  });
  try {
    const given = await Promise.race([answer, tooLate.then(() => answer)]);
    // Some commands only answer `false` when the connection breaks under them.
    if (!client.usable) throw new MailboxError('interrupted', CONNECTION_BROKE, null);
    return given;
  } catch (error) {
    throw error instanceof MailboxError || isRefusal(error)
      ? error
      : new MailboxError('interrupted', CONNECTION_BROKE, error);
  } finally {
    done.abort();
  }
}

export function portOf({ port, tls }: BounceMailboxConfig): number {
  return port ?? (tls === 'implicit' ? 993 : 143);
}

/** Under this name the store knows the mailbox. */
export function nameOf(settings: BounceMailboxConfig): string {
  return `${settings.user} ${settings.host}:${portOf(settings)} ${settings.mailbox}`;
}

function connectFault(error: unknown, tls: BounceMailboxConfig['tls']): MailboxError {
  const { authenticationFailed, code } = Object(error) as { authenticationFailed?: unknown; code?: unknown };
  if (authenticationFailed === true) {
    return new MailboxError('credentials', 'The mail server refuses the user name or the password', error);
  }
  if (isTlsFault(code, error)) {
    const words =
      tls === 'starttls'
        ? 'The mail server does not offer STARTTLS, or its certificate is not trusted'
        : "The mail server's certificate is not trusted, or it does not speak TLS on this port";
    return new MailboxError('tls', words, error);
  }
  return new MailboxError('unreachable', 'The mail server cannot be reached', error);
}

const TLS_CODE = /CERT|SELF_SIGNED|TLS|SSL|EPROTO|UNABLE_TO_VERIFY/;

function isTlsFault(code: unknown, error: unknown): boolean {
  if (typeof code === 'string' && TLS_CODE.test(code)) return true;
  return error instanceof Error && /STARTTLS/i.test(error.message);
}
