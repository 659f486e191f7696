import { splitText } from '@postern/kit';
import {
  type ChannelInfo,
  type Mention,
  type OutgoingFile,
  type Person,
  type Platform,
  type PlatformCapabilities,
  PlatformError,
  type PlatformErrorCode,
  type PlatformEvent,
  type PlatformFeed,
  type Post,
  type PostFile,
  type PostReaction,
  type PostRef,
} from '../platforms/platform.ts';

/** A platform in memory that a test drives and reads as its people would. */
export interface FakePlatform extends Platform {
  readonly posts: Post[];
  /** Files that were uploaded, by the id of their post. */
  readonly uploads: Map<string, { name: string; bytes: Uint8Array; caption: string | null }>;
  readonly reactionsOn: Map<string, PostReaction[]>;
  /** Someone writes; delivered to the feed when one runs. Mentions are found in the text by known names. */
  say(
    person: Person,
    text: string,
    where?: { threadId?: string; channelId?: string; files?: FakeFile[] },
  ): Promise<Post>;
  /** Someone reacts; delivered too. */
  reactAs(person: Person, ref: PostRef, emoji: string): Promise<void>;
  addPerson(person: Person, isMember?: boolean): void;
  addChannel(channel: ChannelInfo): void;
  /** Hands over an event as it stands, twice or out of order if the test likes. */
  deliver(event: PlatformEvent): Promise<void>;
  /** The next call of the method fails with the code. */
  failNext(method: 'post' | 'edit' | 'react' | 'upload' | 'directChannel', code: PlatformErrorCode): void;
  /** Whether somebody is connected. */
  readonly isRunning: boolean;
  /** What people do from now on is not delivered; a test may deliver it itself. */
  hold(): void;
  unhold(): void;
  /** Cuts the connection without a word, as when the process at the other end is gone. */
  hangUp(): void;
  /** Resolves with the first post of the bot's that matches, there already or to come (an edit counts). */
  botPost(matches: (post: Post) => boolean): Promise<Post>;
}

export interface FakeFile {
  readonly name: string;
  readonly mime: string;
  readonly bytes: Uint8Array;
}

export const BOT: Person = { id: 'bot', name: 'postern', isBot: true };
export const OWNER: Person = { id: 'u-owner', name: 'olga', isBot: false };
export const ALLOWED: Person = { id: 'u-allowed', name: 'alan', isBot: false };
export const STRANGER: Person = { id: 'u-stranger', name: 'sam', isBot: false };

