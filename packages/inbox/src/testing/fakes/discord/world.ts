/** What a Discord server keeps: servers, channels, people and messages. The fake's gateway and REST are views of it. */

const DISCORD_EPOCH_MS = 1_420_070_400_000;

export interface FakeUser {
  readonly id: string;
  readonly username: string;
  readonly global_name: string | null;
  readonly bot: boolean;
}

export interface FakeFile {
  readonly id: string;
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface FakeMessage {
  readonly id: string;
  readonly channelId: string;
  readonly author: FakeUser;
  content: string;
  files: readonly FakeFile[];
  readonly replyTo: string | null;
  readonly atMs: number;
  editedMs: number | null;
  readonly type: number;
  /** As the account sent it. */
  readonly sent?: Readonly<Record<string, unknown>>;
}

export interface FakeChannel {
  readonly id: string;
  readonly type: number;
  readonly guildId: string | null;
  readonly parentId: string | null;
  readonly name: string | null;
  readonly messages: FakeMessage[];
  archivedMs: number | null;
  /** Whether the bot may look into it. */
  isHidden: boolean;
}

export class World {
  readonly users = new Map<string, FakeUser>();
  readonly guilds = new Map<string, { readonly id: string; readonly name: string }>();
  readonly channels = new Map<string, FakeChannel>();
  readonly files = new Map<string, FakeFile>();
  #lastMs = 0;
  #increment = 0;

  /** Ids that grow with time, as Discord makes them. */
  id(): string {
    const now = Math.max(Date.now(), this.#lastMs);
    this.#increment = now === this.#lastMs ? this.#increment + 1 : 0;
    this.#lastMs = now;
    // Twelve bits count what falls into one millisecond; the ones above tell machines apart.
    return String((BigInt(now - DISCORD_EPOCH_MS) << 22n) + BigInt(this.#increment));
  }

  addUser(name: string, bot = false): FakeUser {
    const user = { id: this.id(), username: name.toLowerCase(), global_name: bot ? null : name, bot };
    this.users.set(user.id, user);
    return user;
  }

  addGuild(name: string, id = this.id()): string {
    this.guilds.set(id, { id, name });
    return id;
  }

  addChannel(channel: Partial<FakeChannel> & { type: number }): FakeChannel {
    const made = {
      id: this.id(),
      guildId: null,
      parentId: null,
      name: null,
      messages: [],
      archivedMs: null,
      isHidden: false,
      ...channel,
    };
    this.channels.set(made.id, made);
    return made;
  }

  addMessage(
    channel: FakeChannel,
    author: FakeUser,
    content: string,
    more: Partial<Pick<FakeMessage, 'files' | 'replyTo' | 'type' | 'sent'>> = {},
  ): FakeMessage {
    const message: FakeMessage = {
      id: this.id(),
      channelId: channel.id,
      author,
      content,
      files: [],
      replyTo: null,
      type: more.replyTo ? 19 : 0,
      atMs: Date.now(),
      editedMs: null,
      ...more,
    };
    for (const file of message.files) this.files.set(file.id, file);
    channel.messages.push(message);
    return message;
  }

  find(messageId: string): { channel: FakeChannel; message: FakeMessage } | null {
    for (const channel of this.channels.values()) {
      const message = channel.messages.find(({ id }) => id === messageId);
      if (message) return { channel, message };
    }
    return null;
  }

  isThread({ type }: FakeChannel): boolean {
    return type >= 10 && type <= 12;
  }

  /** Channels of a server, or its threads that are not archived. */
  channelsOf(guildId: string, threads: boolean): FakeChannel[] {
    return [...this.channels.values()].filter(
      (channel) =>
        channel.guildId === guildId && this.isThread(channel) === threads && channel.archivedMs === null,
    );
  }
}

export function channelPayload(channel: FakeChannel): Record<string, unknown> {
  const { id, type, guildId, parentId, name, messages, archivedMs } = channel;
  return {
    id,
    type,
    name,
    ...(guildId === null ? {} : { guild_id: guildId }),
    parent_id: parentId,
    last_message_id: messages.at(-1)?.id ?? null,
    ...(type >= 10 && type <= 12
      ? {
          thread_metadata: {
            archived: archivedMs !== null,
            archive_timestamp: new Date(archivedMs ?? Date.now()).toISOString(),
          },
        }
      : {}),
  };
}

/** @param cdn Base of the links to files. */
export function messagePayload(message: FakeMessage, cdn: string): Record<string, unknown> {
  const { id, channelId, author, content, files, replyTo, atMs, editedMs, type, sent } = message;
  return {
    id,
    channel_id: channelId,
    type,
    author,
    content,
    timestamp: new Date(atMs).toISOString(),
    edited_timestamp: editedMs === null ? null : new Date(editedMs).toISOString(),
    mentions: [],
    mention_roles: [],
    mention_everyone: false,
    attachments: files.map((file) => ({
      id: file.id,
      filename: file.name,
      size: file.bytes.length,
      url: `${cdn}/${file.id}/${encodeURIComponent(file.name)}?ex=${(Date.now() + 86_400_000).toString(16)}`,
    })),
    embeds: [],
    pinned: false,
    tts: false,
    ...(replyTo === null
      ? {}
      : { message_reference: { type: 0, message_id: replyTo, channel_id: channelId } }),
    ...(sent?.nonce === undefined ? {} : { nonce: sent.nonce }),
  };
}
