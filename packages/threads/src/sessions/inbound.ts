import type { PlatformBehaviour } from '../config.ts';
import type { Platform, PlatformEvent, PlatformFeed, Post, PostRef } from '../platforms/platform.ts';
import type { ThreadsPorts } from '../ports.ts';
import { messageByKey, messageRow, moveMessage } from './messages.ts';
import type { People } from './people.ts';
import { type ChannelRule, channelRuleOf } from './places.ts';
import { type Db, liveSessionOf, liveSessionsOf } from './records.ts';

/** Cursors of events that concern nobody are written only this often; being behind costs a look at them again. */
const IDLE_CURSOR_EVENTS = 100;
/** Threads whose replies are fetched after a gap, those with the latest activity. */
const MOST_WATCHED = 200;
/** Replies that concerned nobody, kept in case the post that makes them count comes after them. */
const MOST_EARLY_REPLIES = 200;

export interface InboundOptions {
  readonly ports: Pick<ThreadsPorts, 'store' | 'clock' | 'log'>;
  readonly platform: Platform;
  readonly behaviour: Pick<PlatformBehaviour, 'directChannelMode' | 'directMessages'>;
  readonly people: People;
  /** A thread has something new on record. */
  onRecorded(thread: ThreadPlace): void;
  /** A post that is for no session. */
  onUnconcerned(post: Post): Promise<void>;
  /** Somebody put a reaction on a post. */
  onReaction(ref: PostRef, personId: string, emoji: string): Promise<void>;
  /** Its author has written a post anew. */
  onEdited(post: Post): Promise<void>;
  /** A post is gone. */
  onDeleted(ref: PostRef): Promise<void>;
  /** Somebody took a reaction back. */
  onReactionTakenBack(ref: PostRef, personId: string, emoji: string): Promise<void>;
  openQuestionPosts(): Promise<PostRef[]>;
  /** Whether nothing is taken any more until the next start. */
  isShut(): boolean;
}

export interface ThreadPlace {
  readonly channelId: string;
  /** Where the whole channel is one session, the channel's id. */
  readonly threadId: string;
}

/**
 * The one way in: a post that concerns a session, or could start one, is written together with the cursor before
 * anything is done with it. A post that is on record already changes nothing.
 */
