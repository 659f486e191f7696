import type { TextUnit } from '@postern/kit';

/**
 * A chat platform as sessions, tools and questions see it. They ask for its capabilities and never for its name;
 * what is special about one platform stays behind this interface.
 *
 * Text that goes out is Markdown, which the platform renders in its own markup with mass mentions neutralised and
 * unfurling off. Text that comes in is plain, with mentions written as `@name` and listed beside it.
 */
export interface Platform {
  /** Its id in the configuration. */
  readonly id: string;
  /** What kind it is, for people and records; nothing depends on it. */
  readonly kind: string;
  readonly capabilities: PlatformCapabilities;
  /** The channel the bot works in. */
  readonly channelId: string;

  /**
   * Connects and hands over events until the signal aborts; then resolves. Connection losses are its own affair:
   * it reconnects without end, and fetches what it missed.
   */
  run(feed: PlatformFeed, signal: AbortSignal): Promise<void>;
  health(): PlatformHealth;
  /** Who the bot is. @throws PlatformError */
  self(signal?: AbortSignal): Promise<Person>;

  /**
   * Pieces of a Markdown text that each fit one message, code fences closed and reopened. Nothing is lost.
   * An empty text gives no piece.
   */
  split(markdown: string): string[];
  /** Posts one message. @throws PlatformError when it did not go out, or may not have. */
  post(message: OutgoingPost): Promise<PostRef>;
  /** Replaces the whole text of a post of the bot's. @throws PlatformError */
  edit(ref: PostRef, markdown: string): Promise<void>;
  /** Deletes a post of the bot's; one that is gone already is no error. @throws PlatformError */
  delete(ref: PostRef): Promise<void>;
  /** Adds or takes back a reaction of the bot's; twice is no error. Emoji by name, without colons. */
  react(ref: PostRef, emoji: string): Promise<void>;
  unreact(ref: PostRef, emoji: string): Promise<void>;
  /** Pins a post of the bot's to its channel; absent where there is no such thing. @throws PlatformError */
  pin?(ref: PostRef): Promise<void>;
  /** Shows that the bot is at work; does nothing where there is no such thing. Never throws. */
  typing(channelId: string, threadId: string | null): Promise<void>;
  /** Uploads one file into a thread. @throws PlatformError */
  upload(file: OutgoingFile): Promise<PostRef>;
  /** A file of a post. @throws PlatformError; code `too_large` above `maxBytes`. */
  download(file: PostFile, options: { maxBytes: number; signal?: AbortSignal }): Promise<Uint8Array>;

  /** One post, or null when it does not exist or the bot cannot see it. */
  readPost(ref: PostRef): Promise<Post | null>;
  /** The newest `limit` posts of a thread, oldest first, the root among them only if it is one of the newest. */
  readThread(channelId: string, threadId: string, limit: number): Promise<Post[]>;
  /** The newest `limit` posts of a channel, oldest first, replies among them where the platform lists them so. */
  readChannel(channelId: string, limit: number): Promise<Post[]>;
  /** Posts that match, newest first. @throws PlatformError `unsupported` without the capability. */
  search(query: string, limit: number): Promise<Post[]>;
  /** Who has put which reactions on a post, the bot's own left out. */
  reactions(ref: PostRef): Promise<PostReaction[]>;

  person(personId: string): Promise<Person | null>;
  /** Finds someone by what people type: a name with or without `@`, an id, a mention form such as `<@U…>`. */
  findPerson(text: string): Promise<Person | null>;
  channel(channelId: string): Promise<ChannelInfo | null>;
  /** Whether someone is in a channel; all pages of its members are looked at. */
  isMember(channelId: string, personId: string): Promise<boolean>;
  /** Channel of a direct conversation with someone. @throws PlatformError */
  directChannel(personId: string): Promise<string>;

  /** Reads a permalink of this very instance or workspace, without fetching it; null for any other. */
  parsePermalink(url: string): Permalink | null;
  permalink(ref: PostRef): string | null;
  /** Whether a text has the shape of a channel id here. */
  isChannelId(text: string): boolean;
  /** How someone is addressed in Markdown so that it notifies them. */
  mention(person: Pick<Person, 'id' | 'name'>): string;
}

export interface PlatformCapabilities {
  readonly threads: boolean;
  readonly edit: boolean;
  readonly reactions: boolean;
  readonly typing: boolean;
  readonly search: boolean;
  readonly directMessages: boolean;
  readonly upload: boolean;
  /** Longest text of a message, after rendering. */
  readonly message: { readonly limit: number; readonly unit: TextUnit };
  /** Posts may only be read in the bot's own channel (not in the instance's public ones too). */
  readonly readsOwnChannelOnly: boolean;
  /** Shortest time between two edits that the platform bears for long, in milliseconds, over all posts. */
  readonly editIntervalMs: number;
}

