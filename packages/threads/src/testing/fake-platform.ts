import { neutraliseMassMentions } from '@postern/kit';
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
import { splitMarkdown } from '../platforms/text.ts';

/** A platform in memory that a test drives and reads as its people would. */
export interface FakePlatform extends Platform {
  readonly posts: Post[];
  /** Files that were uploaded, by the id of their post. */
  readonly uploads: Map<string, { name: string; bytes: Uint8Array; caption: string | null }>;
  readonly reactionsOn: Map<string, PostReaction[]>;
  readonly pinned: Set<string>;
  /** Someone writes; delivered to the feed when one runs. Mentions are found in the text by known names. */
  say(
    person: Person,
    text: string,
    where?: { threadId?: string; channelId?: string; files?: FakeFile[] },
  ): Promise<Post>;
  /** Someone reacts, takes it back, edits or deletes; delivered too. */
  reactAs(person: Person, ref: PostRef, emoji: string): Promise<void>;
  unreactAs(person: Person, ref: PostRef, emoji: string): Promise<void>;
  editAs(person: Person, ref: PostRef, text: string): Promise<void>;
  deleteAs(person: Person, ref: PostRef): Promise<void>;
  addPerson(person: Person, isMember?: boolean): void;
  addChannel(channel: ChannelInfo): void;
  /**
   * Hands over an event as it stands, twice or out of order if the test likes; resolves when it is recorded. While
   * nobody is connected it is kept for whoever is next.
   */
  deliver(event: PlatformEvent): Promise<void>;
  /** The next call of the method fails with the code. */
  failNext(
    method: 'post' | 'edit' | 'react' | 'pin' | 'upload' | 'directChannel',
    code: PlatformErrorCode,
  ): void;
  /** Whether somebody is connected. */
  readonly isRunning: boolean;
  /** What people do from now on is not delivered; a test may deliver it itself. */
  hold(): void;
  unhold(): void;
  /** The connection is lost: what happens is handed over once it is mended, the last of it for the second time. */
  cut(): void;
  mend(): void;
  /** What runs it ends with an error. */
  fail(): void;
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

/** Between two tries to hand over an event that could not be recorded. */
const RETRY_MILLISECONDS = 5;
/** Events that come twice after the connection was lost. */
const OVERLAP = 5;
const EMOJI = /^[\w+-]{1,64}$/;

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
  const pinned: FakePlatform['pinned'] = new Set();
  const failures = new Map<string, PlatformErrorCode>();
  const waiters = new Set<() => void>();
  /** All that happened, for whoever connects later; a cursor is how much of it was handed over. */
  const log: PlatformEvent[] = [];
  let feed: PlatformFeed | null = null;
  let handedOver = 0;
  let counter = 0;
  let isHolding = false;
  let isCut = false;
  let isBroken = false;

