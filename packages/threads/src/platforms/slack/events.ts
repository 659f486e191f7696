import type { PlatformEvent } from '../platform.ts';
import type { Directory } from './people.ts';
import { isShown, type PostReader } from './posts.ts';
import { messageEvent, reactionEvent, type WireMessage, wireMessage } from './shapes.ts';
import { isTs } from './ts.ts';

/** What an event of the Events API tells, before anything is looked up. */
export type Happened =
  | { readonly kind: 'posted' | 'edited'; readonly channelId: string; readonly message: WireMessage }
  | { readonly kind: 'deleted'; readonly channelId: string; readonly ts: string }
  | {
      readonly kind: 'reacted' | 'unreacted';
      readonly channelId: string;
      readonly ts: string;
      readonly personId: string;
      readonly emoji: string;
    };

/** Null for whatever means nothing here. */
export function readEvent(event: unknown): Happened | null {
  const reaction = reactionEvent.safeParse(event);
  if (reaction.success) {
    const { type, user, reaction: emoji, item } = reaction.data;
    const kind = type === 'reaction_added' ? 'reacted' : 'unreacted';
    return { kind, channelId: item.channel, ts: item.ts, personId: user, emoji };
  }
  const outer = messageEvent.safeParse(event);
  if (!outer.success) return null;
  const { channel: channelId, subtype } = outer.data;
  if (subtype === 'message_deleted') {
    const { deleted_ts: ts } = outer.data;
    return ts !== undefined && isTs(ts) ? { kind: 'deleted', channelId, ts } : null;
  }
  if (subtype === 'message_changed')
    return readChange(channelId, outer.data.message, outer.data.previous_message);
  const message = wireMessage.safeParse(event);
  // `message_replied` only says that a root has one more reply.
  if (!message.success || outer.data.hidden === true || subtype === 'message_replied') return null;
  return isShown(message.data) ? { kind: 'posted', channelId, message: message.data } : null;
}

/** Slack tells of a change also when it unfurls a link or counts a reply; only what people see is one. */
function readChange(channelId: string, now: unknown, before: unknown): Happened | null {
  const message = wireMessage.safeParse(now);
  if (!message.success) return null;
  // A root that has replies leaves a tombstone when it is deleted.
  if (message.data.subtype === 'tombstone') return { kind: 'deleted', channelId, ts: message.data.ts };
  const previous = wireMessage.safeParse(before);
  const isSame =
    previous.success &&
    previous.data.text === message.data.text &&
    previous.data.edited?.ts === message.data.edited?.ts;
  return isSame || !isShown(message.data) ? null : { kind: 'edited', channelId, message: message.data };
}

/** The event for the feed; null for the bot's own reactions. */
export async function toPlatformEvent(
  happened: Happened,
  people: Directory,
  reader: PostReader,
): Promise<PlatformEvent | null> {
  const { channelId } = happened;
  if ('message' in happened) {
    return { kind: happened.kind, post: await reader.read(channelId, happened.message) };
  }
  const ref = { channelId, postId: happened.ts };
  if (!('emoji' in happened)) return { kind: 'deleted', ref };
  const { kind, personId, emoji } = happened;
  return personId === people.knownSelf()?.person.id ? null : { kind, ref, personId, emoji };
}
