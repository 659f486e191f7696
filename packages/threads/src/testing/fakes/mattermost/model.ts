import { randomBytes } from 'node:crypto';

/** What a Mattermost server knows, and its rules about it; the shapes are those of REST v4. */

export interface FakeUser {
  readonly id: string;
  username: string;
  readonly is_bot: boolean;
  readonly token: string;
  delete_at: number;
}

export interface FakeChannel {
  readonly id: string;
  readonly team_id: string;
  readonly type: 'O' | 'P' | 'D' | 'G';
  readonly name: string;
  readonly display_name: string;
  readonly members: Set<string>;
  last_post_at: number;
  delete_at: number;
}

export interface FakePost {
  readonly id: string;
  readonly create_at: number;
  update_at: number;
  edit_at: number;
  delete_at: number;
  readonly user_id: string;
  readonly channel_id: string;
  readonly root_id: string;
  message: string;
  readonly type: string;
  readonly props: Record<string, unknown>;
  readonly file_ids: readonly string[];
  is_pinned: boolean;
  readonly metadata: { readonly files: readonly object[] };
}

export interface FakeReaction {
  readonly user_id: string;
  readonly post_id: string;
  readonly emoji_name: string;
  readonly create_at: number;
  readonly channel_id: string;
}

export interface FakeFile {
  readonly id: string;
  readonly user_id: string;
  readonly name: string;
  readonly mime_type: string;
  readonly size: number;
  readonly bytes: Buffer;
}

/** An answer that is no success, as the server words it. */
export class Denied extends Error {
  readonly status: number;
  readonly id: string;

  constructor(status: number, id: string, message: string = id) {
    super(message);
    this.status = status;
    this.id = id;
  }
}

export interface FakeSettings {
  /** Longest post, in code points. */
  maxPostSize: number;
  maxFileSize: number;
  /** Seconds after which a post may not be edited; -1 is never. */
  postEditTimeLimit: number;
  /** The most that a page holds, whatever is asked for. */
  pageSize: number;
  fileAttachments: boolean;
}

export interface NewPost {
  readonly channelId: string;
  readonly message: string;
  readonly rootId?: string;
  readonly fileIds?: readonly string[];
  readonly props?: Record<string, unknown>;
  readonly type?: string;
  readonly pendingPostId?: string;
}

/** The server's ids: 26 of its 32 letters and digits. */
const ALPHABET = 'ybndrfg8ejkmcpqxot1uwisza345h769';
const PENDING_MS = 30_000;

export function newId(): string {
  return Array.from(randomBytes(26), (byte) => ALPHABET[byte % 32]).join('');
}

export type Publish = (event: string, channel: FakeChannel, data: Record<string, unknown>) => void;

export class FakeModel {
  readonly settings: FakeSettings = {
    maxPostSize: 16_383,
    maxFileSize: 100 * 1_048_576,
    postEditTimeLimit: -1,
    pageSize: 200,
    fileAttachments: true,
  };
  readonly team = { id: newId(), name: 'crew', display_name: 'Crew' };
  readonly users = new Map<string, FakeUser>();
  readonly channels = new Map<string, FakeChannel>();
  /** In the order they were made. */
  readonly posts = new Map<string, FakePost>();
  readonly files = new Map<string, FakeFile>();
  reactions: FakeReaction[] = [];
  readonly pinned = new Set<string>();
  /** Milliseconds, each time others; a test may put in a clock that stands still, so that posts share one. */
  now: () => number = () => {
    this.lastMs = Math.max(Date.now(), this.lastMs + 1);
    return this.lastMs;
  };
  publish: Publish = () => {};
  /** When the last thing was made. */
  lastMs = 0;
  private readonly pending = new Map<string, { postId: string; untilMs: number }>();

  addUser(username: string, { isBot = false } = {}): FakeUser {
    const user = { id: newId(), username, is_bot: isBot, token: newId(), delete_at: 0 };
    this.users.set(user.id, user);
    return user;
  }