  const changed = () => {
    for (const look of [...waiters]) look();
  };
  const when = (holds: () => boolean) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (!holds()) return;
        waiters.delete(look);
        resolve();
      };
      waiters.add(look);
      look();
    });
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
  const channelThere = (id: string) => {
    if (!channels.has(id)) throw new PlatformError('not_found', `no channel ${id}`);
  };
  const own = (ref: PostRef): Post => {
    const post = found(ref);
    if (post.author.id !== BOT.id) throw new PlatformError('refused', 'not the bot’s');
    return post;
  };
  const outgoing = (markdown: string): string => {
    if (markdown.trim() === '') throw new PlatformError('refused', 'a post needs a text');
    if (platform.split(markdown).length > 1) throw new PlatformError('too_large', 'too long for one post');
    return neutraliseMassMentions(markdown);
  };
  const rewrite = (ref: PostRef, text: string): Post => {
    const post = found(ref);
    counter += 1;
    const edited = { ...post, text, mentions: mentionsIn(text), editedMs: counter };
    posts[posts.indexOf(post)] = edited;
    changed();
    return edited;
  };
  const drop = (ref: PostRef) => {
    posts.splice(posts.indexOf(found(ref)), 1);
    changed();
  };
  const setReaction = (ref: PostRef, { emoji, personId }: PostReaction, isThere: boolean) => {
    const others = (reactionsOn.get(ref.postId) ?? []).filter(
      (each) => each.emoji !== emoji || each.personId !== personId,
    );
    const had = reactionsOn
      .get(ref.postId)
      ?.some((each) => each.emoji === emoji && each.personId === personId);
    if (had === isThere) return;
    reactionsOn.set(ref.postId, isThere ? [...others, { emoji, personId }] : others);
    changed();
  };
  const mentionsIn = (text: string): Mention[] =>
    [...text.matchAll(/@([\w.-]*\w)/g)].map(([whole, name]) => ({
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
  const keep = ({ name, mime, bytes }: FakeFile): PostFile => {
    counter += 1;
    const id = `f${counter}`;
    files.set(id, bytes);
    return { id, name, mime, sizeBytes: bytes.length };
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
    pinned,
    async run(given, signal) {
      const connected = given;
      feed = connected;
      handedOver = log.length;
      const isOn = () => feed === connected && !signal.aborted && !isBroken;
      signal.addEventListener('abort', changed, { once: true });
      const saved = await given.cursor();
      if (saved === null) await given.saveCursor(String(handedOver));
      // A cursor of another platform in memory says nothing here.
      else handedOver = Math.min(Number(saved), handedOver);
      while (isOn()) {
        const event = isCut ? undefined : log[handedOver];
        if (event === undefined) {
          await when(() => !isOn() || (!isCut && handedOver < log.length));
          continue;
        }
        try {
          await given.handle(event, String(handedOver + 1));
          if (isOn()) handedOver += 1;
        } catch {
          await new Promise((resolve) => setTimeout(resolve, RETRY_MILLISECONDS));
        }
        changed();
      }
      if (feed === connected) feed = null;
      changed();
      if (isBroken) {
        isBroken = false;
        throw new PlatformError('unavailable', 'the platform has stopped');
      }
      // Whoever was hung up on does not know it.
      await new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        else signal.addEventListener('abort', () => resolve(), { once: true });
      });
    },
    health: () => (feed === null ? { status: 'connecting' } : { status: 'ok' }),
    self: async () => BOT,
    split: (markdown) => splitMarkdown(markdown, capabilities.message),
    async post({ channelId: channel, threadId, markdown, key }) {
      maybeFail('post');
      const before = key === undefined ? undefined : keys.get(key);
      if (before) return before;
      channelThere(channel);
      const made = add(BOT, outgoing(markdown), { channelId: channel, threadId });
      const ref = { channelId: channel, postId: made.postId };
      log.push({ kind: 'posted', post: made });
      changed();
      if (key !== undefined) keys.set(key, ref);
      return ref;
    },
    async edit(ref, markdown) {
      maybeFail('edit');
      own(ref);
      rewrite(ref, outgoing(markdown));
    },
    async delete(ref) {
      if (!posts.some((post) => post.postId === ref.postId)) return;
      own(ref);
      drop(ref);
    },
    async react(ref, emoji) {
      maybeFail('react');
      found(ref);
      if (!EMOJI.test(emoji)) throw new PlatformError('refused', `no emoji ${emoji}`);
      setReaction(ref, { emoji, personId: BOT.id }, true);
    },
    async unreact(ref, emoji) {
      setReaction(ref, { emoji, personId: BOT.id }, false);
    },
    async pin(ref) {
      maybeFail('pin');
      own(ref);
      pinned.add(ref.postId);
    },
    async typing() {},
    async upload(file: OutgoingFile) {
      maybeFail('upload');
      const chunks: Uint8Array[] = [];
      for await (const chunk of file.content) chunks.push(chunk);
      const bytes = Buffer.concat(chunks);
      if (bytes.length === 0) throw new PlatformError('refused', `${file.name} is empty`);
      channelThere(file.channelId);
      const made = add(BOT, file.caption === null ? '' : outgoing(file.caption), {
        channelId: file.channelId,
        threadId: file.threadId,
        files: [keep({ name: file.name, mime: file.mime, bytes })],
      });
      uploads.set(made.postId, { name: file.name, bytes, caption: file.caption });
      log.push({ kind: 'posted', post: made });
      changed();
      return { channelId: file.channelId, postId: made.postId };
    },
    async download(file, { maxBytes }) {
      const bytes = files.get(file.id);
      if (!bytes) throw new PlatformError('not_found', `no file ${file.id}`);
      if (bytes.length > maxBytes) throw new PlatformError('too_large', `${file.name} is too large`);
      return bytes;
    },
    async readPost(ref) {
      // Ids are of the whole instance, so a post is found wherever a link says it is.
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
      const author = /(?:^|\s)from:@?(\S+)/.exec(query);
      const words = query.replace(author?.[0] ?? '', '').trim();
      return posts
        .filter((post) => author === null || post.author.name === author[1])
        .filter((post) => post.text.includes(words))
        .reverse()
        .slice(0, limit);
    },
    async reactions(ref) {
      found(ref);
      return (reactionsOn.get(ref.postId) ?? []).filter(({ personId }) => personId !== BOT.id);
    },
    async person(personId) {
      return people.get(personId) ?? null;
    },
    async findPerson(text) {
      const name = text.trim().replace(/^@/, '');
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
      if (!people.has(personId)) throw new PlatformError('not_found', `nobody of id ${personId}`);
      const id = `dm-${personId}`;
      channels.set(id, { id, name: id, visibility: 'direct', isBotMember: true });
      return id;
    },
    parsePermalink(url) {
      const bare = url.replace(/^<([^|>]*)(?:\|[^>]*)?>$/, '$1');
      const match = /^fake:\/\/([\w-]+)\/(p\d+)\/?(?:[?#].*)?$/.exec(bare);
      return match ? { channelId: match[1] ?? null, postId: match[2] ?? '', threadId: null } : null;
    },
    permalink: (ref) => `fake://${ref.channelId}/${ref.postId}`,
    isChannelId: (text) => /^[\w-]{1,32}$/.test(text) && !text.includes('\n'),
    mention: ({ name }) => `@${name}`,

    async say(person, text, where = {}) {
      platform.addPerson(person, members.has(person.id) || where.channelId === undefined);
      const post = add(person, text, {
        channelId: where.channelId ?? channelId,
        threadId: where.threadId ?? null,
        files: (where.files ?? []).map(keep),
      });
      if (!isHolding) await platform.deliver({ kind: 'posted', post });
      return post;
    },
    async reactAs(person, ref, emoji) {
      found(ref);
      setReaction(ref, { emoji, personId: person.id }, true);
      await platform.deliver({ kind: 'reacted', ref, personId: person.id, emoji });
    },
    async unreactAs(person, ref, emoji) {
      setReaction(ref, { emoji, personId: person.id }, false);
      await platform.deliver({ kind: 'unreacted', ref, personId: person.id, emoji });
    },
    async editAs(_person, ref, text) {
      await platform.deliver({ kind: 'edited', post: rewrite(ref, text) });
    },
    async deleteAs(_person, ref) {
      drop(ref);
      await platform.deliver({ kind: 'deleted', ref });
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
    cut() {
      isCut = true;
      changed();
    },
    mend() {
      isCut = false;
      handedOver = Math.max(0, handedOver - OVERLAP);
      changed();
    },
    fail() {
      isBroken = true;
      changed();
    },
    hangUp() {
      feed = null;
      changed();
    },
    addChannel: (channel) => void channels.set(channel.id, channel),
    async deliver(event) {
      const position = log.push(event);
      const connected = feed;
      changed();
      await when(() => handedOver >= position || isCut || feed !== connected || connected === null);
    },
    failNext: (method, code) => void failures.set(method, code),
    async botPost(matches) {
      const look = () => posts.find((each) => each.author.id === BOT.id && matches(each));
      await when(() => look() !== undefined);
      return look()!;
    },
  };
  for (const person of [BOT, OWNER, ALLOWED, STRANGER]) platform.addPerson(person);
  return platform;
}
