import type { Clock } from '@postern/kit';
import { type Connector, type ConnectorHealth, SendError } from '../connector.ts';
import { ChatDatabase } from './database/chat-database.ts';
import { ChatDatabaseTrouble, troubleOf } from './database/trouble.ts';
import { Follower, StoreFailure } from './inbound/follower.ts';
import { SentLedger } from './ledger.ts';
import { osascriptRunner } from './outbound/osascript.ts';
import { AUTOMATION, SEND_TIMING, Sender, type SendTiming } from './outbound/sender.ts';
import type { IMessageSettings } from './settings.ts';

/** One Mac has one Messages, and guids are unique among all of them. */
const ACCOUNT = 'messages';
const SELF = { id: 'me', displayName: 'Postern' } as const;
/** Messages knows no limit; this is what reads well, and fits into an argument of a program many times. */
const LONGEST_TEXT = 10_000;
const MOST_FILES = 5;
const LARGEST_FILE = 100 * 1_048_576;

/** The Messages app of a Mac as a platform: its database is read, and it is told by AppleScript what to send. */
export function imessageConnector(
  settings: IMessageSettings,
  clock: Clock,
  timing: SendTiming = SEND_TIMING,
): Connector {
  const { chatDb, region } = settings;
  const ledger = new SentLedger(clock);
  const run = osascriptRunner(settings.osascript, clock);
  const sender = new Sender({ chatDb, region, clock, ledger, run, timing });
  let reading: ConnectorHealth = { status: 'starting' };
  let isAutomationRefused = false;

  return {
    source: 'imessage',
    account: ACCOUNT,
    self: SELF,
    capabilities: {
      text: { limit: LONGEST_TEXT, unit: 'utf16' },
      attachments: { maxCount: MOST_FILES, maxBytes: LARGEST_FILE },
      typing: false,
      replies: false,
    },

    async run(stored, sink, signal) {
      const follower = new Follower(settings, { clock, ledger, sink }, stored);
      let database: ChatDatabase | null = null;
      try {
        while (!signal.aborted) {
          try {
            if (database !== null && !database.isCurrent()) {
              database.close();
              database = null;
            }
            if (database === null) {
              database = new ChatDatabase(chatDb);
              await follower.begin(database);
            }
            await follower.look(database);
            reading = { status: 'ok' };
          } catch (error) {
            database?.close();
            database = null;
            reading = healthOf(readingTrouble(chatDb, error));
          }
          await clock.sleep(settings.pollMs, signal);
        }
      } finally {
        database?.close();
        reading = { status: 'down', detail: 'not running' };
      }
    },

    async send(part, signal) {
      try {
        const sent = await sender.send(part, signal);
        isAutomationRefused = false;
        return sent;
      } catch (error) {
        if (error instanceof SendError && error.kind === 'auth') isAutomationRefused = true;
        throw error;
      }
    },

    health() {
      if (reading.status === 'ok' && isAutomationRefused) return { status: 'degraded', detail: AUTOMATION };
      return reading;
    },
  };
}

/** @throws whatever is not the database's fault, for the runner to start again. */
function readingTrouble(chatDb: string, error: unknown): ChatDatabaseTrouble {
  if (error instanceof StoreFailure) throw error.cause;
  const isOfSystem = error instanceof Error && 'code' in error;
  if (!(error instanceof ChatDatabaseTrouble) && !isOfSystem) throw error;
  return troubleOf(chatDb, error);
}

function healthOf(trouble: ChatDatabaseTrouble): ConnectorHealth {
  return { status: trouble.kind === 'busy' ? 'degraded' : 'down', detail: trouble.message };
}
