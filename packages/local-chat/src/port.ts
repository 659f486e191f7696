import { problem } from '@postern/http';
import type { AttachmentFile } from './attachments.ts';
import { readAttachment } from './attachments.ts';
import { edit, type ReactionChange, react, remove, type TextChange, unreact } from './changing.ts';
import {
  assertChannel,
  describe,
  directChannelName,
  findPeople,
  joinChannel,
  openChannel,
} from './channels.ts';
import { checked } from './checks.ts';
import { cutPosition, eventsAfter, newestPosition } from './event-log.ts';
import type { Feed } from './feed.ts';
import type { ChatPorts } from './ports.ts';
import { type NewMessage, post } from './posting.ts';
import { type ChatSearch, list, type MessagePage, read, search } from './reading.ts';
import { type ChannelScope, includes } from './scope.ts';
import {
  type ChatChannel,
  type ChatEvent,
  type ChatMessage,
  type ChatPerson,
  person,
  userId,
} from './shapes.ts';

/**
 * The chat as a consumer in this process sees it: the events of its channels, and what it may do there and in the
 * channels that belong to nobody.
 */
export interface ChatPort {
  /**
   * At most `limit` events after the cursor, oldest first. Begin with 0 for all there is, or with
   * {@link newestCursor} for what comes, and go on with the last event's `cursor`. Each change comes once and
   * none is skipped, in any process and after any restart.
   */
  eventsAfter(cursor: number, limit: number): Promise<ChatEvent[]>;
  newestCursor(): Promise<number>;
  /** Of the time before this cursor, the coming and going of reactions is told no more; all else still is. */
  oldestCursor(): Promise<number>;
  /** Calls back when there may be new events. A hint: look with {@link eventsAfter}. Gives what stops it. */
  onEvents(notice: () => void): () => void;
  /** Resolves when there are events after the cursor, or when the signal aborts. */
  waitForEvents(cursor: number, signal: AbortSignal): Promise<void>;
  /**
   * Posts a message; its author becomes a member. With a `nonce`, trying again posts nothing new and gives
   * the message that is there.
   *
   * @throws Failure not_found, validation_failed, body_too_large, conflict or precondition_failed.
   */
  post(message: NewMessage): Promise<ChatMessage>;
  /** Tells whoever listens that the user types. @throws Failure not_found or validation_failed. */
  typing(channelId: string, user: Pick<ChatPerson, 'id'>): Promise<void>;
  /** A file of a message, or null when it is unknown or its message deleted. */
  readAttachment(id: string): Promise<AttachmentFile | null>;
  /** The channel, or null when there is none of that id, or it belongs to another. */
  channel(id: string): Promise<ChatChannel | null>;
  /** All channels but those that belong to others, in the order they were made. */
  channels(): Promise<ChatChannel[]>;
  /** A message, or its tombstone; null when unknown. */
  message(id: string): Promise<ChatMessage | null>;
  /** A page, oldest first. @throws Failure not_found. */
  messages(page: MessagePage): Promise<ChatMessage[]>;
  /** Newest first. */
  search(search: ChatSearch): Promise<ChatMessage[]>;
  /** @throws Failure not_found; forbidden unless the author; precondition_failed on a tombstone. */
  edit(change: TextChange): Promise<ChatMessage>;
  /** @throws Failure not_found; forbidden unless the author. */
  remove(change: Omit<TextChange, 'text'>): Promise<ChatMessage>;
  /** @throws Failure not_found; validation_failed; precondition_failed on a tombstone or a full message. */
  react(change: ReactionChange): Promise<ChatMessage>;
  /** @throws Failure not_found; validation_failed. */
  unreact(change: ReactionChange): Promise<ChatMessage>;
  /** Whoever is a member somewhere, by id or by exact name, in the order they first joined. */
  people(by: { readonly id: string } | { readonly name: string }): Promise<ChatPerson[]>;
  /** Makes the person a member. @throws Failure not_found; precondition_failed when the channel is full. */
  join(channelId: string, user: ChatPerson): Promise<void>;
  /** The direct messages with a person, `local:dm-<user id>`, made when missing; the other is who talks to them. */
  openDirect(user: ChatPerson, other?: ChatPerson): Promise<ChatChannel>;
}

