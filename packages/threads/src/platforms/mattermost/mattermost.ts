import type { Log } from '@postern/http';
import { type Clock, type Random, ulid } from '@postern/kit';
import type { Platform } from '../platform.ts';
import { splitMarkdown } from '../text.ts';
import { isMattermostId, serverAddress } from './address.ts';
import { mattermostApi } from './api.ts';
import { connection, type Pauses, usualPauses } from './connection.ts';
import { directory } from './directory.ts';
import { frameReader } from './events.ts';
import { files } from './files.ts';
import { introduction } from './introduction.ts';
import { postReader } from './posts.ts';
import { publishing } from './publishing.ts';
import { reading } from './reading.ts';

export interface MattermostOptions {
  /** Its id in the configuration. */
  readonly id: string;
  /** The server's address, perhaps with a sub-path; `http:` too, for those who know their network. */
  readonly url: string;
  /** Access token of the bot account. */
  readonly token: string;
  readonly channelId: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly pauses?: Partial<Pauses>;
  /** Milliseconds one call may take. */
  readonly deadlineMs?: number;
}

/** The server bears ten calls a second for long when it limits them at all; more than half is left for the rest. */
const EDIT_INTERVAL_MS = 250;

/** Mattermost over REST v4 and its WebSocket. @throws Error when the url is none. */
export function mattermostPlatform(options: MattermostOptions): Platform {
  const { id, token, channelId, clock, random, log } = options;
  const address = serverAddress(options.url);
  const newKey = () => ulid(clock, random);
  const api = mattermostApi({
    ...{ address, token, clock, random },
    ...(options.deadlineMs === undefined ? {} : { deadlineMs: options.deadlineMs }),
  });
  const people = directory(api, clock);
  const reader = postReader(api, people);
  const known = introduction(api, people, channelId);
  const read = reading(api, people, reader, channelId);
  const posts = publishing({ api, people, clock, newKey, limit: () => known.messageLimit });
  const moved = files({ api, posts, newKey, limit: () => known.fileLimit });
  const connected = connection({
    ...{ address, token, channelId, api, people, reader, clock, random, log },
    readFrame: frameReader(people, reader, channelId),
    pauses: { ...usualPauses, ...options.pauses },
    introduce: (signal) => known.ask(signal),
  });
  const message = {
    get limit() {
      return known.messageLimit;
    },
    unit: 'codepoints' as const,
  };

  return {
    id,
    kind: 'mattermost',
    channelId,
    capabilities: {
      threads: true,
      edit: true,
      reactions: true,
      typing: true,
      search: true,
      directMessages: true,
      upload: true,
      message,
      readsOwnChannelOnly: false,
      editIntervalMs: EDIT_INTERVAL_MS,
    },
    run(feed, signal) {
      posts.takeOver();
      return connected.run(feed, signal);
    },
    health: connected.health,
    self: people.self,
    split: (markdown) => splitMarkdown(markdown, message),
    post: (outgoing) => posts.post(outgoing),
    edit: posts.edit,
    delete: posts.delete,
    react: posts.react,
    unreact: posts.unreact,
    pin: posts.pin,
    async typing(channel, threadId) {
      connected.typing(channel, threadId);
    },
    upload: moved.upload,
    download: moved.download,
    ...read,
    person: people.person,
    findPerson: people.findPerson,
    channel: people.channel,
    isMember: people.isMember,
    directChannel: people.directChannel,
    parsePermalink: address.parsePermalink,
    permalink: ({ postId }) => (isMattermostId(postId) ? address.permalink(postId, known.teamName) : null),
    isChannelId: isMattermostId,
    mention: ({ name }) => `@${name}`,
  };
}
