import type { Log } from '@postern/http';
import { type Clock, type Random, ulid } from '@postern/kit';
import { outboundLimiter, type Rate } from '../limiter.ts';
import { type Platform, PlatformError } from '../platform.ts';
import { splitMarkdown } from '../text.ts';
import { slackApi } from './api.ts';
import { EDIT_INTERVAL_MS, slackRate } from './budgets.ts';
import { channels, isSlackChannelId } from './channels.ts';
import { connection } from './connection.ts';
import { files } from './files.ts';
import { toMrkdwn } from './mrkdwn.ts';
import { type Pauses, usualPauses } from './pauses.ts';
import { directory } from './people.ts';
import { parsePermalink, permalinkOf } from './permalinks.ts';
import { postReader } from './posts.ts';
import { MESSAGE_LIMIT, publishing } from './publishing.ts';
import { reading } from './reading.ts';

export interface SlackOptions {
  /** Its id in the configuration. */
  readonly id: string;
  /** `xoxb-…` */
  readonly botToken: string;
  /** `xapp-…`, with `connections:write`. */
  readonly appToken: string;
  readonly channelId: string;
  /** Instead of Slack's own Web API. */
  readonly apiUrl?: string | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly pauses?: Partial<Pauses>;
  /** Milliseconds one call may take. */
  readonly deadlineMs?: number;
  /** How long after a lost answer, or an upload, its post is looked for. */
  readonly lookAfterMs?: number;
  /** Budgets of methods other than Slack's. */
  rateOf?(key: string): Rate | null;
}

/** Rendering may shorten a text, but not to half of it; such a text is divided without a look at its markup. */
const measured = (markdown: string) => (markdown.length > 2 * MESSAGE_LIMIT ? markdown : toMrkdwn(markdown));

const DEADLINE_MS = 30_000;
const LOOK_AFTER_MS = 1_500;

/** Slack over its Web API and Socket Mode. */
export function slackPlatform(options: SlackOptions): Platform {
  const { id, botToken, appToken, channelId, apiUrl, clock, random, log } = options;
  const { deadlineMs = DEADLINE_MS, lookAfterMs = LOOK_AFTER_MS, rateOf = slackRate } = options;
  const limiter = outboundLimiter({ clock, rateOf });
  const api = slackApi({ token: botToken, apiUrl, limiter, clock, random, deadlineMs });
  const people = directory(api, clock);
  const rooms = channels(api, clock);
  const reader = postReader(people, rooms);
  const read = reading(api, people, reader);
  const posts = publishing({ api, clock, newKey: () => ulid(clock, random), lookAfterMs });
  const moved = files({ api, token: botToken, apiUrl, publishing: posts, clock, random, lookAfterMs });
  const connected = connection({
    ...{ api, appToken, apiUrl, channelId, people, reader, clock, random, log, deadlineMs },
    pauses: { ...usualPauses, ...options.pauses },
  });
  const message = { limit: MESSAGE_LIMIT, unit: 'utf16' as const };

  return {
    id,
    kind: 'slack',
    channelId,
    capabilities: {
      threads: true,
      edit: true,
      reactions: true,
      typing: false,
      search: false,
      directMessages: true,
      upload: true,
      message,
      readsOwnChannelOnly: true,
      editIntervalMs: EDIT_INTERVAL_MS,
    },
    run(feed, signal) {
      posts.takeOver();
      return connected.run(feed, signal);
    },
    health: connected.health,
    self: async (signal) => (await people.self(signal)).person,
    split: (markdown) => splitMarkdown(markdown, message, measured, (text) => text),
    post: posts.post,
    edit: posts.edit,
    delete: posts.delete,
    react: posts.react,
    unreact: posts.unreact,
    pin: posts.pin,
    async typing() {},
    upload: moved.upload,
    download: moved.download,
    ...read,
    async search() {
      throw new PlatformError('unsupported', 'Slack lets no bot search');
    },
    person: people.person,
    findPerson: people.findPerson,
    channel: rooms.channel,
    isMember: people.isMember,
    directChannel: rooms.directChannel,
    parsePermalink(url) {
      const self = people.knownSelf();
      return self === null ? null : parsePermalink(url, self);
    },
    permalink(ref) {
      const self = people.knownSelf();
      return self === null ? null : permalinkOf(ref, self);
    },
    isChannelId: isSlackChannelId,
    mention: ({ id: personId }) => `<@${personId}>`,
  };
}