/** What a consumer gets told, and what it may reach; the rest does not exist there. */
export interface PortScope {
  readonly events: ChannelScope;
  readonly reach: ChannelScope;
}

export function chatPort(ports: ChatPorts, feed: Feed, scope: PortScope): ChatPort {
  const assertInScope = (channelId: string) => {
    if (!includes(scope.reach, channelId)) {
      throw problem('not_found', `channel_id: no channel ${channelId} exists.`);
    }
  };
  const assertMessageInScope = async (messageId: string) => {
    if ((await port.message(messageId)) === null) {
      throw problem('not_found', `No message ${messageId} exists.`);
    }
  };
  // After a cursor nothing of the consumer's came up to here, so others' traffic is not read twice.
  let quiet = { from: 0, to: 0 };

  const port: ChatPort = {
    async eventsAfter(cursor, limit) {
      const newest = await newestPosition(ports.store.db);
      const start = cursor === quiet.from ? Math.max(cursor, quiet.to) : cursor;
      const events = await eventsAfter(ports, start, limit, scope.events);
      if (events.length === 0 && newest > cursor) quiet = { from: cursor, to: newest };
      return events;
    },
    newestCursor: () => newestPosition(ports.store.db),
    oldestCursor: () => cutPosition(ports.store.db),
    onEvents: (notice) => feed.onGrowth(notice),
    async waitForEvents(cursor, signal) {
      let notify = () => {};
      const stopListening = feed.onGrowth(() => notify());
      const stopped = () => notify();
      signal.addEventListener('abort', stopped);
      try {
        while (!signal.aborted) {
          // Listening begins before looking, or what comes between the two would be missed.
          const noticed = new Promise<void>((resolve) => {
            notify = resolve;
          });
          if ((await port.eventsAfter(cursor, 1)).length > 0) return;
          if (!signal.aborted) await noticed;
        }
      } finally {
        stopListening();
        signal.removeEventListener('abort', stopped);
      }
    },
    async post(message) {
      assertInScope(message.channelId);
      return post(ports, message);
    },
    async typing(channelId, user) {
      assertInScope(channelId);
      await assertChannel(ports.store.db, channelId);
      feed.tellTyping({
        message_id: null,
        channel_id: channelId,
        user_id: checked(userId, user.id, 'user.id'),
        emoji: null,
      });
    },
    readAttachment: (id) => readAttachment(ports, id),
    async channel(id) {
      if (!includes(scope.reach, id)) return null;
      const [channel] = await describe(ports.store.db, { only: [id] });
      return channel ?? null;
    },
    channels: () => describe(ports.store.db, scope.reach),
    async message(id) {
      const message = await read(ports, id);
      return message !== null && includes(scope.reach, message.channel_id) ? message : null;
    },
    async messages(page) {
      assertInScope(page.channelId);
      return list(ports, page);
    },
    search: (query) => search(ports, query, scope.reach),
    async edit(change) {
      await assertMessageInScope(change.messageId);
      return edit(ports, change);
    },
    async remove(change) {
      await assertMessageInScope(change.messageId);
      return remove(ports, change);
    },
    async react(change) {
      await assertMessageInScope(change.messageId);
      return react(ports, change);
    },
    async unreact(change) {
      await assertMessageInScope(change.messageId);
      return unreact(ports, change);
    },
    people: (by) => findPeople(ports, by, scope.reach),
    async join(channelId, user) {
      assertInScope(channelId);
      await joinChannel(ports, channelId, user);
    },
    async openDirect(user, other) {
      const members = other === undefined ? [user] : [user, other];
      const name = directChannelName(checked(person, user, 'user').id);
      return (await openChannel(ports, { name, type: 'dm', members })).channel;
    },
  };
  return port;
}
