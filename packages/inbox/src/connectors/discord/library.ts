/** discord.js takes half a second and fifty megabytes to load, which only those who use it shall pay. */
export type DiscordLibrary = Pick<
  typeof import('discord.js'),
  'REST' | 'DiscordAPIError' | 'HTTPError' | 'RateLimitError'
> &
  Pick<typeof import('@discordjs/ws'), 'WebSocketManager'>;

let loading: Promise<DiscordLibrary> | undefined;

export function loadDiscord(): Promise<DiscordLibrary> {
  loading ??= load();
  return loading;
}

async function load(): Promise<DiscordLibrary> {
  const { REST, DiscordAPIError, HTTPError, RateLimitError } = await import('discord.js');
  // The part of discord.js that keeps sessions; its client hides it, and fills caches that nobody here looks into.
  const { WebSocketManager } = await import('@discordjs/ws');
  return { REST, DiscordAPIError, HTTPError, RateLimitError, WebSocketManager };
}
