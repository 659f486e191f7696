import { createHash } from 'node:crypto';
import { type Clock, Failure, measureText, neutraliseMassMentions, type Random } from '@postern/kit';
import { segmentsBelow } from '../links.ts';
import {
  type Person,
  type Platform,
  type PlatformCapabilities,
  PlatformError,
  type PlatformHealth,
  type Post,
  type PostRef,
} from '../platform.ts';
import { splitMarkdown } from '../text.ts';
import type { LocalChannel, LocalChat, LocalMessage } from './chat.ts';
import { fileContent, readFile } from './files.ts';
import { DIRECT_PREFIX, follow } from './following.ts';
import { translator } from './posts.ts';

export interface LocalPlatformOptions {
  /** Id of the platform in the configuration. */
  readonly id: string;
  /** Both the id and the name the bot posts under. */
  readonly botName: string;
  /** `local:<name>`; it belongs to threads, which the chat has been told. */
  readonly channelId: string;
  /** Whether people's direct messages are with this bot; they belong to threads then, as the channel does. */
  readonly directMessages: boolean;
  /** The chat as threads sees it. */
  readonly chat: LocalChat;
  readonly clock: Clock;
  readonly random: Random;
  /** Base of permalinks, asked at each use. */
  publicUrl(): string;
  /** The first wait after a failure, in milliseconds; doubled from then on. */
  readonly firstPauseMs?: number;
}

/** Bounds of the embedded chat. */
const LONGEST_TEXT = 16_000;
const LARGEST_FILE = 25 * 1_048_576;
const PAGE = 200;
const FIRST_PAUSE_MS = 500;

const CAPABILITIES: PlatformCapabilities = {
  threads: true,
  edit: true,
  reactions: true,
  typing: true,
  search: true,
  directMessages: true,
  upload: true,
  message: { limit: LONGEST_TEXT, unit: 'utf16' },
  readsOwnChannelOnly: false,
  // Each edit is a row of the log and wakes all who look on.
  editIntervalMs: 50,
};

const CHANNEL_ID = /^local:[A-Za-z0-9_+][A-Za-z0-9._@+:-]{0,79}$/;
const CHANNEL_PREFIX = 'local:';
const POST_ID = /^[A-Za-z0-9_-]{1,200}$/;

