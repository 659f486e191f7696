/** A workspace as Slack keeps it. */

export interface StoredUser {
  readonly id: string;
  readonly name: string;
  displayName: string;
  readonly isBot: boolean;
  deleted: boolean;
}

export interface StoredChannel {
  readonly id: string;
  readonly name: string;
  readonly kind: 'public' | 'private' | 'im';
  /** In the order in which they joined. */
  readonly members: Set<string>;
}

export interface StoredFile {
  readonly id: string;
  readonly name: string;
  mime: string;
  bytes: Uint8Array | null;
  readonly length: number;
  share: { channel: string; ts: string } | null;
  /** Where it is said to lie, instead of here. */
  url?: string;
  /** So many times more files.info does not tell yet where it was shared. */
  hiddenShares: number;
}

export interface StoredMessage {
  readonly channel: string;
  readonly ts: string;
  readonly threadTs: string | null;
  subtype: string | null;
  readonly user: string | null;
  readonly botId: string | null;
  readonly username: string | null;
  text: string;
  editedTs: string | null;
  readonly files: StoredFile[];
  readonly reactions: Map<string, string[]>;
  isPinned?: boolean;
  readonly metadata: unknown;
  /** Fields of the wire form that a test set itself. */
  readonly extra: Readonly<Record<string, unknown>>;
}

export interface World {
  readonly teamId: string;
  readonly teamUrl: string;
  readonly bot: { readonly id: string; readonly botId: string; readonly name: string };
  readonly users: Map<string, StoredUser>;
  readonly channels: Map<string, StoredChannel>;
  readonly messages: Map<string, StoredMessage[]>;
  readonly files: Map<string, StoredFile>;
  newId(prefix: string): string;
  newTs(): string;
  find(channel: string, ts: string): StoredMessage | null;
  add(message: Partial<StoredMessage> & Pick<StoredMessage, 'channel' | 'text'>): StoredMessage;
  /** The root's own thread_ts is given as soon as there are replies, as Slack does. */
  wire(message: StoredMessage, withMetadata?: boolean): Record<string, unknown>;
}

export function createWorld(): World {
  const bot = { id: 'U0BOT00001', botId: 'B0BOT00001', name: 'postern' };
  const users = new Map<string, StoredUser>();
  const channels = new Map<string, StoredChannel>();
  const messages = new Map<string, StoredMessage[]>();
  const files = new Map<string, StoredFile>();
  let counter = 0;
  let lastMicroseconds = 0;
  users.set(bot.id, { id: bot.id, name: bot.name, displayName: '', isBot: true, deleted: false });

  const world: World = {
    teamId: 'T0TEAM0001',
    teamUrl: 'https://postern-test.slack.com/',
    bot,
    users,
    channels,
    messages,
    files,
    newId(prefix) {
      counter += 1;
      return `${prefix}0${String(counter).padStart(8, '0')}`;
    },
    newTs() {
      lastMicroseconds = Math.max(lastMicroseconds + 1, Date.now() * 1_000);
      return `${Math.floor(lastMicroseconds / 1_000_000)}.${String(lastMicroseconds % 1_000_000).padStart(6, '0')}`;
    },
    find: (channel, ts) => messages.get(channel)?.find((message) => message.ts === ts) ?? null,
    add(given) {
      const message: StoredMessage = {
        ts: world.newTs(),
        threadTs: null,
        subtype: null,
        user: null,
        botId: null,
        username: null,
        editedTs: null,
        files: [],
        reactions: new Map(),
        metadata: null,
        extra: {},
        ...given,
      };
      const list = messages.get(message.channel) ?? [];
      list.push(message);
      messages.set(message.channel, list);
      for (const file of message.files) file.share = { channel: message.channel, ts: message.ts };
      return message;
    },
    wire(message, withMetadata = false) {
      const replies = (messages.get(message.channel) ?? []).filter(({ threadTs }) => threadTs === message.ts);
      const last = replies.at(-1);
      return {
        type: 'message',
        ...(message.subtype === null ? {} : { subtype: message.subtype }),
        ...(message.user === null ? {} : { user: message.user }),
        ...(message.botId === null ? {} : { bot_id: message.botId, app_id: 'A0APP00001' }),
        ...(message.username === null ? {} : { username: message.username }),
        text: message.text,
        ts: message.ts,
        ...(message.threadTs === null ? {} : { thread_ts: message.threadTs }),
        ...(last === undefined
          ? {}
          : { thread_ts: message.ts, reply_count: replies.length, latest_reply: last.ts }),
        ...(message.editedTs === null ? {} : { edited: { user: message.user, ts: message.editedTs } }),
        ...(message.files.length === 0 ? {} : { files: message.files.map(wireFile) }),
        ...(message.reactions.size === 0 ? {} : { reactions: wireReactions(message) }),
        ...(withMetadata && message.metadata !== null ? { metadata: message.metadata } : {}),
        team: world.teamId,
        ...message.extra,
      };
    },
  };
  return world;
}

/** The conversation of someone with the bot, made when there is none. */
export function directChannelWith(world: World, userId: string): StoredChannel {
  const known = [...world.channels.values()].find(
    ({ kind, members }) => kind === 'im' && members.has(userId),
  );
  if (known !== undefined) return known;
  const made = { id: world.newId('D'), name: userId, kind: 'im' as const };
  const channel = { ...made, members: new Set([world.bot.id, userId]) };
  world.channels.set(channel.id, channel);
  return channel;
}

export function wireFile(file: StoredFile): Record<string, unknown> {
  return {
    id: file.id,
    name: file.name,
    title: file.name,
    mimetype: file.mime,
    size: file.bytes?.length ?? file.length,
    mode: 'hosted',
    is_external: false,
  };
}

export function wireReactions({ reactions }: StoredMessage): Record<string, unknown>[] {
  return [...reactions].map(([name, users]) => ({ name, users, count: users.length }));
}
