import { z } from 'zod';
import { PlatformError, type Post, type PostReaction, type PostRef } from '../platform.ts';
import { RecentMap } from '../remembered.ts';
import { isMattermostId } from './address.ts';
import type { MattermostApi } from './api.ts';
import { type Directory, orNull } from './directory.ts';
import type { PostReader } from './posts.ts';
import {
  byAge,
  listed,
  type WirePost,
  type WireReaction,
  wirePost,
  wirePostList,
  wireReaction,
} from './wire.ts';

/** The server gives no larger pages. */
const PAGE = 200;
/** Posts that may come again on a later page. */
const MOST_SEEN = 2_000;
/** After so many pages that brought nothing new, a server is taken for one that does not turn them. */
const MOST_IDLE_PAGES = 3;
/** A thread of more pages than this is read no further. */
const MOST_THREAD_PAGES = 500;

/** Pages of a channel's posts, replies among them, from the newest back; each post once. Ends where there is no more. */
export async function* channelPages(
  api: MattermostApi,
  channelId: string,
  signal?: AbortSignal,
): AsyncGenerator<WirePost[]> {
  const seen = new RecentMap<true>(MOST_SEEN);
  let from: { page: number; before?: string } = { page: 0 };
  for (let idle = 0; idle < MOST_IDLE_PAGES; ) {
    const list = await api.call({
      name: 'read the posts of a channel',
      path: `/channels/${channelId}/posts`,
      query: { per_page: PAGE, ...from },
      schema: wirePostList,
      signal,
    });
    const page = listed(list).sort(byAge).reverse();
    const oldest = page.at(-1);
    if (oldest === undefined) return;
    const fresh = page.filter(({ id }) => !seen.has(id));
    for (const { id } of fresh) seen.set(id, true);
    idle = fresh.length === 0 ? idle + 1 : 0;
    if (fresh.length > 0) yield fresh;
    // `before` leaves out all that is as old as the post it names, so the next page begins at the last age but one:
    // posts of the oldest millisecond, of which there may be more, come again.
    const before = page.findLast(({ create_at }) => create_at > oldest.create_at)?.id;
    from = before === undefined ? { ...from, page: from.page + 1 } : { page: 0, before };
  }
}

/** A whole thread by age, page by page from its root; nothing when it is gone. */
export async function* threadPages(
  api: MattermostApi,
  rootId: string,
  { afterMs = 0, signal }: { afterMs?: number; signal?: AbortSignal } = {},
): AsyncGenerator<WirePost[]> {
  let from: { fromCreateAt?: number; fromPost?: string } = afterMs > 0 ? { fromCreateAt: afterMs } : {};
  let seen = new Set<string>();
  for (let page = 0; page < MOST_THREAD_PAGES; page += 1) {
    const list = await orNull(
      api.call({
        name: 'read a thread',
        path: `/posts/${rootId}/thread`,
        query: { perPage: PAGE, direction: 'down', ...from },
        schema: wirePostList,
        signal,
      }),
    );
    if (list === null) return;
    const posts = Object.values(list.posts).sort(byAge);
    const fresh = posts.filter(({ id }) => !seen.has(id));
    if (fresh.length === 0) return;
    yield fresh.filter(({ delete_at }) => delete_at === 0);
    // Every page brings the root again, whose place is not among the replies.
    const last = posts.findLast(({ root_id }) => root_id !== '');
    if (list.has_next !== true || last === undefined) return;
    seen = new Set(posts.map(({ id }) => id));
    from = { fromCreateAt: last.create_at, fromPost: last.id };
  }
}

export async function wireReactions(
  api: MattermostApi,
  postId: string,
  signal?: AbortSignal,
): Promise<WireReaction[]> {
  const found = await orNull(
    api.call({
      name: 'read the reactions on a post',
      path: `/posts/${postId}/reactions`,
      // A post without any is answered `null`.
      schema: z.array(wireReaction).nullable(),
      signal,
    }),
  );
  return found ?? [];
}

export interface Reading {
  readPost(ref: PostRef): Promise<Post | null>;
  readThread(channelId: string, threadId: string, limit: number): Promise<Post[]>;
  readChannel(channelId: string, limit: number): Promise<Post[]>;
  search(query: string, limit: number): Promise<Post[]>;
  reactions(ref: PostRef): Promise<PostReaction[]>;
}

export function reading(
  api: MattermostApi,
  people: Directory,
  reader: PostReader,
  ownChannelId: string,
): Reading {
  async function readAll(posts: readonly WirePost[]): Promise<Post[]> {
    const read: Post[] = [];
    for (const post of posts) read.push(await reader.read(post));
    return read;
  }

  async function teamId(): Promise<string> {
    const own = await people.wireChannel(ownChannelId);
    if (own !== null && own.team_id !== '') return own.team_id;
    const teams = await api.call({
      name: 'read the teams of the bot',
      path: '/users/me/teams',
      schema: z.array(z.object({ id: z.string() })),
    });
    const first = teams[0];
    if (first === undefined) {
      throw new PlatformError('unsupported', 'a search needs a team, and the bot is in none');
    }
    return first.id;
  }

  return {
    async readPost({ postId }) {
      if (!isMattermostId(postId)) return null;
      const found = await orNull(
        api.call({ name: 'read a post', path: `/posts/${postId}`, schema: wirePost }),
      );
      return found === null || found.delete_at > 0 ? null : reader.read(found);
    },
    async readThread(channelId, threadId, limit) {
      if (!isMattermostId(threadId) || limit < 1) return [];
      let newest: WirePost[] = [];
      for await (const page of threadPages(api, threadId)) {
        newest = [...newest, ...page.filter((post) => post.channel_id === channelId)].slice(-limit);
      }
      return readAll(newest);
    },
    async readChannel(channelId, limit) {
      if (!isMattermostId(channelId) || limit < 1) return [];
      const newest: WirePost[] = [];
      for await (const page of channelPages(api, channelId)) {
        newest.push(...page);
        if (newest.length >= limit) break;
      }
      return readAll(newest.slice(0, limit).reverse());
    },
    async search(query, limit) {
      if (limit < 1) return [];
      const list = await api.call({
        name: 'search',
        method: 'POST',
        path: `/teams/${await teamId()}/posts/search`,
        json: { terms: query, is_or_search: false, page: 0, per_page: Math.min(limit, PAGE) },
        schema: wirePostList,
      });
      return readAll(listed(list).sort(byAge).reverse().slice(0, limit));
    },
    async reactions({ postId }) {
      if (!isMattermostId(postId)) return [];
      const { id: selfId } = await people.self();
      return (await wireReactions(api, postId))
        .filter(({ user_id }) => user_id !== selfId)
        .map(({ emoji_name, user_id }) => ({ emoji: emoji_name, personId: user_id }));
    },
  };
}
