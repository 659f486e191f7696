import type { Readable } from 'node:stream';
import { problem } from '@postern/http';
import { type Clock, idGenerator, type Random } from '@postern/kit';
import type { BlobStore } from '@postern/store';
import { sweepBlobs } from './attachments.ts';
import { edit, type ReactionChange, react, remove, unreact } from './changing.ts';
import { describe, directChannelName, type NewChannel, openChannel } from './channels.ts';
import { checked } from './checks.ts';
import { type ChannelScope, newestPosition } from './event-log.ts';
import { openEventStream } from './event-stream.ts';
import { createFeed } from './feed.ts';
import { type ChatLimits, defaultChatLimits } from './limits.ts';
import { type ChatPort, chatPort } from './port.ts';
import type { ChatPorts, ChatStore } from './ports.ts';
import { type ChatSearch, list, type MessagePage, read, search } from './reading.ts';
import { type ChatChannel, type ChatMessage, type ChatPerson, channelName, person } from './shapes.ts';

export interface ChatOptions {
  /** Migrated with {@link chatMigrations}. */
  readonly store: ChatStore;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly random: Random;
  /** Base of the addresses people follow, without a trailing slash; asked at each use. */
  publicUrl(): string;
  /**
   * Channels that belong to a service, by channel id, with a name for the service. They are made at the start
   * when missing. See {@link ChatService.port}.
   */
  readonly ownedChannels?: ReadonlyMap<string, string>;
  readonly limits?: Partial<ChatLimits>;
}

/** The chat. As a {@link ChatPort} it sees every channel. */
export interface ChatService extends ChatPort {
  readonly limits: ChatLimits;
  /** Makes the owned channels and takes away what dead processes left, then and every hour. */
  start(): Promise<void>;
  /** Ends event streams and stops listening. The store stays open. */
  stop(): Promise<void>;
  /**
   * The chat of one consumer: with an owner's name the channels that belong to it, without one the channels
   * that belong to nobody. Other channels do not exist there.
   */
  port(owner?: string): ChatPort;

  channels(): Promise<ChatChannel[]>;
  /**
   * Makes a channel, or finds the one of that name as it is (`created` false), and adds the members.
   *
   * @throws Failure validation_failed; precondition_failed when a bound is reached.
   */
  openChannel(channel: NewChannel): Promise<{ channel: ChatChannel; created: boolean }>;
  /** The direct messages with a person, `local:dm-<user id>`, made when missing. @throws as openChannel. */
  openDirect(user: ChatPerson, other?: ChatPerson): Promise<ChatChannel>;
  /** A message, or its tombstone; null when unknown. */
  message(id: string): Promise<ChatMessage | null>;
  /** A page, oldest first. @throws Failure not_found. */
  messages(page: MessagePage): Promise<ChatMessage[]>;
  /** Newest first. */
  search(search: ChatSearch): Promise<ChatMessage[]>;
  /** @throws Failure not_found; forbidden unless the author; precondition_failed on a tombstone. */
  edit(change: {
    readonly messageId: string;
    readonly userId: string;
    readonly text: string;
  }): Promise<ChatMessage>;
  /** @throws Failure not_found; forbidden unless the author. */
  remove(change: { readonly messageId: string; readonly userId: string }): Promise<ChatMessage>;
  /** @throws Failure not_found; validation_failed; precondition_failed on a tombstone or a full message. */
  react(change: ReactionChange): Promise<ChatMessage>;
  /** @throws Failure not_found; validation_failed. */
  unreact(change: ReactionChange): Promise<ChatMessage>;
  /**
   * Server-sent events after `lastEventId`, or from now on. Ends when the signal aborts or the chat stops;
   * whoever reads it must destroy it when done.
   *
   * @throws Failure rate_limited when there are too many streams.
   */
  eventStream(options: { readonly lastEventId?: number; readonly closing?: AbortSignal }): Promise<Readable>;
}

/** Between two looks for what dead processes left. */
const SWEEP_MILLISECONDS = 3_600_000;
/** Seconds after which a client that got no stream may ask again. */
const STREAM_RETRY_SECONDS = 5;

export function createChatService(options: ChatOptions): ChatService {
  const limits: ChatLimits = { ...defaultChatLimits, ...options.limits };
  const owned = options.ownedChannels ?? new Map<string, string>();
  const ports: ChatPorts = {
    store: options.store,
    blobs: options.blobs,
    clock: options.clock,
    newId: idGenerator(options),
    publicUrl: () => options.publicUrl(),
    limits,
  };
  const feed = createFeed(ports);
  const stopping = new AbortController();
  let streams = 0;
  let sweeping: Promise<void> | undefined;

  async function sweepEachHour(): Promise<void> {
    for (;;) {
      await ports.clock.sleep(SWEEP_MILLISECONDS, stopping.signal);
      if (stopping.signal.aborted) return;
      // What could not be swept stays on the list.
      await sweepBlobs(ports).catch(() => {});
    }
  }

  return {
    ...chatPort(ports, feed, {}),
    limits,
    async start() {
      for (const channelId of owned.keys()) {
        const name = checked(channelName, channelId.replace(/^local:/, ''), 'ownedChannels');
        await openChannel(ports, { name, type: name.startsWith('dm-') ? 'dm' : 'group', members: [] });
      }
      await sweepBlobs(ports);
      sweeping = sweepEachHour();
    },
    async stop() {
      stopping.abort();
      await Promise.all([feed.stop(), sweeping]);
    },
    port: (owner) => chatPort(ports, feed, scopeOf(owned, owner)),
    channels: () => describe(ports.store.db),
    openChannel: (channel) => openChannel(ports, channel),
    async openDirect(user, other) {
      const members = other === undefined ? [user] : [user, other];
      const name = directChannelName(checked(person, user, 'user').id);
      return (await openChannel(ports, { name, type: 'dm', members })).channel;
    },
    message: (id) => read(ports, id),
    messages: (page) => list(ports, page),
    search: (query) => search(ports, query),
    edit: (change) => edit(ports, change),
    remove: (change) => remove(ports, change),
    react: (change) => react(ports, change),
    unreact: (change) => unreact(ports, change),
    async eventStream({ lastEventId, closing }) {
      if (streams >= limits.streams) {
        throw problem('rate_limited', `There are ${limits.streams} event streams open, which is the limit.`, {
          retryAfterSeconds: STREAM_RETRY_SECONDS,
        });
      }
      streams += 1;
      try {
        const newest = await newestPosition(ports.store.db);
        const stream = openEventStream({
          feed,
          // An id beyond the log is of a database that was replaced by an older one.
          cursor: Math.min(lastEventId ?? newest, newest),
          limits,
          closing: AbortSignal.any([stopping.signal, ...(closing === undefined ? [] : [closing])]),
        });
        return stream.once('close', () => {
          streams -= 1;
        });
      } catch (error) {
        streams -= 1;
        throw error;
      }
    },
  };
}

function scopeOf(owned: ReadonlyMap<string, string>, owner: string | undefined): ChannelScope {
  if (owner === undefined) return owned.size === 0 ? {} : { except: [...owned.keys()] };
  return { only: [...owned].filter(([, name]) => name === owner).map(([channelId]) => channelId) };
}
