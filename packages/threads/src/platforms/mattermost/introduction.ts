import { PlatformError } from '../platform.ts';
import { type MattermostApi, Refusal } from './api.ts';
import { type Directory, orNull } from './directory.ts';
import { wireChannel, wireClientConfig, wireTeam } from './wire.ts';

/** What the server says of the bot and its channel, asked anew at every connection. */
export interface Introduction {
  /** Whether the bot may work there. @throws PlatformError with a sentence that says what to do. */
  ask(signal: AbortSignal): Promise<void>;
  /** Longest text of a post, in code points. */
  readonly messageLimit: number;
  /** Largest file in bytes; null until it is known. */
  readonly fileLimit: number | null;
  readonly teamName: string | null;
}

/** What servers allow unless their database is from before 2018. */
export const USUAL_MESSAGE_LIMIT = 16_383;
/** A server that names a limit outside of this is not believed. */
const SMALLEST_LIMIT = 1_000;
const LARGEST_LIMIT = 1_000_000;

export const SENTENCES = {
  token:
    'Mattermost refuses the token: make a new access token for the bot account and put it into the configuration.',
  channel:
    'Mattermost shows no channel of that channelId: check the id, and add the bot to the team and the channel.',
  archived: 'The channel of that channelId is archived: unarchive it, or set the channelId of another one.',
  member: 'The bot is not a member of its channel: invite it there with /invite and its name.',
} as const;

export function introduction(api: MattermostApi, people: Directory, channelId: string): Introduction {
  let messageLimit = USUAL_MESSAGE_LIMIT;
  let fileLimit: number | null = null;
  let teamName: string | null = null;
  return {
    async ask(signal) {
      const self = await people.self(signal).catch((error: unknown) => {
        if (error instanceof Refusal && error.status === 401) {
          throw new PlatformError('unauthorized', SENTENCES.token, { cause: error });
        }
        throw error;
      });
      const channel = await orNull(
        api.call({ name: 'read the channel', path: `/channels/${channelId}`, schema: wireChannel, signal }),
      );
      if (channel === null) throw new PlatformError('not_found', SENTENCES.channel);
      if (channel.delete_at > 0) throw new PlatformError('refused', SENTENCES.archived);
      if (!(await people.isMember(channelId, self.id))) {
        throw new PlatformError('unauthorized', SENTENCES.member);
      }
      if (channel.team_id !== '') {
        const path = `/teams/${channel.team_id}`;
        teamName =
          (await optional(api.call({ name: 'read the team', path, schema: wireTeam })))?.name ?? null;
      }
      const config = await optional(
        api.call({
          name: 'read the limits of the server',
          path: '/config/client',
          query: { format: 'old' },
          schema: wireClientConfig,
          signal,
        }),
      );
      const limit = Number(config?.MaxPostSize ?? Number.NaN);
      if (limit >= SMALLEST_LIMIT && limit <= LARGEST_LIMIT) messageLimit = Math.floor(limit);
      const largest = Number(config?.MaxFileSize ?? Number.NaN);
      if (largest > 0) fileLimit = largest;
    },
    get messageLimit() {
      return messageLimit;
    },
    get fileLimit() {
      return fileLimit;
    },
    get teamName() {
      return teamName;
    },
  };
}

/** Null for what the server does not tell; the bot works without it. */
async function optional<Value>(asked: Promise<Value>): Promise<Value | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof PlatformError && error.code !== 'unavailable' && error.code !== 'unknown')
      return null;
    throw error;
  }
}
