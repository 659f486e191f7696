import type { PlatformEvent, PlatformFeed, Post, PostRef, WatchedThread } from '../platforms/platform.ts';

/** A feed that keeps what it is handed, for tests of platforms. */
export interface RecordedFeed extends PlatformFeed {
  /** In the order they came, those handed over twice twice. */
  readonly events: readonly PlatformEvent[];
  readonly savedCursor: string | null;
  readonly threads: WatchedThread[];
  readonly posts: PostRef[];
  /** The next so many calls of `handle` reject and keep nothing. */
  failNext(times: number): void;
  /** Resolves as soon as it holds for what there is, or is to come. */
  until(holds: (events: readonly PlatformEvent[]) => boolean): Promise<void>;
  /** Resolves with the post once it was handed over. */
  untilPost(matches: (post: Post) => boolean): Promise<Post>;
  /** Resolves as soon as a cursor is on record. */
  untilCursor(): Promise<void>;
  /** Each post that was made, once, in the order of their first coming. */
  posted(): Post[];
}

/** @param cursor What is on record at the start. */
export function recordedFeed(cursor: string | null = null): RecordedFeed {
  const events: PlatformEvent[] = [];
  const watchers = new Set<() => void>();
  let saved = cursor;
  let failures = 0;
  const changed = () => {
    for (const look of [...watchers]) look();
  };
  const when = (holds: () => boolean) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (!holds()) return;
        watchers.delete(look);
        resolve();
      };
      watchers.add(look);
      look();
    });
  const feed: RecordedFeed = {
    events,
    threads: [],
    posts: [],
    get savedCursor() {
      return saved;
    },
    async handle(event, next) {
      if (failures > 0) {
        failures -= 1;
        throw new Error('the record could not be written');
      }
      events.push(event);
      saved = next ?? saved;
      changed();
    },
    cursor: async () => saved,
    async saveCursor(next) {
      saved = next;
      changed();
    },
    watchedThreads: async () => feed.threads,
    watchedPosts: async () => feed.posts,
    failNext(times) {
      failures = times;
    },
    until: (holds) => when(() => holds(events)),
    async untilPost(matches) {
      await when(() => feed.posted().some(matches));
      const post = feed.posted().find(matches);
      if (post === undefined) throw new Error('the post went away');
      return post;
    },
    untilCursor: () => when(() => saved !== null),
    posted() {
      const posts = new Map<string, Post>();
      for (const event of events) {
        if (event.kind !== 'posted') continue;
        const key = `${event.post.channelId} ${event.post.postId}`;
        if (!posts.has(key)) posts.set(key, event.post);
      }
      return [...posts.values()];
    },
  };
  return feed;
}
