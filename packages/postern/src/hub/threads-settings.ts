import type { PlatformConfig } from '@postern/threads/config';
import type { Config } from '../config/load.ts';
import { Secret } from '../secrets/secret.ts';

/** What the hub has to know of the threads service before it loads it: a chat platform's libraries are large. */

/** Name under which the embedded chat knows the service that owns channels. */
export const CHAT_OWNER = 'threads';

/** Channels of the embedded chat that belong to threads. */
export function threadsChannels({ threads }: Config): ReadonlyMap<string, string> {
  const local = threads?.platforms.filter(({ type }) => type === 'local') ?? [];
  return new Map(local.map(({ channelId }) => [channelId, CHAT_OWNER]));
}

/** Whose people's direct messages in the embedded chat are: those of a bot that listens there, else the inbox's. */
export function directOwner({ threads }: Config): { readonly directOwner?: string } {
  const isListening = threads?.platforms.some(
    ({ type, directMessages }) => type === 'local' && directMessages,
  );
  return isListening === true ? { directOwner: CHAT_OWNER } : {};
}

/** Tokens of platforms, for the log to blank. */
export function threadsSecrets({ threads }: Config): Secret[] {
  return (threads?.platforms ?? []).flatMap(tokensOf).map((token) => new Secret(token));
}

/** Secrets of a platform. */
export function tokensOf(platform: PlatformConfig): string[] {
  switch (platform.type) {
    case 'local':
      return [];
    case 'mattermost':
      return [platform.token];
    case 'slack':
      return [platform.botToken, platform.appToken];
  }
}