/** The embedded chat as a platform of threads. */
export function localPlatform(options: LocalPlatformOptions): Platform {
  const { chat, channelId } = options;
  const bot: Person = { id: options.botName, name: options.botName, isBot: true };
  const user = { id: bot.id, name: bot.name };
  const translate = translator(chat, bot);
  let health: PlatformHealth = { status: 'connecting' };

  const canSee = (channel: LocalChannel | null): channel is LocalChannel =>
    channel !== null &&
    (channel.id === channelId ||
      channel.type === 'group' ||
      (options.directMessages && channel.id.startsWith(DIRECT_PREFIX)) ||
      channel.members.some((member) => member.id === bot.id));

  async function assertSeen(id: string): Promise<void> {
    if (!canSee(await chat.channel(id))) throw new PlatformError('not_found', `there is no channel ${id}`);
  }

  /** The message of a reference, a tombstone too. */
  async function find(ref: PostRef): Promise<LocalMessage | null> {
    if (!POST_ID.test(ref.postId)) return null;
    const message = await chat.message(ref.postId);
    if (message === null || message.channel_id !== ref.channelId) return null;
    return canSee(await chat.channel(message.channel_id)) ? message : null;
  }

  async function change(ref: PostRef, apply: (messageId: string) => Promise<unknown>): Promise<void> {
    await writing(async () => {
      const message = await find(ref);
      if (message === null) throw new PlatformError('not_found', `there is no post ${ref.postId}`);
      await apply(message.id);
    });
  }

  /** The newest `limit` that are still there, oldest first. */
  async function newest(place: { channelId: string; threadId?: string }, limit: number): Promise<Post[]> {
    const found: LocalMessage[] = [];
    let before: string | undefined;
    while (found.length < limit) {
      const page = await chat.messages({
        ...place,
        limit: PAGE,
        ...(before === undefined ? {} : { before }),
      });
      found.unshift(...page.filter((message) => message.deleted_at === null));
      before = page[0]?.id;
      if (page.length < PAGE) break;
    }
    return Promise.all(found.slice(-limit).map(translate.post));
  }

  function outgoing(markdown: string): string {
    const text = neutraliseMassMentions(markdown);
    if (text.trim() === '') throw new PlatformError('refused', 'a post needs a text');
    if (measureText(text, 'utf16') > LONGEST_TEXT) {
      throw new PlatformError('too_large', `a post has at most ${LONGEST_TEXT} characters`);
    }
    return text;
  }

  return {
    id: options.id,
    kind: 'local',
    capabilities: CAPABILITIES,
    channelId,

    async run(feed, signal) {
      const report = (next: PlatformHealth) => {
        health = next;
      };
      await follow(
        { ...options, bot: user, translate, firstPauseMs: options.firstPauseMs ?? FIRST_PAUSE_MS, report },
        feed,
        signal,
      );
      report({ status: 'connecting', detail: 'not running' });
    },
    health: () => health,
    self: async () => bot,

    split: (markdown) => splitMarkdown(markdown, CAPABILITIES.message),
    async post({ channelId: channel, threadId, markdown, key }) {
      const text = outgoing(markdown);
      return writing(async () => {
        await assertSeen(channel);
        const nonce = key === undefined ? {} : { nonce: nonceOf(options.id, channel, key) };
        const message = { channelId: channel, user, text, threadId, attachments: [], ...nonce };
        return refOf(await chat.post(message));
      });
    },
    async edit(ref, markdown) {
      const text = outgoing(markdown);
      await change(ref, (messageId) => chat.edit({ messageId, userId: bot.id, text }));
    },
    async delete(ref) {
      await writing(async () => {
        const message = await find(ref);
        if (message !== null) await chat.remove({ messageId: message.id, userId: bot.id });
      });
    },
    react: (ref, emoji) => change(ref, (messageId) => chat.react({ messageId, userId: bot.id, emoji })),
    unreact: (ref, emoji) => change(ref, (messageId) => chat.unreact({ messageId, userId: bot.id, emoji })),
    async typing(channel) {
      // Nobody is the worse for not being told.
      await chat.typing(channel, user).catch(() => {});
    },
    async upload(file) {
      const text = file.caption === null || file.caption.trim() === '' ? '' : outgoing(file.caption);
      const open = async () => fileContent(file, LARGEST_FILE);
      const attachments = [{ name: file.name, mime: file.mime, open }];
      return writing(async () => {
        await assertSeen(file.channelId);
        const message = { channelId: file.channelId, user, text, threadId: file.threadId, attachments };
        return refOf(await chat.post(message));
      });
    },
    download: (file, limits) => reading(() => readFile(chat, file, limits)),

    readPost: (ref) =>
      reading(async () => {
        const message = await find(ref);
        return message === null || message.deleted_at !== null ? null : translate.post(message);
      }),
    readThread: (channel, threadId, limit) =>
      reading(async () => {
        await assertSeen(channel);
        return newest({ channelId: channel, threadId }, limit);
      }),
    readChannel: (channel, limit) =>
      reading(async () => {
        await assertSeen(channel);
        return newest({ channelId: channel }, limit);
      }),
    search: (query, limit) =>
      reading(async () => {
        const channels = (await chat.channels()).filter((channel) => channel.type === 'group');
        const channelIds = [...new Set([channelId, ...channels.map((channel) => channel.id)])];
        const found = await chat.search({ query, channelIds, limit });
        return Promise.all(found.map(translate.post));
      }),
    reactions: (ref) =>
      reading(async () => {
        const message = await find(ref);
        if (message === null) throw new PlatformError('not_found', `there is no post ${ref.postId}`);
        return message.reactions.flatMap(({ emoji, user_ids }) =>
          user_ids.filter((id) => id !== bot.id).map((personId) => ({ emoji, personId })),
        );
      }),

    person: (personId) =>
      reading(async () => {
        if (personId === bot.id) return bot;
        const [found] = await chat.people({ id: personId });
        return found === undefined ? null : translate.person(found);
      }),
    findPerson: (text) =>
      reading(async () => {
        const word = text.trim().replace(/^@/, '');
        if (word.toLowerCase() === bot.name.toLowerCase()) return bot;
        const [byId] = await chat.people({ id: word });
        if (byId !== undefined) return translate.person(byId);
        const [named, ...others] = await chat.people({ name: word });
        return named === undefined || others.length > 0 ? null : translate.person(named);
      }),
    channel: (id) =>
      reading(async () => {
        const channel = CHANNEL_ID.test(id) ? await chat.channel(id) : null;
        if (!canSee(channel)) return null;
        const isBotMember = channel.id === channelId || channel.members.some(({ id }) => id === bot.id);
        const visibility = channel.type === 'dm' ? 'direct' : 'public';
        return { id: channel.id, name: channel.name, visibility, isBotMember };
      }),
    isMember: (channel, personId) =>
      reading(async () => {
        const found = await chat.channel(channel);
        return canSee(found) && found.members.some(({ id }) => id === personId);
      }),
    directChannel: (personId) =>
      writing(async () => {
        const [person] = await chat.people({ id: personId });
        if (person === undefined) throw new PlatformError('not_found', `there is nobody of id ${personId}`);
        if (person.id === bot.id) throw new PlatformError('refused', 'the bot does not talk to itself');
        return (await chat.openDirect(person, user)).id;
      }),

    parsePermalink(url) {
      const [page, name, postId, ...rest] = segmentsBelow(url, options.publicUrl()) ?? [];
      if (page !== 'chat' || name === undefined || postId === undefined || rest.length > 0) return null;
      const id = `${CHANNEL_PREFIX}${name}`;
      return CHANNEL_ID.test(id) && POST_ID.test(postId) ? { channelId: id, postId, threadId: null } : null;
    },
    permalink: ({ channelId: channel, postId }) =>
      `${options.publicUrl()}/chat/${channel.slice(CHANNEL_PREFIX.length)}/${postId}`,
    isChannelId: (text) => CHANNEL_ID.test(text),
    // A name of several words is no mention, and an id never is.
    mention: ({ id, name }) => (/^[\p{L}\p{N}_+][\p{L}\p{M}\p{N}_+-]*$/u.test(name) ? `@${name}` : `@${id}`),
  };
}

