import { problem } from '@postern/http';
import type { AttachmentFile } from './attachments.ts';
import { readAttachment } from './attachments.ts';
import { assertChannel, describe } from './channels.ts';
import { checked } from './checks.ts';
import { type ChannelScope, eventsAfter, newestPosition } from './event-log.ts';
import type { Feed } from './feed.ts';
import type { ChatPorts } from './ports.ts';
import { type NewMessage, post } from './posting.ts';
import { type ChatChannel, type ChatEvent, type ChatMessage, type ChatPerson, userId } from './shapes.ts';

/** The chat as a consumer in this process sees it: its channels' events, and what it may do there. */
export interface ChatPort {
  /**
   * At most `limit` events after the cursor, oldest first. Begin with 0 for all there is, or with
   * {@link newestCursor} for what comes, and go on with the last event's `cursor`. Each change comes once and
   * none is skipped, in any process and after any restart.
   */
  eventsAfter(cursor: number, limit: number): Promise<ChatEvent[]>;
  newestCursor(): Promise<number>;
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
  /** The channel, or null when there is none of that id, or it is not the consumer's. */
  channel(id: string): Promise<ChatChannel | null>;
}

/** The chat within some of its channels; the rest does not exist there. */
export function chatPort(ports: ChatPorts, feed: Feed, scope: ChannelScope): ChatPort {
  const inScope = (channelId: string) =>
    !scope.except?.includes(channelId) && scope.only?.includes(channelId) !== false;
  const assertInScope = (channelId: string) => {
    if (!inScope(channelId)) throw problem('not_found', `channel_id: no channel ${channelId} exists.`);
  };
  // After a cursor nothing of the consumer's came up to here, so others' traffic is not read twice.
  let quiet = { from: 0, to: 0 };

  const port: ChatPort = {
    async eventsAfter(cursor, limit) {
      const newest = await newestPosition(ports.store.db);
      const start = cursor === quiet.from ? Math.max(cursor, quiet.to) : cursor;
      const events = await eventsAfter(ports, start, limit, scope);
      if (events.length === 0 && newest > cursor) quiet = { from: cursor, to: newest };
      return events;
    },
    newestCursor: () => newestPosition(ports.store.db),
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
      if (!inScope(id)) return null;
      const [channel] = await describe(ports.store.db, id);
      return channel ?? null;
    },
  };
  return port;
}
