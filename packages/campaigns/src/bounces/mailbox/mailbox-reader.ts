import { withLease } from '@postern/store';
import type { ImapFlow } from 'imapflow';
import type { PartHealth } from '../../campaigns.ts';
import type { BounceMailboxConfig } from '../../config.ts';
import type { CampaignsPorts } from '../../ports.ts';
import { MailboxError, openMailbox } from './connection.ts';
import { takeNew } from './take-new.ts';

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 300_000;
const SOURCE = 'bounce_mailbox';

export interface MailboxReader {
  start(): void;
  stop(): Promise<void>;
  health(): PartHealth;
}

/**
 * Takes in bounces and complaints from an IMAP mailbox (`campaigns.bounces.imap`), as they come where the server can
 * tell (IDLE), else at every poll. One process at a time reads; when it can't, it tries again with growing pauses.
 */
export function createMailboxReader(ports: CampaignsPorts, settings: BounceMailboxConfig): MailboxReader {
  const { store, clock, log, random } = ports;
  const stopping = new AbortController();
  let health: PartHealth = standby('waiting for its lease');
  let done: Promise<void> | undefined;

  async function standByAndRead(): Promise<void> {
    while (!stopping.signal.aborted) {
      health = standby('another process reads it');
      try {
        await withLease({ store, name: 'campaigns:bounce-mailbox', signal: stopping.signal }, readWhileHeld);
      } catch (error) {
        log.error({ err: error }, 'the lease of the bounce mailbox failed');
        await clock.sleep(FIRST_PAUSE_MS, stopping.signal);
      }
    }
  }

  async function readWhileHeld(held: AbortSignal): Promise<void> {
    let pause = FIRST_PAUSE_MS;
    health = { source: SOURCE, status: 'starting', detail: 'connecting' };
    while (!held.aborted) {
      const startedUs = clock.nowMicroseconds();
      try {
        await readOneConnection(held);
      } catch (error) {
        if (held.aborted) return;
        health = { source: SOURCE, status: 'down', detail: wordsOf(error) };
        log.warn({ err: error }, 'the bounce mailbox can not be read; tried again by itself');
        // Accounts are locked after a few wrong passwords, and a wrong one does not get right by itself.
        if (error instanceof MailboxError && error.fault === 'credentials') pause = LONGEST_PAUSE_MS;
      }
      if (clock.nowMicroseconds() - startedUs > LONGEST_PAUSE_MS * 1_000) pause = FIRST_PAUSE_MS;
      await clock.sleep(spread(pause), held);
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    }
  }

  async function readOneConnection(held: AbortSignal): Promise<void> {
    const client = await openMailbox(settings);
    const hangUp = () => client.close();
    held.addEventListener('abort', hangUp, { once: true });
    const news = newsOf(client);
    try {
      while (!held.aborted) {
        news.forget();
        await takeNew(ports, client, settings, held);
        health = { source: SOURCE, status: 'ok' };
        await news.wait(held);
      }
    } finally {
      held.removeEventListener('abort', hangUp);
      client.close();
    }
  }

  /** What the server says by itself, remembered from before it is waited for. */
  function newsOf(client: ImapFlow) {
    let heard = new AbortController();
    client.on('exists', () => heard.abort());
    client.on('close', () => heard.abort());
    return {
      forget() {
        heard = new AbortController();
      },
      async wait(held: AbortSignal): Promise<void> {
        // The next command ends it; that it failed shows there.
        if (client.capabilities.has('IDLE')) void client.idle().catch(() => undefined);
        await clock.sleep(settings.pollSeconds * 1_000, AbortSignal.any([held, heard.signal]));
        if (!client.usable && !held.aborted) {
          throw new MailboxError('interrupted', 'The mail server has closed the connection', null);
        }
      },
    };
  }

  /** Between a half and the whole, so that many hubs do not come back at once. */
  function spread(pauseMs: number): number {
    const [octet = 0] = random.bytes(1);
    return pauseMs * (0.5 + octet / 510);
  }

  return {
    start() {
      done = standByAndRead();
    },
    async stop() {
      stopping.abort();
      await done;
    },
    health: () => health,
  };
}

function standby(detail: string): PartHealth {
  return { source: SOURCE, status: 'standby', detail };
}

function wordsOf(error: unknown): string {
  return error instanceof MailboxError
    ? `${error.message}; tried again by itself`
    : 'A report could not be taken in; tried again by itself, see the log';
}

/**
 * Logs in and opens the mailbox, and reads nothing; for whoever sets it up.
 *
 * @throws MailboxError
 */
export async function tryMailbox(settings: BounceMailboxConfig): Promise<void> {
  const client = await openMailbox(settings);
  client.close();
}
