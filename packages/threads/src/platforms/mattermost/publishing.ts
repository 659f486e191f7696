import { createHash } from 'node:crypto';
import { type Clock, measureText, neutraliseMassMentions, nowMilliseconds } from '@postern/kit';
import { z } from 'zod';
import { type OutgoingPost, PlatformError, type PostRef } from '../platform.ts';
import { RecentMap } from '../remembered.ts';
import { CallFault } from '../retry.ts';
import { isMattermostId } from './address.ts';
import { asLost, type MattermostApi, Refusal } from './api.ts';
import { type Directory, orNull } from './directory.ts';
import { listed, type WirePost, wirePost, wirePostList, wireReaction } from './wire.ts';

/** Writing posts: each goes out once, however often its answer is lost. */
export interface Publishing {
  /** From now on this process alone posts; until now another one may have. */
  takeOver(): void;
  post(message: OutgoingPost, fileIds?: readonly string[]): Promise<PostRef>;
  edit(ref: PostRef, markdown: string): Promise<void>;
  delete(ref: PostRef): Promise<void>;
  react(ref: PostRef, emoji: string): Promise<void>;
  unreact(ref: PostRef, emoji: string): Promise<void>;
  pin(ref: PostRef): Promise<void>;
}

export interface PublishingPorts {
  readonly api: MattermostApi;
  readonly people: Directory;
  readonly clock: Clock;
  newKey(): string;
  /** Longest text of a post now, in code points. */
  limit(): number;
}

/** A post's key, in its props: the server keeps `pending_post_id` for 30 seconds only, and on one node. */
const KEY_PROP = 'postern_key';
/** With it the server fetches no page or picture that the text names, and no client shows a picture. */
const PROPS = { unsafe_links: 'true' };
/** A post whose answer was lost is among the newest so many of its channel. */
const LOOK_BACK = 200;
/** After it took over, a key may be of a post that an earlier process sent before it ended. */
const RESUMING_MS = 10 * 60_000;
const MOST_KEYS = 1_000;
const ROOT_GONE = /create_post\.(?:channel_)?root_id/;
const EDIT_TOO_LATE = 'api.post.update_post.permissions_time_limit.app_error';
const statusOk = z.unknown();

