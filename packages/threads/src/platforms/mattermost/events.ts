import type { PlatformEvent } from '../platform.ts';
import type { Directory } from './directory.ts';
import type { PostReader } from './posts.ts';
import { embedded, type WireFrame, type WirePost, wirePost, wireReaction } from './wire.ts';

/** An event, and the post behind it where there is one. */
export interface Happened {
  readonly event: PlatformEvent;
  readonly post: WirePost | null;
}

/** What a frame of the WebSocket means here; null for what is of no interest. @throws PlatformError */
export type FrameReader = (frame: WireFrame) => Promise<Happened | null>;

/** Only the bot's channel and direct conversations count, though the server tells of all channels the bot is in. */
export function frameReader(people: Directory, reader: PostReader, ownChannelId: string): FrameReader {
  async function counts(channelId: string, type: unknown): Promise<boolean> {
    if (channelId === ownChannelId || type === 'D') return true;
    if (typeof type === 'string' && type !== '') return false;
    return (await people.wireChannel(channelId))?.type === 'D';
  }

  async function ofPost({ event, data }: WireFrame): Promise<Happened | null> {
    const post = embedded(data.post, wirePost);
    if (post === null || !(await counts(post.channel_id, data.channel_type))) return null;
    if (event === 'post_deleted') {
      return { event: { kind: 'deleted', ref: { channelId: post.channel_id, postId: post.id } }, post };
    }
    const kind = event === 'posted' ? 'posted' : 'edited';
    return { event: { kind, post: await reader.read(post) }, post };
  }

  async function ofReaction({ event, data, broadcast }: WireFrame): Promise<Happened | null> {
    const reaction = embedded(data.reaction, wireReaction);
    if (reaction === null) return null;
    const { id: selfId } = await people.self();
    const channelId = broadcast.channel_id || reaction.channel_id;
    if (reaction.user_id === selfId || !(await counts(channelId, undefined))) return null;
    return {
      event: {
        kind: event === 'reaction_added' ? 'reacted' : 'unreacted',
        ref: { channelId, postId: reaction.post_id },
        personId: reaction.user_id,
        emoji: reaction.emoji_name,
      },
      post: null,
    };
  }

  return async (frame) => {
    switch (frame.event) {
      case 'posted':
      case 'post_edited':
      case 'post_deleted':
        return ofPost(frame);
      case 'reaction_added':
      case 'reaction_removed':
        return ofReaction(frame);
      default:
        return null;
    }
  };
}