export function fakePlatform(
  options: { id?: string; limit?: number; capabilities?: Partial<PlatformCapabilities> } = {},
): FakePlatform {
  const channelId = 'main';
  const people = new Map<string, Person>();
  const members = new Set<string>();
  const channels = new Map<string, ChannelInfo>([
    [channelId, { id: channelId, name: 'main', visibility: 'public', isBotMember: true }],
  ]);
  const posts: Post[] = [];
  const keys = new Map<string, PostRef>();
  const files = new Map<string, Uint8Array>();
  const uploads: FakePlatform['uploads'] = new Map();
  const reactionsOn = new Map<string, PostReaction[]>();
  const failures = new Map<string, PlatformErrorCode>();
  const waiters = new Set<() => void>();
  let feed: PlatformFeed | null = null;
  let counter = 0;
  let isHolding = false;

  const changed = () => {
    for (const look of [...waiters]) look();
  };
  const maybeFail = (method: string) => {
    const code = failures.get(method);
    if (code === undefined) return;
    failures.delete(method);
    throw new PlatformError(code, `the platform fails: ${code}`);
  };
  const found = (ref: PostRef): Post => {
    const post = posts.find((each) => each.postId === ref.postId && each.channelId === ref.channelId);
    if (!post) throw new PlatformError('not_found', `no post ${ref.postId}`);
    return post;
  };
  const mentionsIn = (text: string): Mention[] =>
    [...text.matchAll(/@([\w.-]+)/g)].map(([whole, name]) => ({
      text: whole,
      personId: [...people.values()].find((person) => person.name === name)?.id ?? null,
    }));
  const add = (
    author: Person,
    text: string,
    where: { channelId: string; threadId: string | null; files?: readonly PostFile[] },
  ): Post => {
    counter += 1;
    const postId = `p${counter}`;
    const post: Post = {
      channelId: where.channelId,
      postId,
      threadId: where.threadId ?? postId,
      author,
      text,
      mentions: mentionsIn(text),
      files: where.files ?? [],
      createdMs: counter,
      editedMs: null,
      isSystem: false,
    };
    posts.push(post);
    changed();
    return post;
  };
  const capabilities: PlatformCapabilities = {
    threads: true,
    edit: true,
    reactions: true,
    typing: true,
    search: true,
    directMessages: true,
    upload: true,
    message: { limit: options.limit ?? 4_000, unit: 'utf16' },
    readsOwnChannelOnly: false,
    editIntervalMs: 0,
    ...options.capabilities,
  };

  const platform: FakePlatform = {
    id: options.id ?? 'fake',
    kind: 'fake',
    capabilities,
    channelId,
    posts,
    uploads,
    reactionsOn,
    async run(given, signal) {
      feed = given;
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      if (feed === given) feed = null;
    },
    health: () => ({ status: 'ok' }),
    self: async () => BOT,
    split: (markdown) => splitText(markdown, capabilities.message),
    async post({ channelId: channel, threadId, markdown, key }) {
      maybeFail('post');
      const before = key === undefined ? undefined : keys.get(key);
      if (before) return before;
      if (markdown.trim() === '') throw new PlatformError('refused', 'a post needs a text');
      if (platform.split(markdown).length > 1) throw new PlatformError('too_large', 'too long for one post');
      const { postId } = add(BOT, markdown, { channelId: channel, threadId });
      const ref = { channelId: channel, postId };
      if (key !== undefined) keys.set(key, ref);
      return ref;
    },
    async edit(ref, markdown) {
      maybeFail('edit');
      const post = found(ref);
      if (post.author.id !== BOT.id) throw new PlatformError('refused', 'not the bot’s');
      counter += 1;
      posts[posts.indexOf(post)] = {
        ...post,
        text: markdown,
        mentions: mentionsIn(markdown),
        editedMs: counter,
      };
      changed();
    },
    async delete(ref) {
      const index = posts.findIndex((post) => post.postId === ref.postId);
      if (index >= 0) posts.splice(index, 1);
    },
    async react(ref, emoji) {
      maybeFail('react');
      found(ref);
      const list = reactionsOn.get(ref.postId) ?? [];
      reactionsOn.set(ref.postId, [...list, { emoji, personId: BOT.id }]);
      changed();
    },
    async unreact(ref, emoji) {
      const list = reactionsOn.get(ref.postId) ?? [];
      reactionsOn.set(
        ref.postId,
        list.filter((each) => each.emoji !== emoji || each.personId !== BOT.id),
      );
    },
    async typing() {},
    async upload(file: OutgoingFile) {
      maybeFail('upload');
      const chunks: Uint8Array[] = [];
      for await (const chunk of file.content) chunks.push(chunk);
      const { postId } = add(BOT, file.caption ?? '', { channelId: file.channelId, threadId: file.threadId });
      uploads.set(postId, { name: file.name, bytes: Buffer.concat(chunks), caption: file.caption });
      return { channelId: file.channelId, postId };
    },
    async download(file, { maxBytes }) {
      const bytes = files.get(file.id);
      if (!bytes) throw new PlatformError('not_found', `no file ${file.id}`);
      if (bytes.length > maxBytes) throw new PlatformError('too_large', `${file.name} is too large`);
      return bytes;
    },
    async readPost(ref) {
      return posts.find((post) => post.postId === ref.postId) ?? null;
    },
    async readThread(channel, threadId, limit) {
      return posts.filter((post) => post.channelId === channel && post.threadId === threadId).slice(-limit);
    },
    async readChannel(channel, limit) {
      return posts.filter((post) => post.channelId === channel).slice(-limit);
    },
    async search(query, limit) {
      if (!capabilities.search) throw new PlatformError('unsupported', 'no search here');
      return posts
        .filter((post) => post.text.includes(query))
        .reverse()
        .slice(0, limit);
    },
    async reactions(ref) {
      return (reactionsOn.get(ref.postId) ?? []).filter(({ personId }) => personId !== BOT.id);
    },
    async person(personId) {
      return people.get(personId) ?? null;
    },
    async findPerson(text) {
      const name = text.replace(/^@/, '');
      return people.get(name) ?? [...people.values()].find((person) => person.name === name) ?? null;
    },
    async channel(id) {
      return channels.get(id) ?? null;
    },
    async isMember(_channel, personId) {
      return members.has(personId);
    },
    async directChannel(personId) {
      maybeFail('directChannel');
      const id = `dm-${personId}`;
      channels.set(id, { id, name: id, visibility: 'direct', isBotMember: true });
      return id;
    },
    parsePermalink(url) {
      const match = /^fake:\/\/([\w-]+)\/(p\d+)$/.exec(url);
      return match ? { channelId: match[1] ?? null, postId: match[2] ?? '', threadId: null } : null;
    },
    permalink: (ref) => `fake://${ref.channelId}/${ref.postId}`,
    isChannelId: (text) => /^[\w-]{1,32}$/.test(text),
    mention: ({ name }) => `@${name}`,

    async say(person, text, where = {}) {
      platform.addPerson(person, members.has(person.id) || where.channelId === undefined);
      const postFiles = (where.files ?? []).map(({ name, mime, bytes }): PostFile => {
        counter += 1;
        const id = `f${counter}`;
        files.set(id, bytes);
        return { id, name, mime, sizeBytes: bytes.length };
      });
      const post = add(person, text, {
        channelId: where.channelId ?? channelId,
        threadId: where.threadId ?? null,
        files: postFiles,
      });
      if (!isHolding) await platform.deliver({ kind: 'posted', post });
      return post;
    },
    async reactAs(person, ref, emoji) {
      found(ref);
      reactionsOn.set(ref.postId, [...(reactionsOn.get(ref.postId) ?? []), { emoji, personId: person.id }]);
      await platform.deliver({ kind: 'reacted', ref, personId: person.id, emoji });
    },
    addPerson(person, isMember = true) {
      people.set(person.id, person);
      if (isMember) members.add(person.id);
    },
    get isRunning() {
      return feed !== null;
    },
    hold() {
      isHolding = true;
    },
    unhold() {
      isHolding = false;
    },
    hangUp() {
      feed = null;
    },
    addChannel: (channel) => void channels.set(channel.id, channel),
    async deliver(event) {
      counter += 1;
      await feed?.handle(event, String(counter));
    },
    failNext: (method, code) => void failures.set(method, code),
    botPost: (matches) =>
      new Promise((resolve) => {
        const look = () => {
          const post = posts.find((each) => each.author.id === BOT.id && matches(each));
          if (!post) return;
          waiters.delete(look);
          resolve(post);
        };
        waiters.add(look);
        look();
      }),
  };
  for (const person of [BOT, OWNER, ALLOWED, STRANGER]) platform.addPerson(person);
  return platform;
}
