import { type Clock, Failure, nowMilliseconds } from '@postern/kit';
import {
  type Connector,
  type ConnectorHealth,
  type InboundAttachment,
  type InboundEvent,
  SendError,
} from '../connector.ts';

/** What the connector needs of the embedded chat; joined to it where the product is put together. */
export interface ChatPort {
  /** Events after a cursor, oldest first; 0 is the beginning. */
  eventsAfter(cursor: number, limit: number): Promise<readonly ChatEvent[]>;
  /** Resolves when there are events after the cursor, or the signal aborts. */
  waitForEvents(cursor: number, signal: AbortSignal): Promise<void>;
  channel(
    id: string,
  ): Promise<{ readonly id: string; readonly name: string; readonly type: 'dm' | 'group' } | null>;
  /** The same nonce posts once. @throws Failure when the chat refuses, and nothing is posted. */
  post(message: {
    channelId: string;
    user: { id: string; name: string };
    text: string;
    replyTo: string | null;
    attachments: readonly { name: string; mime: string; open(): Promise<AsyncIterable<Uint8Array>> }[];
    nonce: string;
  }): Promise<{ readonly id: string; readonly created_at: string; readonly thread_id: string | null }>;
  typing(channelId: string, user: { id: string }): Promise<void>;
  readAttachment(id: string): Promise<{ open(): Promise<AsyncIterable<Uint8Array>> } | null>;
}

export interface ChatMessage {
  readonly id: string;
  readonly channel_id: string;
  readonly thread_id: string | null;
  readonly user: { readonly id: string; readonly name: string };
  readonly text: string;
  readonly reply_to: string | null;
  readonly attachments: readonly {
    readonly id: string;
    readonly name: string;
    readonly size_bytes: number;
  }[];
  readonly created_at: string;
  /** Set when the message is gone by the time its event is read; its text and files are empty then. */
  readonly deleted_at: string | null;
}

export type ChatEvent =
  | {
      readonly cursor: number;
      readonly type: 'message.created' | 'message.updated' | 'message.deleted';
      readonly data: ChatMessage;
    }
  | { readonly cursor: number; readonly type: 'reaction.added'; readonly data: unknown }
  | { readonly cursor: number; readonly type: 'reaction.removed'; readonly data: unknown };

/** The inbox writes as this user (process contract); what it wrote itself is passed over. */
export const LOCAL_SELF = { id: 'postern', displayName: 'Postern' } as const;

/** Bounds of the embedded chat. */
const LONGEST_TEXT = 16_000;
const MOST_ATTACHMENTS = 10;
const LARGEST_ATTACHMENT = 25 * 1_048_576;
const PAGE = 200;

/** The embedded chat as a platform of the inbox. */
export function localConnector(chat: ChatPort, clock: Clock): Connector {
  let health: ConnectorHealth = { status: 'starting' };
  return {
    source: 'local',
    account: 'local',
    self: LOCAL_SELF,
    capabilities: {
      text: { limit: LONGEST_TEXT, unit: 'utf16' },
      attachments: { maxCount: MOST_ATTACHMENTS, maxBytes: LARGEST_ATTACHMENT },
      typing: true,
      replies: true,
    },

    async run(stored, sink, signal) {
      let cursor = Number(stored ?? 0);
      try {
        while (!signal.aborted) {
          const events = await chat.eventsAfter(cursor, PAGE);
          health = { status: 'ok' };
          const last = events.at(-1);
          if (!last) {
            await chat.waitForEvents(cursor, signal);
            continue;
          }
          const inbound: InboundEvent[] = [];
          for (const event of events) inbound.push(...(await inboundOf(event, chat)));
          await sink.accept(inbound, String(last.cursor));
          cursor = last.cursor;
        }
      } finally {
        health = { status: 'down', detail: 'not running' };
      }
    },

    async send(part) {
      try {
        const posted = await chat.post({
          channelId: part.channelId,
          user: { id: LOCAL_SELF.id, name: LOCAL_SELF.displayName },
          text: part.text,
          replyTo: part.replyToPlatformId,
          attachments: part.attachments,
          nonce: part.nonce,
        });
        return {
          platformId: posted.id,
          timestampMs: Date.parse(posted.created_at) || nowMilliseconds(clock),
          raw: { thread_id: posted.thread_id },
        };
      } catch (error) {
        if (error instanceof Failure) throw new SendError('failed', error.message, { cause: error });
        throw new SendError('unknown', 'the chat did not answer', { cause: error });
      }
    },

    typing: (channelId) => chat.typing(channelId, { id: LOCAL_SELF.id }),
    health: () => health,
  };
}

async function inboundOf(event: ChatEvent, chat: ChatPort): Promise<InboundEvent[]> {
  if (event.type === 'reaction.added' || event.type === 'reaction.removed') return [];
  const message = event.data;
  if (message.user.id === LOCAL_SELF.id) return [];
  // What was deleted before it was read never arrived; for what did arrive, the deletion has an event of its own.
  if (message.deleted_at !== null && event.type !== 'message.deleted') return [];
  if (event.type === 'message.deleted') return [{ kind: 'delete', platformId: message.id }];
  const raw = {
    id: message.id,
    thread_id: message.thread_id,
    reply_to: message.reply_to,
    user: message.user,
    // The envelope has no place for the names people gave their files.
    attachments: message.attachments.map(({ name, size_bytes }) => ({ name, size_bytes })),
  };
  if (event.type === 'message.updated') {
    return [{ kind: 'edit', platformId: message.id, text: message.text, raw }];
  }
  const channel = await chat.channel(message.channel_id);
  if (!channel) return [];
  return [
    {
      kind: 'message',
      platformId: message.id,
      channel: { id: channel.id, type: channel.type, name: channel.name },
      sender: { id: message.user.id, displayName: message.user.name },
      text: message.text,
      attachments: message.attachments.map((attachment) => inboundAttachment(attachment, chat)),
      // In a thread, what does not say which message it answers answers the root.
      replyToPlatformId: message.reply_to ?? message.thread_id,
      timestampMs: Date.parse(message.created_at),
      raw,
    },
  ];
}

function inboundAttachment(
  attachment: { id: string; name: string; size_bytes: number },
  chat: ChatPort,
): InboundAttachment {
  return {
    name: attachment.name,
    sizeBytes: attachment.size_bytes,
    async open() {
      const file = await chat.readAttachment(attachment.id);
      if (!file) throw new Error(`the chat no longer has attachment ${attachment.id}`);
      return file.open();
    },
  };
}