export function publishing({ api, people, clock, newKey, limit }: PublishingPorts): Publishing {
  let tookOverMs = nowMilliseconds(clock);
  const sent = new RecentMap<PostRef>(MOST_KEYS);

  function checked(markdown: string): string {
    const text = neutraliseMassMentions(markdown);
    if (measureText(text, 'codepoints') > limit()) {
      throw new PlatformError('too_large', `a post holds at most ${limit()} characters`);
    }
    return text;
  }

  async function find(channelId: string, key: string, signal: AbortSignal): Promise<WirePost | null> {
    const { id: selfId } = await people.self();
    const list = await api.once(
      {
        name: 'look for a post whose answer was lost',
        path: `/channels/${channelId}/posts`,
        query: { page: 0, per_page: LOOK_BACK },
        schema: wirePostList,
      },
      signal,
    );
    return listed(list).find((post) => post.user_id === selfId && post.props[KEY_PROP] === key) ?? null;
  }

  async function send(message: OutgoingPost, key: string, text: string, fileIds: readonly string[]) {
    const { id: selfId } = await people.self();
    const { channelId, threadId } = message;
    const isOfOldProcess = message.key !== undefined && nowMilliseconds(clock) - tookOverMs < RESUMING_MS;
    let wasSent = false;
    return api.run({
      name: 'post a message',
      isIdempotent: true,
      writesIn: channelId,
      async attempt(signal): Promise<WirePost> {
        const sentBefore = wasSent;
        try {
          const found = sentBefore || isOfOldProcess ? await find(channelId, key, signal) : null;
          if (found !== null) return found;
          wasSent = true;
          return await api.once(
            {
              name: 'post a message',
              method: 'POST',
              path: '/posts',
              json: {
                channel_id: channelId,
                root_id: threadId ?? '',
                message: text,
                file_ids: fileIds,
                pending_post_id: `${selfId}:${key}`,
                props: { ...PROPS, [KEY_PROP]: key },
              },
              schema: wirePost,
            },
            signal,
          );
        } catch (error) {
          // What was lost once stays lost, whatever becomes of the look for it.
          if (sentBefore) throw asLost(error);
          if (error instanceof CallFault && error.kind !== 'lost') wasSent = false;
          throw error;
        }
      },
    });
  }

  async function patch(ref: PostRef, message: string): Promise<void> {
    await api.call({
      name: 'edit a post',
      method: 'PUT',
      path: `/posts/${ref.postId}/patch`,
      json: { message },
      schema: statusOk,
      writesIn: ref.channelId,
    });
  }

  async function isGone({ postId }: PostRef): Promise<boolean> {
    const found = await orNull(api.call({ name: 'read a post', path: `/posts/${postId}`, schema: wirePost }));
    return found === null || found.delete_at > 0;
  }

  function known(ref: PostRef): PostRef {
    if (!isMattermostId(ref.postId)) throw new PlatformError('not_found', 'there is no such post');
    return ref;
  }

  return {
    takeOver() {
      tookOverMs = nowMilliseconds(clock);
    },
    async post(message, fileIds = []) {
      const text = checked(message.markdown);
      if (text.trim() === '' && fileIds.length === 0) {
        throw new PlatformError('refused', 'a post needs a text');
      }
      const key = shortKey(message.key ?? newKey());
      const before = message.key === undefined ? undefined : sent.get(key);
      if (before !== undefined) return before;
      try {
        const { id, channel_id } = await send(message, key, text, fileIds);
        const ref = { channelId: channel_id, postId: id };
        sent.set(key, ref);
        return ref;
      } catch (error) {
        if (error instanceof Refusal && ROOT_GONE.test(error.id)) {
          throw new PlatformError('not_found', 'the thread is gone: its first message was deleted', {
            cause: error,
          });
        }
        throw error;
      }
    },
    async edit(ref, markdown) {
      const text = checked(markdown);
      try {
        await patch(known(ref), text);
      } catch (error) {
        if (error instanceof Refusal && error.id === EDIT_TOO_LATE) {
          throw new PlatformError('refused', 'the server lets nobody edit a post of that age', {
            cause: error,
          });
        }
        // A post that is gone is refused as somebody else's would be.
        if (error instanceof Refusal && error.status === 403 && (await isGone(ref))) {
          throw new PlatformError('not_found', 'the post is gone', { cause: error });
        }
        throw error;
      }
    },
    delete: (ref) =>
      unlessGone(
        api.call({
          name: 'delete a post',
          method: 'DELETE',
          path: `/posts/${known(ref).postId}`,
          schema: statusOk,
        }),
      ),
    async react(ref, emoji) {
      const { id: selfId } = await people.self();
      await api.call({
        name: 'react to a post',
        method: 'POST',
        path: '/reactions',
        json: { user_id: selfId, post_id: known(ref).postId, emoji_name: emoji },
        schema: wireReaction,
      });
    },
    async pin(ref) {
      await api.call({
        name: 'pin a post',
        method: 'POST',
        path: `/posts/${known(ref).postId}/pin`,
        schema: statusOk,
      });
    },
    async unreact(ref, emoji) {
      const { id: selfId } = await people.self();
      const name = encodeURIComponent(emoji);
      await unlessGone(
        api.call({
          name: 'take back a reaction',
          method: 'DELETE',
          path: `/users/${selfId}/posts/${known(ref).postId}/reactions/${name}`,
          schema: statusOk,
        }),
      );
    },
  };
}

/** Short and of safe characters, whatever the key is made of. */
function shortKey(key: string): string {
  return createHash('sha256').update(key).digest('base64url').slice(0, 26);
}

async function unlessGone(done: Promise<unknown>): Promise<void> {
  try {
    await done;
  } catch (error) {
    if (!(error instanceof Refusal && error.status === 404)) throw error;
  }
}
