import { homedir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

export interface IMessageSettings {
  /** Absolute path of the database of Messages. */
  readonly chatDb: string;
  /** The command that runs AppleScript from standard input, with its first arguments. */
  readonly osascript: readonly string[];
  /** Country whose phone numbers come without their country code. */
  readonly region: string;
  /** Whether groups are heard. */
  readonly groups: boolean;
  readonly pollMs: number;
}

export const DEFAULT_CHAT_DB = '~/Library/Messages/chat.db';
export const DEFAULT_OSASCRIPT = ['/usr/bin/osascript'] as const;

/**
 * The settings as the connector takes them, and why it does not run: it is not enabled, or this is no Mac and
 * nothing is given to stand in for one.
 */
export function imessageSettings(
  { enabled, chatDb, ...rest }: IMessageSettings & { readonly enabled: boolean },
  { platform = process.platform as string, home = homedir() } = {},
): { readonly settings: IMessageSettings; readonly off: string | null } {
  const settings = { ...rest, chatDb: chatDb.startsWith('~/') ? join(home, chatDb.slice(2)) : chatDb };
  const isOfMac = chatDb === DEFAULT_CHAT_DB && rest.osascript[0] === DEFAULT_OSASCRIPT[0];
  if (!enabled) return { settings, off: 'inbox.connectors.imessage is not enabled.' };
  if (platform !== 'darwin' && isOfMac)
    return {
      settings,
      off: `iMessage is off: it needs the Messages app of a Mac, and this machine runs ${platform}.`,
    };
  return { settings, off: null };
}
