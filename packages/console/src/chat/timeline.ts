import { asRecord } from '../api/http.ts';
import type { LocalMessage, Person, Reaction } from '../api/local.ts';

/** What is loaded of a channel or thread, as values: pages and events go in, a new timeline comes out. */
export interface Timeline {
  /** Oldest first, without holes between the first and the last. */
  readonly messages: readonly LocalMessage[];
  /** Nothing older exists. */
  readonly atStart: boolean;
  /** Nothing newer existed when it was read, so that new messages belong at its end. */
  readonly atEnd: boolean;
}

export interface ReactionEvent {
  readonly type: 'reaction.added' | 'reaction.removed';
  readonly messageId: string;
  readonly channelId: string;
  readonly userId: string;
  readonly emoji: string;
}

export interface MessageEvent {
  readonly type: 'message.created' | 'message.updated' | 'message.deleted';
  readonly message: LocalMessage;
}

export interface TypingEvent {
  readonly type: 'typing';
  readonly channelId: string;
  readonly user: Person;
}

export type ChatEvent = ReactionEvent | MessageEvent | TypingEvent;

/** Reads an event of the stream; null for a kind this page doesn't know or data it can't use. */
export function parseChatEvent(type: string, data: string): ChatEvent | null {
  let body: Readonly<Record<string, unknown>>;
  try {
    body = asRecord(JSON.parse(data));
  } catch {
    return null;
  }
  const channelId = body.channel_id;
  if (typeof channelId !== 'string') return null;
  switch (type) {
    case 'message.created':
    case 'message.updated':
    case 'message.deleted':
      return typeof body.id === 'string' ? { type, message: body as unknown as LocalMessage } : null;
    case 'reaction.added':
    case 'reaction.removed': {
      const { message_id: messageId, user_id: userId, emoji } = body;
      if (typeof messageId !== 'string' || typeof userId !== 'string' || typeof emoji !== 'string')
        return null;
      return { type, messageId, channelId, userId, emoji };
    }
    case 'typing': {
      const user = typingPerson(body);
      return user === null ? null : { type, channelId, user };
    }
    default:
      return null;
  }
}

function typingPerson(body: Readonly<Record<string, unknown>>): Person | null {
  const user = asRecord(body.user);
  const id = user.id ?? body.user_id;
  if (typeof id !== 'string') return null;
  return { id, name: typeof user.name === 'string' ? user.name : id };
}

/** Adds messages, the given ones winning over what is there. */
export function mergeMessages(
  known: readonly LocalMessage[],
  given: readonly LocalMessage[],
): readonly LocalMessage[] {
  const byId = new Map(known.map((message) => [message.id, message]));
  for (const message of given) byId.set(message.id, later(byId.get(message.id), message));
  return [...byId.values()].sort(byTime);
}

/** A page may have been read before an edit whose event came first. */
function later(known: LocalMessage | undefined, given: LocalMessage): LocalMessage {
  if (known === undefined || given.deleted_at !== null) return given;
  return known.deleted_at !== null || (known.edited_at ?? '') > (given.edited_at ?? '') ? known : given;
}

/** The server's times of creation never stand still, so they are the order. */
function byTime(one: LocalMessage, other: LocalMessage): number {
  if (one.created_at !== other.created_at) return one.created_at < other.created_at ? -1 : 1;
  return one.id < other.id ? -1 : one.id > other.id ? 1 : 0;
}

/**
 * Puts the newest page onto what is loaded. When the page doesn't reach back to it, messages in between are
 * missing, and only the page stays: a hole must never look like a whole.
 */
export function withNewestPage(
  known: Timeline | undefined,
  page: readonly LocalMessage[],
  limit: number,
): Timeline {
  const whole = page.length < limit;
  const ids = new Set(page.map((message) => message.id));
  const meets = known?.messages.some((message) => ids.has(message.id)) ?? false;
  if (known === undefined || !meets) return { messages: page, atStart: whole, atEnd: true };
  return { messages: mergeMessages(known.messages, page), atStart: whole || known.atStart, atEnd: true };
}

/** @param within only messages of this thread belong here; null: the whole channel's. */
export function applyEvent(timeline: Timeline, event: ChatEvent, within: string | null): Timeline {
  switch (event.type) {
    case 'message.created': {
      const { message } = event;
      const belongs = within === null || message.thread_id === within || message.id === within;
      if (!belongs || !timeline.atEnd) return timeline;
      return { ...timeline, messages: mergeMessages(timeline.messages, [message]) };
    }
    case 'message.updated':
    case 'message.deleted':
      return change(timeline, event.message.id, () => event.message);
    case 'reaction.added':
    case 'reaction.removed':
      return change(timeline, event.messageId, (message) => ({
        ...message,
        reactions: changeReactions(message.reactions, event),
      }));
    case 'typing':
      return timeline;
  }
}

function change(timeline: Timeline, id: string, to: (message: LocalMessage) => LocalMessage): Timeline {
  if (!timeline.messages.some((message) => message.id === id)) return timeline;
  return {
    ...timeline,
    messages: timeline.messages.map((message) => (message.id === id ? to(message) : message)),
  };
}

type ReactionChange = Pick<ReactionEvent, 'type' | 'emoji' | 'userId'>;

export function changeReactions(reactions: readonly Reaction[], change: ReactionChange): readonly Reaction[] {
  const { type, emoji, userId } = change;
  const present = reactions.some((reaction) => reaction.emoji === emoji);
  if (type === 'reaction.added' && !present) return [...reactions, { emoji, user_ids: [userId] }];
  return reactions
    .map((reaction) => {
      if (reaction.emoji !== emoji) return reaction;
      const others = reaction.user_ids.filter((id) => id !== userId);
      return { emoji, user_ids: type === 'reaction.added' ? [...others, userId] : others };
    })
    .filter((reaction) => reaction.user_ids.length > 0);
}

export interface ThreadSummary {
  readonly count: number;
  readonly lastAt: string;
  readonly people: readonly Person[];
}

const MAX_SUMMARY_PEOPLE = 3;

/** What stands under a root: how many replies, by whom, and when the last came. */
export function threadSummaries(messages: readonly LocalMessage[]): ReadonlyMap<string, ThreadSummary> {
  const summaries = new Map<string, ThreadSummary>();
  for (const { thread_id: root, user, created_at: lastAt, deleted_at: deletedAt } of messages) {
    if (root === null || deletedAt !== null) continue;
    const before = summaries.get(root) ?? { count: 0, lastAt, people: [] };
    const known = before.people.some((person) => person.id === user.id);
    const people = known ? before.people : [...before.people, user].slice(0, MAX_SUMMARY_PEOPLE);
    summaries.set(root, { count: before.count + 1, lastAt, people });
  }
  return summaries;
}