  addChannel(name: string, type: FakeChannel['type'] = 'O', members: readonly string[] = []): FakeChannel {
    const isDirect = type === 'D' || type === 'G';
    const channel = {
      id: newId(),
      team_id: isDirect ? '' : this.team.id,
      type,
      name,
      display_name: isDirect ? '' : name,
      members: new Set(members),
      last_post_at: 0,
      delete_at: 0,
    };
    this.channels.set(channel.id, channel);
    return channel;
  }

  userOf(token: string | undefined): FakeUser {
    const user = [...this.users.values()].find((each) => each.token === token);
    if (user === undefined) {
      throw new Denied(
        401,
        'api.context.session_expired.app_error',
        'Invalid or expired session, please login again.',
      );
    }
    return user;
  }

  channel(id: string): FakeChannel {
    const channel = this.channels.get(id);
    if (channel === undefined)
      throw new Denied(404, 'app.channel.get.existing.app_error', 'Unable to find the channel.');
    return channel;
  }

  readableChannel(user: FakeUser, id: string): FakeChannel {
    const channel = this.channel(id);
    if (channel.type !== 'O' && !channel.members.has(user.id)) throw forbidden();
    return channel;
  }

  post(id: string): FakePost {
    const post = this.posts.get(id);
    if (post === undefined || post.delete_at > 0) {
      throw new Denied(404, 'app.post.get.app_error', 'Unable to get the post.');
    }
    return post;
  }

  directChannel(one: string, other: string): FakeChannel {
    const name = [one, other].sort().join('__');
    for (const channel of this.channels.values()) if (channel.name === name) return channel;
    for (const id of [one, other]) {
      if (!this.users.has(id))
        throw new Denied(400, 'api.channel.create_direct_channel.invalid_user.app_error');
    }
    return this.addChannel(name, 'D', [one, other]);
  }

  createPost(user: FakeUser, given: NewPost): FakePost {
    const channel = this.channel(given.channelId);
    if (!channel.members.has(user.id)) throw forbidden();
    const before = this.pending.get(given.pendingPostId ?? '');
    if (given.pendingPostId && before !== undefined && before.untilMs > Date.now())
      return this.post(before.postId);
    this.checkLength(given.message);
    const rootId = given.rootId ?? '';
    if (rootId !== '') {
      const root = this.posts.get(rootId);
      if (root === undefined || root.delete_at > 0 || root.root_id !== '') {
        throw new Denied(400, 'api.post.create_post.root_id.app_error', 'Invalid RootId parameter.');
      }
      if (root.channel_id !== channel.id) {
        throw new Denied(
          400,
          'api.post.create_post.channel_root_id.app_error',
          'Invalid ChannelId for RootId parameter.',
        );
      }
    }
    const files = (given.fileIds ?? []).map((id) => {
      const file = this.files.get(id);
      if (file === undefined || file.user_id !== user.id)
        throw new Denied(400, 'api.post.create_post.file.app_error');
      return fileInfo(file);
    });
    const now = this.now();
    const post: FakePost = {
      id: newId(),
      create_at: now,
      update_at: now,
      edit_at: 0,
      delete_at: 0,
      user_id: user.id,
      channel_id: channel.id,
      root_id: rootId,
      message: given.message,
      type: given.type ?? '',
      props: { ...given.props, ...(user.is_bot ? { from_bot: 'true' } : {}) },
      file_ids: given.fileIds ?? [],
      is_pinned: false,
      metadata: { files },
    };
    this.posts.set(post.id, post);
    channel.last_post_at = Math.max(channel.last_post_at, now);
    if (given.pendingPostId) {
      this.pending.set(given.pendingPostId, { postId: post.id, untilMs: Date.now() + PENDING_MS });
    }
    this.publish('posted', channel, {
      channel_type: channel.type,
      channel_name: channel.name,
      channel_display_name: channel.display_name,
      sender_name: `@${user.username}`,
      set_online: true,
      team_id: channel.team_id,
      post: JSON.stringify({ ...post, pending_post_id: given.pendingPostId ?? '' }),
    });
    return post;
  }