export interface PlatformHealth {
  readonly status: 'connecting' | 'ok' | 'degraded' | 'failed';
  /** A sentence for an operator, without secrets. */
  readonly detail?: string;
}

/** Where a post is. A post id alone may be unique within its channel only. */
export interface PostRef {
  readonly channelId: string;
  readonly postId: string;
}

export interface Person {
  readonly id: string;
  /** What people type after `@`; not unique over time, never an identity. */
  readonly name: string;
  readonly isBot: boolean;
}

export interface Mention {
  /** As it stands in the text, `@name`. */
  readonly text: string;
  /** Null where nobody of that name was found. */
  readonly personId: string | null;
}

export interface Post extends PostRef {
  /** Id of the thread's root; a root's own id. */
  readonly threadId: string;
  readonly author: Person;
  readonly text: string;
  /** In the order of the text. */
  readonly mentions: readonly Mention[];
  readonly files: readonly PostFile[];
  readonly createdMs: number;
  readonly editedMs: number | null;
  /** System notices (someone joined) and the like: never a prompt. */
  readonly isSystem: boolean;
}

export interface PostFile {
  readonly id: string;
  readonly name: string;
  /** As the platform says; not to be trusted. */
  readonly mime: string;
  readonly sizeBytes: number;
}

export interface PostReaction {
  readonly emoji: string;
  readonly personId: string;
}

export interface OutgoingPost {
  readonly channelId: string;
  /** Null makes a new root. */
  readonly threadId: string | null;
  /** Fits one message; see {@link Platform.split}. */
  readonly markdown: string;
  /** Where the platform can, posting again with the same key makes no second post. */
  readonly key?: string;
}

export interface OutgoingFile {
  readonly channelId: string;
  readonly threadId: string | null;
  readonly name: string;
  readonly mime: string;
  readonly sizeBytes: number;
  /** Read once, from the descriptor that was checked. */
  readonly content: AsyncIterable<Uint8Array>;
  readonly caption: string | null;
}

export interface Permalink {
  /** Null where the link does not tell, as on Mattermost. */
  readonly channelId: string | null;
  readonly postId: string;
  readonly threadId: string | null;
}

export interface ChannelInfo {
  readonly id: string;
  readonly name: string;
  readonly visibility: 'public' | 'private' | 'direct';
  readonly isBotMember: boolean;
}

export type PlatformEvent =
  | { readonly kind: 'posted'; readonly post: Post }
  | { readonly kind: 'edited'; readonly post: Post }
  | { readonly kind: 'deleted'; readonly ref: PostRef }
  /** `emoji` is the platform's name, skin tone and all. The bot's own reactions are never told. */
  | {
      readonly kind: 'reacted' | 'unreacted';
      readonly ref: PostRef;
      readonly personId: string;
      readonly emoji: string;
    };

/**
 * Where a platform hands over what happens in the bot's channel and in people's direct conversations with it, and in
 * no other: a post outside of `channelId` is taken for a direct one. It calls `handle` for one event after the other
 * in their order and waits for each; a rejection means the event is not recorded, and it is handed over again after a pause.
 * The same event may be handed over twice (a duplicate from the platform, an overlap of recovery): the receiver
 * knows posts by their id, and reactions by what is on record.
 */
export interface PlatformFeed {
  /**
   * Records the event. `cursor` is where a later start continues, null when the event moves it nowhere.
   * The bot's own posts are handed over too; the receiver sorts them out.
   */
  handle(event: PlatformEvent, cursor: string | null): Promise<void>;
  /** Cursor on record; null at the first start, which begins with what comes from then on. */
  cursor(): Promise<string | null>;
  /** Records a cursor alone, as after the first connect. */
  saveCursor(cursor: string): Promise<void>;
  /** Live threads whose replies have to be fetched after a gap; `afterPostId` is the newest post on record. */
  watchedThreads(): Promise<readonly WatchedThread[]>;
  /** Posts with an open question, whose reactions have to be fetched after a gap. */
  watchedPosts(): Promise<readonly PostRef[]>;
}

export interface WatchedThread {
  readonly channelId: string;
  readonly threadId: string;
  readonly afterPostId: string | null;
}

export type PlatformErrorCode =
  /** Refused: the credentials are wrong or lack a right. */
  | 'unauthorized'
  | 'not_found'
  /** The platform said no to the content. */
  | 'refused'
  | 'too_large'
  | 'unsupported'
  /** Not reached, or too busy, after all tries; nothing was done. */
  | 'unavailable'
  /** The answer was lost: it may have been done. */
  | 'unknown';

export class PlatformError extends Error {
  override readonly name = 'PlatformError';
  readonly code: PlatformErrorCode;

  /** @param message A sentence for people, without secrets. */
  constructor(code: PlatformErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
