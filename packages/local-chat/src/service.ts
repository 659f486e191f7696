import type { Readable } from 'node:stream';
import { problem } from '@postern/http';
import { type Clock, idGenerator, type Random } from '@postern/kit';
import type { BlobStore } from '@postern/store';
import { sweepBlobs } from './attachments.ts';
import { type NewChannel, openChannel } from './channels.ts';
import { checked } from './checks.ts';
import { newestPosition } from './event-log.ts';
import { openEventStream } from './event-stream.ts';
import { createFeed } from './feed.ts';
import { type ChatLimits, defaultChatLimits } from './limits.ts';
import { type ChatPort, chatPort, type PortScope } from './port.ts';
import type { ChatPorts, ChatStore } from './ports.ts';
import { type ChatChannel, channelName } from './shapes.ts';

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
  /** The service that people's direct messages belong to. Without it they belong to nobody. */
  readonly directOwner?: string;
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
   * The chat of one consumer. Without an owner's name it is told of the channels that belong to nobody; with one, of
   * those that belong to it, direct messages among them where it is their owner. What belongs to others does not
   * exist there; what belongs to nobody may be read and written in by all.
   */
  port(owner?: string): ChatPort;

  /**
   * Makes a channel, or finds the one of that name as it is (`created` false), and adds the members.
   *
   * @throws Failure validation_failed; precondition_failed when a bound is reached.
   */
  openChannel(channel: NewChannel): Promise<{ channel: ChatChannel; created: boolean }>;
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
    ...chatPort(ports, feed, { events: {}, reach: {} }),
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
    port: (owner) => chatPort(ports, feed, scopeOf(owned, options.directOwner, owner)),
    openChannel: (channel) => openChannel(ports, channel),
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

function scopeOf(
  owned: ReadonlyMap<string, string>,
  directOwner: string | undefined,
  owner: string | undefined,
): PortScope {
  const others = [...owned].filter(([, name]) => name !== owner).map(([channelId]) => channelId);
  const isDirectOfOthers = directOwner !== undefined && directOwner !== owner;
  const reach = { except: others, ...(isDirectOfOthers ? { direct: 'excepted' as const } : {}) };
  if (owner === undefined) return { events: reach, reach };
  const only = [...owned.keys()].filter((channelId) => !others.includes(channelId));
  return { events: directOwner === owner ? { only, direct: 'included' } : { only }, reach };
}