function refOf(message: LocalMessage): PostRef {
  return { channelId: message.channel_id, postId: message.id };
}

/** Keys are the caller's own and of any length; nonces are the user's, who may post for several platforms. */
function nonceOf(platformId: string, channelId: string, key: string): string {
  return createHash('sha256')
    .update(JSON.stringify([platformId, channelId, key]))
    .digest('base64url');
}

const reading = <Result>(work: () => Promise<Result>) => translated(work, 'unavailable');
const writing = <Result>(work: () => Promise<Result>) => translated(work, 'unknown');

/** Refusals of the chat in the platform's words; whatever else goes wrong is the database's and gets the code given. */
async function translated<Result>(
  work: () => Promise<Result>,
  otherwise: 'unavailable' | 'unknown',
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PlatformError) throw error;
    if (error instanceof Failure) {
      switch (error.code) {
        case 'not_found':
          throw new PlatformError('not_found', error.message, { cause: error });
        case 'body_too_large':
          throw new PlatformError('too_large', error.message, { cause: error });
        case 'validation_failed':
        case 'precondition_failed':
        case 'forbidden':
        case 'conflict':
          throw new PlatformError('refused', error.message, { cause: error });
      }
    }
    throw new PlatformError(otherwise, 'the embedded chat did not answer', { cause: error });
  }
}
