import { type Clock, sanitizeName } from '@postern/kit';
import { z } from 'zod';
import type { ChannelInfo } from '../platform.ts';
import { remembered } from '../remembered.ts';
import type { SlackApi } from './api.ts';
import { orNull } from './errors.ts';
import { channelAnswer } from './shapes.ts';

export interface Channels {
  channel(channelId: string): Promise<ChannelInfo | null>;
  /** For showing a channel in a text; an answer some minutes old will do. */
  nameOf(channelId: string): Promise<string | null>;
  directChannel(personId: string): Promise<string>;
}

const MOST_NAMES = 1_000;
const KEEP_NAME_MS = 10 * 60_000;

export function isSlackChannelId(text: string): boolean {
  return /^[CGD][A-Z0-9]{5,24}$/.test(text);
}

export function channels(api: SlackApi, clock: Clock): Channels {
  async function channel(channelId: string): Promise<ChannelInfo | null> {
    if (!isSlackChannelId(channelId)) return null;
    const args = { channel: channelId };
    const answer = await orNull(api.call({ method: 'conversations.info', args, schema: channelAnswer }));
    if (answer === null) return null;
    const { id, name, is_im, is_mpim, is_private, is_member } = answer.channel;
    const isDirect = is_im === true || is_mpim === true;
    return {
      id,
      name: sanitizeName(name ?? id, id),
      visibility: isDirect ? 'direct' : is_private === true ? 'private' : 'public',
      isBotMember: isDirect || is_member === true,
    };
  }
  const names = remembered<string | null>({
    ...{ clock, most: MOST_NAMES, forMs: KEEP_NAME_MS },
    load: async (id) => (await channel(id))?.name ?? null,
  });
  return {
    channel,
    nameOf: (channelId) => names.get(channelId),
    async directChannel(personId) {
      const schema = z.object({ channel: z.object({ id: z.string() }) });
      const answer = await api.call({ method: 'conversations.open', args: { users: personId }, schema });
      return answer.channel.id;
    },
  };
}
