import type { Clock } from '@postern/kit';
import { ChatDatabase } from './database/chat-database.ts';
import { ChatDatabaseTrouble, FULL_DISK_ACCESS } from './database/trouble.ts';
import { osascriptRunner } from './outbound/osascript.ts';
import { AUTOMATION } from './outbound/sender.ts';
import type { IMessageSettings } from './settings.ts';

export interface IMessageCheck {
  readonly name: 'full_disk_access' | 'automation';
  readonly ok: boolean;
  readonly message: string;
  readonly remedy?: string;
}

/** Asks Messages for nothing that matters, so that macOS says whether it may be asked at all. */
const QUESTION = `tell application "Messages" to count of accounts
`;
const ANSWER_MS = 10_000;
const NOT_ALLOWED = -1743;

/** Whether the database can be read and Messages be told what to send; what to do where not. */
export async function checkIMessage(settings: IMessageSettings, clock: Clock): Promise<IMessageCheck[]> {
  return [checkDatabase(settings), await checkAutomation(settings, clock)];
}

function checkDatabase({ chatDb }: IMessageSettings): IMessageCheck {
  const name = 'full_disk_access';
  try {
    const database = new ChatDatabase(chatDb);
    const newest = database.newestRow();
    database.close();
    return { name, ok: true, message: `${chatDb} can be read, up to message ${newest}` };
  } catch (error) {
    if (!(error instanceof ChatDatabaseTrouble)) throw error;
    const remedy = {
      forbidden: FULL_DISK_ACCESS,
      missing: 'Open Messages and sign in to iMessage, or set inbox.connectors.imessage.chatDb',
      busy: 'Try again in a moment',
      broken: 'Set inbox.connectors.imessage.chatDb to the database of Messages',
    }[error.kind];
    return { name, ok: false, message: error.message, remedy };
  }
}

async function checkAutomation(settings: IMessageSettings, clock: Clock): Promise<IMessageCheck> {
  const name = 'automation';
  const outcome = await osascriptRunner(settings.osascript, clock)(QUESTION, [], {
    deadlineMs: ANSWER_MS,
    signal: new AbortController().signal,
  });
  switch (outcome.kind) {
    case 'done':
      return { name, ok: true, message: 'Messages takes what it is told to send' };
    case 'late':
      return {
        name,
        ok: false,
        message: 'Messages gave no answer',
        remedy: 'macOS may be asking on the screen of the Mac whether Postern may control Messages: allow it',
      };
    case 'not_started':
      return {
        name,
        ok: false,
        message: `${settings.osascript[0]} cannot be started: ${outcome.message}`,
        remedy: 'Set inbox.connectors.imessage.osascript, or leave it out on a Mac',
      };
    case 'failed':
      return outcome.error === NOT_ALLOWED
        ? { name, ok: false, message: 'macOS does not let Postern control Messages', remedy: AUTOMATION }
        : {
            name,
            ok: false,
            message: `Messages cannot be asked: ${outcome.message}`,
            remedy: 'Open Messages on the Mac, with a user logged in at its screen',
          };
  }
}