  editPost(user: FakeUser, id: string, message: string): FakePost {
    const post = this.posts.get(id);
    if (post === undefined || post.delete_at > 0 || post.user_id !== user.id) throw forbidden();
    const { postEditTimeLimit } = this.settings;
    if (postEditTimeLimit !== -1 && this.now() > post.create_at + postEditTimeLimit * 1_000) {
      throw new Denied(
        400,
        'api.post.update_post.permissions_time_limit.app_error',
        `Post edit is only allowed for ${postEditTimeLimit} seconds.`,
      );
    }
    this.checkLength(message);
    post.message = message;
    post.edit_at = this.now();
    post.update_at = post.edit_at;
    this.publish('post_edited', this.channel(post.channel_id), { post: JSON.stringify(post) });
    return post;
  }

  deletePost(user: FakeUser, id: string): void {
    const post = this.post(id);
    if (post.user_id !== user.id) throw forbidden();
    const now = this.now();
    // Replies go with their root, without an event of their own.
    for (const each of this.posts.values()) {
      if (each.id === id || each.root_id === id) each.delete_at = now;
    }
    this.publish('post_deleted', this.channel(post.channel_id), { post: JSON.stringify(post) });
  }

  react(user: FakeUser, postId: string, emoji: string): FakeReaction {
    const post = this.post(postId);
    const channel = this.readableChannel(user, post.channel_id);
    if (!/^[a-zA-Z0-9_+-]{1,64}$/.test(emoji))
      throw new Denied(400, 'api.reaction.save_reaction.invalid.app_error');
    const known = this.reactionOf(user.id, postId, emoji);
    if (known !== undefined) return known;
    const reaction = {
      user_id: user.id,
      post_id: postId,
      emoji_name: emoji,
      create_at: this.now(),
      channel_id: channel.id,
    };
    this.reactions.push(reaction);
    this.publish('reaction_added', channel, { reaction: JSON.stringify(reaction) });
    return reaction;
  }

  unreact(user: FakeUser, postId: string, emoji: string): void {
    const post = this.post(postId);
    const known = this.reactionOf(user.id, postId, emoji);
    if (known === undefined) return;
    this.reactions = this.reactions.filter((each) => each !== known);
    this.publish('reaction_removed', this.channel(post.channel_id), { reaction: JSON.stringify(known) });
  }

  addFile(user: FakeUser, name: string, mime: string, bytes: Buffer): FakeFile {
    if (!this.settings.fileAttachments) throw new Denied(501, 'api.file.attachments.disabled.app_error');
    if (bytes.length > this.settings.maxFileSize) {
      throw new Denied(
        413,
        'api.file.upload_file.too_large_detailed.app_error',
        'Unable to upload file. File is too large.',
      );
    }
    const file = { id: newId(), user_id: user.id, name, mime_type: mime, size: bytes.length, bytes };
    this.files.set(file.id, file);
    return file;
  }

  /** Posts that are there, as the server lists them: newest first, ids of the same millisecond in any order. */
  listPosts(matches: (post: FakePost) => boolean): FakePost[] {
    return [...this.posts.values()]
      .filter((post) => post.delete_at === 0 && matches(post))
      .sort((one, other) => other.create_at - one.create_at || (one.id < other.id ? 1 : -1));
  }

  private reactionOf(userId: string, postId: string, emoji: string): FakeReaction | undefined {
    return this.reactions.find(
      (each) => each.user_id === userId && each.post_id === postId && each.emoji_name === emoji,
    );
  }

  private checkLength(message: string): void {
    if ([...message].length > this.settings.maxPostSize) {
      throw new Denied(
        400,
        'model.post.is_valid.message_length.app_error',
        'Post Message property is longer than the maximum permitted length.',
      );
    }
  }
}

export function fileInfo({ bytes: _bytes, ...info }: FakeFile): object {
  return { ...info, extension: info.name.split('.').pop() ?? '' };
}

export function forbidden(): Denied {
  return new Denied(403, 'api.context.permissions.app_error', 'You do not have the appropriate permissions.');
}
