import * as z from 'zod';
import { type DiscordApi, DiscordError, openApi } from './api.ts';
import type { DiscordOptions } from './options.ts';
import { userSchema } from './payloads.ts';

/** What is asked altogether may take so long. */
const DEADLINE_MS = 15_000;
/** Listed channels that are looked at. */
const MOST_CHANNELS = 25;
/** ApplicationFlags: the intent as bots have it in up to a hundred servers, and in more. */
const MESSAGE_CONTENT = (1 << 18) | (1 << 19);

export interface DiscordCheck {
  readonly name: 'token' | 'intents' | 'channels';
  readonly ok: boolean;
  /** Sentences for the operator, without secrets. */
  readonly message: string;
  readonly remedy?: string;
}

const applicationSchema = z.object({ flags: z.int().default(0) });

/** Tries what the connector needs of Discord, and changes nothing there. */
export async function checkDiscord(
  options: Pick<DiscordOptions, 'token' | 'apiUrl' | 'channels'>,
): Promise<DiscordCheck[]> {
  const signal = AbortSignal.timeout(DEADLINE_MS);
  const api = await openApi(options);
  const checks: DiscordCheck[] = [];
  try {
    const { username, id } = userSchema.parse(await api.get('/users/@me', signal));
    checks.push({ name: 'token', ok: true, message: `Signed in as ${username || id}` });
    checks.push(await checkIntents(api, signal));
    checks.push(...(await checkChannels(api, options.channels ?? [], signal)));
  } catch (error) {
    checks.push(troubleWith(checks.length === 0 ? 'token' : 'intents', error));
  }
  return checks;
}

async function checkIntents(api: DiscordApi, signal: AbortSignal): Promise<DiscordCheck> {
  const { flags } = applicationSchema.parse(await api.get('/applications/@me', signal));
  if ((flags & MESSAGE_CONTENT) !== 0)
    return { name: 'intents', ok: true, message: 'The Message Content intent is on' };
  return {
    name: 'intents',
    ok: false,
    message: 'The Message Content intent is off, and the gateway refuses the bot without it',
    remedy: 'Switch it on in the Developer Portal under Bot, Privileged Gateway Intents',
  };
}

async function checkChannels(
  api: DiscordApi,
  channels: readonly string[],
  signal: AbortSignal,
): Promise<DiscordCheck[]> {
  const checks: DiscordCheck[] = [];
  for (const id of channels.slice(0, MOST_CHANNELS)) {
    try {
      const { name } = await api.channel(id, signal);
      checks.push({ name: 'channels', ok: true, message: `Sees ${name ? `#${name} (${id})` : id}` });
    } catch (error) {
      const isOurs =
        error instanceof DiscordError && (error.trouble === 'forbidden' || error.trouble === 'missing');
      if (!isOurs) throw error;
      checks.push({
        name: 'channels',
        ok: false,
        message: `The bot cannot see channel ${id}`,
        remedy:
          'Correct inbox.connectors.discord.channels, or give the bot View Channel and Read Message History',
      });
    }
  }
  const left = channels.length - MOST_CHANNELS;
  if (left > 0) {
    const message = `The other ${left} listed channels were not looked at`;
    checks.push({ name: 'channels', ok: true, message });
  }
  return checks;
}

function troubleWith(name: DiscordCheck['name'], error: unknown): DiscordCheck {
  if (error instanceof DiscordError && error.trouble === 'auth') {
    return {
      name: 'token',
      ok: false,
      message: 'Discord refuses the token',
      remedy: 'Set inbox.connectors.discord.token to the one the Developer Portal shows under Bot',
    };
  }
  return {
    name,
    ok: false,
    message: error instanceof DiscordError ? error.message : 'Discord answered in a form that is not known',
    remedy: 'Check that this machine reaches discord.com, or what inbox.connectors.discord.apiUrl names',
  };
}
