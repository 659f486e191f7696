import { type Clock, type Random, sanitizeName } from '@postern/kit';
import { outboundLimiter } from '../limiter.ts';
import { parseLink } from '../links.ts';
import type { LookUp, NamedChannel } from '../look-up.ts';
import { slackApi } from './api.ts';
import { channels, isSlackChannelId } from './channels.ts';
import { pages } from './paging.ts';
import { directory } from './people.ts';
import { channelPage } from './shapes.ts';

export interface SlackLookUpOptions {
  readonly botToken: string;
  readonly apiUrl?: string | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds one call may take. */
  readonly deadlineMs?: number;
}

const DEADLINE_MS = 10_000;
const PAGE = 200;

export function slackLookUp(options: SlackLookUpOptions): LookUp {
  const { botToken, apiUrl, clock, random, signal, deadlineMs = DEADLINE_MS } = options;
  const limiter = outboundLimiter({ clock, rateOf: () => null });
  const api = slackApi({ token: botToken, apiUrl, limiter, clock, random, deadlineMs });
  const people = directory(api, clock);
  const rooms = channels(api, clock);

  async function byName(wanted: string): Promise<NamedChannel[]> {
    const found: NamedChannel[] = [];
    const all = pages((cursor) =>
      api.call({
        method: 'users.conversations',
        args: {
          types: 'public_channel,private_channel',
          exclude_archived: true,
          limit: PAGE,
          ...(cursor === undefined ? {} : { cursor }),
        },
        schema: channelPage,
        signal,
      }),
    );
    for await (const { channels: page } of all) {
      for (const { id, name } of page) {
        if (name?.toLowerCase() === wanted) found.push({ id, name: sanitizeName(name, id), team: null });
      }
    }
    return found;
  }

  return {
    self: async () => (await people.self(signal)).person,
    person: (text) => people.findPerson(text),
    async channels(given) {
      const text = given.trim();
      const id = idInLink(text) ?? (isSlackChannelId(text) ? text : null);
      if (id === null) return byName(text.replace(/^#/, '').toLowerCase());
      const found = await rooms.channel(id);
      return found === null ? [] : [{ id, name: found.name, team: null }];
    },
  };
}

/** The channel of a link as Slack copies it; the bot's own workspace is asked for it, so a foreign one finds nothing. */
function idInLink(text: string): string | null {
  const url = parseLink(text);
  if (url === null || !/(?:^|\.)slack\.com$/.test(url.hostname)) return null;
  const parts = url.pathname.split('/').filter((part) => part !== '');
  const id = parts[0] === 'archives' ? parts[1] : parts[0] === 'client' ? parts[2] : undefined;
  return id !== undefined && isSlackChannelId(id) ? id : null;
}
