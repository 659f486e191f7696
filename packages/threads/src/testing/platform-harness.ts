import type { Person, Platform, PostReaction, PostRef } from '../platforms/platform.ts';

/**
 * What the contract suite needs of a platform under test: its bot, some people, a way to act as them and to see what
 * they see, and the faults that its server can show. Acting and seeing go past the {@link Platform}, on the server.
 */
export interface PlatformHarness {
  /** Connected to the server, not yet running. Waits (reconnecting, trying again) are short. */
  readonly platform: Platform;
  /** What a hub's configuration says of it, but for its id; null where the platform is part of the hub. */
  readonly settings: Readonly<Record<string, string>> | null;
  readonly bot: Person;
  /** Two members of the bot's channel; names of letters alone, so that `@name` is one word. */
  readonly ada: Person;
  readonly ben: Person;
  /** Known to the platform and in no channel of the bot's. */
  readonly outsider: Person;
  /** A public channel beside the bot's own, which the bot and ada are in; null where there is none. */
  readonly otherChannelId: string | null;

  /**
   * Someone writes, in the bot's channel unless said otherwise. `{bot}` in the text becomes a mention of the
   * bot, and `{ada}` one of ada.
   */
  say(
    person: Person,
    text: string,
    where?: {
      readonly channelId?: string;
      readonly threadId?: string;
      readonly files?: readonly HarnessFile[];
    },
  ): Promise<PostRef>;
  /** The person opens a conversation with the bot, the same one each time. Its channel. */
  openDirect(person: Person): Promise<string>;
  edit(person: Person, ref: PostRef, text: string): Promise<void>;
  delete(person: Person, ref: PostRef): Promise<void>;
  react(person: Person, ref: PostRef, emoji: string): Promise<void>;
  unreact(person: Person, ref: PostRef, emoji: string): Promise<void>;
  /** Fills the bot's channel with so many other members, whom a listing gives before those that join later. */
  addMembers(count: number): Promise<void>;
  /** One more member of the bot's channel; a name of letters alone. */
  addPerson(name: string): Promise<Person>;
  /** The person joins the bot's channel. */
  join(person: Person): Promise<void>;

  /** The post as the server keeps it, in the platform's own markup; null when it is gone. */
  serverText(ref: PostRef): Promise<string | null>;
  /** What is posted in a channel as the server keeps it, oldest first, replies among it. */
  posts(channelId: string): Promise<HarnessPost[]>;
  /** All reactions on a post as the server keeps them, the bot's among them. */
  serverReactions(ref: PostRef): Promise<PostReaction[]>;
  /** Files of a post as the server keeps them. */
  serverFiles(ref: PostRef): Promise<HarnessFile[]>;
  /** Text as people read it: of the platform's own markup, with the platform's escapes undone. */
  readable(serverText: string): string;
  /** Whether a text, as the server keeps it, rings for everybody. */
  ringsForAll(serverText: string): boolean;
  /** The instance's rendering of a skin tone on an emoji that has one: `+1::skin-tone-3`. */
  withSkinTone(emoji: string): string;

  readonly links: {
    /** Other forms of a permalink of this instance, which mean the same post: slash, query, `<url|label>`… */
    variants(permalink: string): readonly string[];
    /** The same post's link on other hosts, look-alikes, other workspaces, other sub-paths, and what is no link. */
    foreign(permalink: string): readonly string[];
  };

  /**
   * The same bot as a new process has it, on the same server; the caller has ended the run of the one before.
   */
  again(): Promise<Platform>;
  /** Ends the live connections; new ones are taken. */
  dropConnections(): Promise<void>;
  /** Ends them and takes no new one until {@link goOnline}. People go on meanwhile. */
  goOffline(): Promise<void>;
  goOnline(): Promise<void>;
  /** Those that {@link HarnessTraits.faults} names are there. */
  readonly faults: PlatformFaults;
  stop(): Promise<void>;
}

/** What becomes a mention in {@link PlatformHarness.say}; the name is the first group. */
export const MENTION = /\{([a-z]+)\}/g;

export interface HarnessPost extends PostRef {
  /** Id of the thread's root; a root's own id. */
  readonly threadId: string;
  readonly authorId: string;
  /** In the platform's own markup. */
  readonly text: string;
}

export interface HarnessFile {
  readonly name: string;
  readonly mime: string;
  readonly bytes: Uint8Array;
}

export interface PlatformFaults {
  readonly rateLimit?: {
    /** The next call that posts, or reads a thread, is refused (429), with a Retry-After of a second or less. */
    next(call: 'post' | 'readThread'): void;
    /** Calls that came before their time. */
    early(): number;
  };
  /** The next post is made and its answer lost on the way. */
  loseAnswerOfNextPost?(): void;
  /** The next read of a thread is answered with a 5xx. */
  failNextRead?(): void;
  /** The next live event comes twice. */
  repeatNextEvent?(): void;
  /** The next two live events come in the wrong order. */
  swapNextEvents?(): void;
}

export interface HarnessTraits {
  /** What this platform's server can show; tests of what it cannot are not there. */
  readonly faults: readonly (keyof PlatformFaults)[];
  /** Missed posts of one gap, enough for several pages. */
  readonly missedPosts: number;
  /** Members enough for several pages. */
  readonly manyMembers: number;
  /** Bytes above what an upload may have, or null where that is more than a test can send. */
  readonly tooManyBytes: number | null;
  /** Whether posting again with the same key makes no second post. */
  readonly keyedPosts?: boolean;
}