export function inboundFeed(options: InboundOptions): PlatformFeed & { flush(): Promise<void> } {
  const { ports, platform, behaviour, people } = options;
  const { store, clock } = ports;
  let lastPosition: number | null = null;
  let idle: { cursor: string; events: number } | null = null;

  /** In the order they came; a platform may deliver a reply before the mention that it follows. */
  const early: { post: Post; place: ThreadPlace }[] = [];

  function keepEarly(post: Post, place: ThreadPlace): void {
    if (post.threadId === post.postId) return;
    early.push({ post, place });
    if (early.length > MOST_EARLY_REPLIES) early.shift();
  }

  /** Replies of a thread that were written after a post and came before it. */
  function takeEarly(post: Post, place: ThreadPlace): Post[] {
    const taken: Post[] = [];
    for (let index = early.length - 1; index >= 0; index -= 1) {
      const each = early[index];
      if (each?.place.channelId !== place.channelId || each.place.threadId !== place.threadId) continue;
      early.splice(index, 1);
      if (each.post.createdMs > post.createdMs) taken.unshift(each.post);
    }
    return taken;
  }

  async function writeCursor(db: Db, cursor: string): Promise<void> {
    await db
      .insertInto('threads_cursors')
      .values({ platform_id: platform.id, cursor })
      .onConflict((conflict) => conflict.column('platform_id').doUpdateSet({ cursor }))
      .execute();
    idle = null;
  }

  async function passOver(cursor: string | null): Promise<void> {
    if (cursor === null) return;
    idle = { cursor, events: (idle?.events ?? 0) + 1 };
    if (idle.events >= IDLE_CURSOR_EVENTS) await writeCursor(store.db, cursor);
  }

  /** Increases from message to message, over restarts and changes of the process too. */
  async function nextPosition(db: Db): Promise<number> {
    if (lastPosition === null) {
      const row = await db
        .selectFrom('threads_messages')
        .select((select) => select.fn.max('position').as('last'))
        .where('platform_id', '=', platform.id)
        .executeTakeFirst();
      lastPosition = Number(row?.last ?? 0);
    }
    lastPosition = Math.max(lastPosition + 1, clock.nowMicroseconds());
    return lastPosition;
  }

  function placeOf({ channelId, threadId }: Post, rule: ChannelRule): ThreadPlace {
    return { channelId, threadId: rule.kind === 'thread' ? threadId : channelId };
  }

  async function concerns(
    db: Db,
    post: Post,
    place: ThreadPlace,
    { startsUnmentioned }: ChannelRule,
    botId: string,
  ): Promise<boolean> {
    if (post.mentions.some((mention) => mention.personId === botId)) return true;
    // Anywhere in the channel, as the last resort it is.
    if (/^!kill\b/i.test(post.text.trim())) return true;
    if (startsUnmentioned) return true;
    if (await liveSessionOf(db, { platformId: platform.id, ...place })) return true;
    // What could start a session may still wait for its turn.
    const open = await db
      .selectFrom('threads_messages')
      .select('post_id')
      .where('platform_id', '=', platform.id)
      .where('channel_id', '=', place.channelId)
      .where('thread_id', '=', place.threadId)
      .where('state', '<>', 'done')
      .limit(1)
      .executeTakeFirst();
    return open !== undefined;
  }

  async function hopsOf(db: Db, post: Post, place: ThreadPlace): Promise<number> {
    if (!post.author.isBot) return 0;
    let query = db
      .selectFrom('threads_messages')
      .select('hops')
      .where('platform_id', '=', platform.id)
      .where('channel_id', '=', place.channelId);
    const isRoot = post.threadId === post.postId;
    query = isRoot
      ? query.whereRef('thread_id', '=', 'post_id')
      : query.where('thread_id', '=', place.threadId);
    const last = await query.orderBy('position', 'desc').limit(1).executeTakeFirst();
    return (last?.hops ?? 0) + 1;
  }

  async function record(post: Post, cursor: string | null): Promise<void> {
    const self = await people.self();
    const rule = channelRuleOf(platform, behaviour, post.channelId);
    const isForUs =
      !options.isShut() &&
      !post.isSystem &&
      post.author.id !== self.id &&
      (!post.author.isBot || people.isAllowedBot(post.author.id));
    if (!isForUs || rule === null) return passOver(cursor);
    const place = placeOf(post, rule);
    const outcome = await store.transaction(async (tx) => {
      if (!(await concerns(tx, post, place, rule, self.id))) return 'nobody';
      const added = await tx
        .insertInto('threads_messages')
        .values(
          messageRow(
            { ...post, threadId: place.threadId },
            {
              platform_id: platform.id,
              position: await nextPosition(tx),
              hops: await hopsOf(tx, post, place),
              received_us: clock.nowMicroseconds(),
            },
          ),
        )
        .onConflict((conflict) => conflict.columns(['platform_id', 'channel_id', 'post_id']).doNothing())
        .executeTakeFirst();
      if (cursor !== null) await writeCursor(tx, cursor);
      return Number(added.numInsertedOrUpdatedRows ?? 0) > 0 ? 'recorded' : 'known';
    });
    if (outcome === 'nobody') {
      keepEarly(post, place);
      await options.onUnconcerned(post);
      return passOver(cursor);
    }
    if (outcome === 'known') return;
    for (const reply of takeEarly(post, place)) await record(reply, null);
    options.onRecorded(place);
  }

  /** What its author takes back before its turn is not done. */
  async function withdraw(ref: PostRef): Promise<void> {
    const key = { platformId: platform.id, ...ref };
    if ((await messageByKey(store.db, key)) === null) return;
    await moveMessage(store.db, key, ['new', 'held', 'queued'], { state: 'done', outcome: 'dropped' });
  }

  async function handle(event: PlatformEvent, cursor: string | null): Promise<void> {
    switch (event.kind) {
      case 'posted':
        return record(event.post, cursor);
      case 'deleted':
        await withdraw(event.ref);
        await options.onDeleted(event.ref);
        return passOver(cursor);
      case 'reacted':
        if (event.personId !== (await people.self()).id)
          await options.onReaction(event.ref, event.personId, event.emoji);
        if (cursor !== null) await writeCursor(store.db, cursor);
        return;
      case 'unreacted':
        await options.onReactionTakenBack(event.ref, event.personId, event.emoji);
        return passOver(cursor);
      case 'edited':
        await options.onEdited(event.post);
        return passOver(cursor);
    }
  }

  return {
    handle,
    async cursor() {
      const row = await store.db
        .selectFrom('threads_cursors')
        .select('cursor')
        .where('platform_id', '=', platform.id)
        .executeTakeFirst();
      return row?.cursor ?? null;
    },
    saveCursor: (cursor) => writeCursor(store.db, cursor),
    async watchedThreads() {
      const sessions = await liveSessionsOf(store.db, platform.id);
      return Promise.all(
        sessions
          .filter((session) => session.kind === 'thread')
          .slice(0, MOST_WATCHED)
          .map(async (session) => ({
            channelId: session.channel_id,
            threadId: session.thread_id,
            afterPostId: await newestPostOf(session),
          })),
      );
    },
    watchedPosts: () => options.openQuestionPosts(),
    async flush() {
      if (idle !== null) await writeCursor(store.db, idle.cursor);
    },
  };

  async function newestPostOf(session: { channel_id: string; thread_id: string }): Promise<string | null> {
    const row = await store.db
      .selectFrom('threads_messages')
      .select('post_id')
      .where('platform_id', '=', platform.id)
      .where('channel_id', '=', session.channel_id)
      .where('thread_id', '=', session.thread_id)
      .orderBy('position', 'desc')
      .limit(1)
      .executeTakeFirst();
    return row?.post_id ?? null;
  }
}
