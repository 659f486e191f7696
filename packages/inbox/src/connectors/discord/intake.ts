import { type Clock, nowMilliseconds } from '@postern/kit';
import type { Log } from '../../ports.ts';
import type { ConnectorSink, InboundEvent } from '../connector.ts';
import type { DiscordApi } from './api.ts';
import { CatchUp } from './catch-up.ts';
import { type Cursor, parseCursor } from './cursor.ts';
import { GuildsToCome } from './guilds-to-come.ts';
import { greatest, snowflakeAt, snowflakeOf } from './ids.ts';
import { type ChannelEvent, type KnownChannel, KnownChannels, reopen } from './known-channels.ts';
import { LiveQueue } from './live-queue.ts';
import type { DiscordPauses } from './options.ts';
import {
  channelSchema,
  type DiscordChannel,
  guildSchema,
  hasMessages,
  hasThreads,
  isDirect,
  messageSchema,
  newestIn,
  readable,
  readySchema,
  threadsSchema,
} from './payloads.ts';
import { Storing } from './storing.ts';
import { deleteEvents, type FetchBytes, goneEvents, messageEvents, updateEvents } from './translate.ts';

/** How far back the first start begins, since clocks differ. */
const CLOCK_SLACK_MS = 60_000;

const headSchema = messageSchema.pick({ id: true, channel_id: true, guild_id: true });

export interface IntakeMeans {
  readonly api: DiscordApi;
  readonly sink: ConnectorSink;
  readonly clock: Clock;
  readonly log: Log;
  readonly pauses: DiscordPauses;
  readonly channels: readonly string[] | undefined;
  readonly fetchBytes: FetchBytes;
  /** Told who the account is. */
  onSelf(self: { readonly id: string; readonly displayName: string }): void;
}

/**
 * Joins what is live with what was missed. Each channel has a position; after a new session every channel is read from
 * its position to the end, and its live events wait until that is done.
 */
export class Intake {
  readonly #means: IntakeMeans;
  readonly #known: KnownChannels;
  readonly #catchUp: CatchUp;
  readonly #failed = Promise.withResolvers<never>();
  readonly #signal: AbortSignal;
  readonly #live: LiveQueue;
  readonly #storing: Storing;
  #isFirstSession: boolean;
  readonly #guildsToCome = new GuildsToCome();
  /** Shards whose first session is the first one ever. */
  readonly #begun = new Set<number>();
  #selfId: string | null = null;

  private constructor(means: IntakeMeans, cursor: Cursor | null, signal: AbortSignal) {
    this.#means = means;
    this.#signal = signal;
    this.#known = new KnownChannels(means.channels);
    this.#live = new LiveQueue(signal);
    this.#storing = new Storing(
      means.sink,
      cursor,
      signal,
      () => this.#guildsToCome.size === 0 && this.#catchUp.left === 0,
    );
    this.#isFirstSession = cursor === null;
    this.#failed.promise.catch(() => {});
    this.#catchUp = new CatchUp(
      {
        ...means,
        store: (channel, page) => this.#storePage(channel, page),
        stored: ({ channelId }) => means.sink.newestIn(channelId),
        deleted: (_channel, ids) => this.#storeInTurn(goneEvents(ids), []),
        caughtUp: (channel) => this.#live.release(channel),
        isHeard: (channel, ended) => this.#isHeard(channel, ended),
      },
      signal,
      this.#failed.reject,
    );
  }

  /** @param cursor As this connector stored it, or null; anything else begins anew. */
  static async open(means: IntakeMeans, cursor: string | null, signal: AbortSignal): Promise<Intake> {
    const intake = new Intake(means, cursor === null ? null : parseCursor(cursor), signal);
    for (const [channelId, stored] of await means.sink.channelCursors()) {
      const of = snowflakeOf(channelId);
      if (of)
        intake.#known.add(of.snowflake, of.type, stored === null ? intake.#storing.seen : BigInt(stored));
    }
    return intake;
  }

  /** What is still to be read, and what keeps it from being. */
  get left(): number {
    return this.#catchUp.left;
  }
  get trouble(): string | null {
    return this.#catchUp.trouble;
  }

  /** Stores until the signal aborts. @throws what the sink throws. */
  async run(): Promise<void> {
    await Promise.race([this.#failed.promise, this.#pump()]);
  }

  /** Resolves when nothing is stored any more; the signal has aborted before. */
  async settled(): Promise<void> {
    await this.#catchUp.settled();
    await this.#storing.settled();
  }

  /** A new session, of one shard of the account: everything since the last one has to be read. */
  ready(data: unknown, shard: number): void {
    const parsed = readySchema.safeParse(data);
    if (!parsed.success) return;
    const { user, guilds } = parsed.data;
    this.#selfId = user.id;
    this.#means.onSelf({ id: user.id, displayName: user.global_name || user.username || user.id });
    if (this.#begun.has(shard)) this.#isFirstSession = false;
    this.#begun.add(shard);
    this.#guildsToCome.announce(
      shard,
      guilds.map(({ id }) => id),
      !this.#isFirstSession,
    );
    if (this.#isFirstSession) this.#beginAt(user.id);
    else for (const channel of this.#known.all()) this.#readAgain(channel);
  }

  /** The first start ever: all that was said before is history. */
  #beginAt(selfId: string): void {
    if (this.#storing.seen !== 0n) return;
    const now = nowMilliseconds(this.#means.clock) - CLOCK_SLACK_MS;
    const ids = [selfId, ...this.#guildsToCome.ids()].map(BigInt);
    const start = greatest([snowflakeAt(now, selfId), ...ids]);
    this.#storing.beginAt(start);
    for (const { snowflake, type } of [...this.#known.all()]) this.#known.add(snowflake, type, start);
    this.#storeInTurn([], []);
  }

  #readAgain(channel: KnownChannel): void {
    reopen(channel);
    channel.isUnchecked = true;
    this.#catchUp.request(channel);
  }

  event(type: string, data: unknown, shard: number): void {
    switch (type) {
      case 'MESSAGE_CREATE':
        this.#created(data);
        break;
      case 'MESSAGE_UPDATE':
        this.#changed('update', data);
        break;
      case 'MESSAGE_DELETE':
      case 'MESSAGE_DELETE_BULK':
        this.#changed('delete', data);
        break;
      case 'GUILD_CREATE':
        this.#guild(data);
        break;
      case 'GUILD_DELETE':
        this.#guildGone(data, shard);
        break;
      case 'CHANNEL_CREATE':
      case 'CHANNEL_UPDATE':
      case 'THREAD_CREATE':
      case 'THREAD_UPDATE':
        for (const channel of readable(channelSchema, [data])) {
          const isNew = type === 'CHANNEL_CREATE' || channel.newly_created;
          this.#learn(channel, isNew ? BigInt(channel.id) - 1n : newestIn(channel));
        }
        break;
      case 'THREAD_LIST_SYNC':
        for (const { threads } of readable(threadsSchema, [data])) {
          for (const thread of readable(channelSchema, threads)) this.#learn(thread, newestIn(thread));
        }
        break;
      case 'CHANNEL_DELETE':
      case 'THREAD_DELETE':
        for (const { id } of readable(channelSchema.pick({ id: true }), [data])) {
          const channel = this.#known.get(id);
          if (channel) channel.isClosed = true;
        }
        break;
    }
  }

  #created(payload: unknown): void {
    const parsed = headSchema.safeParse(payload);
    if (!parsed.success) return;
    const { id: text, channel_id: snowflake, guild_id: guildId } = parsed.data;
    const id = BigInt(text);
    const channel = this.#known.get(snowflake) ?? this.#meet(snowflake, guildId ? 'group' : 'dm', id);
    if (id > channel.newest) channel.newest = id;
    if (channel.isClosed && !channel.isUnreadable) {
      // It may be read again, as it seems; what was not read before comes first.
      channel.isUnreadable = true;
      channel.isClosed = false;
      this.#catchUp.request(channel);
    }
    this.#enqueue({ type: 'create', payload, channel, id });
  }

  /**
   * A channel that nobody has told of. Of direct ones nobody ever does, so its first messages may have come while
   * nobody listened, or with a process that died before it stored any.
   */
  #meet(snowflake: string, type: 'dm' | 'group', id: bigint): KnownChannel {
    const start = this.#startOf(snowflake, type === 'dm' ? this.#storing.floor : undefined);
    if (this.#isFirstSession || start >= id - 1n) return this.#known.add(snowflake, type, id - 1n);
    const channel = this.#known.add(snowflake, type, start);
    if (this.#known.isHeard(type, snowflake, undefined) !== false) this.#catchUp.request(channel);
    return channel;
  }

  #changed(type: 'update' | 'delete', payload: unknown): void {
    const parsed = headSchema.pick({ channel_id: true }).safeParse(payload);
    const channel = parsed.success ? this.#known.get(parsed.data.channel_id) : undefined;
    // Of a channel that is not known, no message is.
    if (channel) this.#enqueue({ type, payload, channel, id: null });
  }

  #enqueue(event: ChannelEvent): void {
    const { channel } = event;
    const isHeard = this.#known.isHeard(channel.type, channel.snowflake, channel.parentId);
    if (isHeard === false) return;
    // Where a thread belongs is asked for with the same patience as its messages.
    if (isHeard === null) this.#catchUp.request(channel);
    // What comes beyond is read again over REST.
    if (this.#live.isFull) {
      if (!channel.again)
        this.#means.log.warn({ channel: channel.channelId }, 'Discord events pile up; reading them again');
      this.#catchUp.request(channel);
      return;
    }
    this.#live.add(event);
  }

  #guild(data: unknown): void {
    const parsed = guildSchema.safeParse(data);
    if (!parsed.success || parsed.data.unavailable) return;
    const { id, channels, threads } = parsed.data;
    const isMissed = this.#guildsToCome.isMissed(id);
    const { seen } = this.#storing;
    for (const channel of readable(channelSchema, [...channels, ...threads])) {
      this.#learn(channel, isMissed ? this.#startOf(channel.id) : newestIn(channel), isMissed);
      if (isMissed && hasThreads(channel) && this.#known.isHeardAs(channel) !== false) {
        this.#catchUp.requestArchive(channel, seen, (thread) =>
          this.#learn(thread, this.#startOf(thread.id), true),
        );
      }
    }
    this.#guildsToCome.delete(id);
    if (this.#storing.hasMoved) this.#storeInTurn([], []);
  }

  #guildGone(data: unknown, shard: number): void {
    const parsed = guildSchema.safeParse(data);
    if (!parsed.success) return;
    const { id, unavailable } = parsed.data;
    if (unavailable) this.#guildsToCome.lose(id, shard);
    else this.#guildsToCome.delete(id);
  }

  /** Where to begin in a channel that appeared while nobody looked: with its first message, if it was made meanwhile. */
  #startOf(snowflake: string, since = this.#storing.seen): bigint {
    const first = BigInt(snowflake) - 1n;
    return first > since ? first : since;
  }

  /** Takes over what is said of a channel; one that is new counts as read up to `passed`, and beyond if it `isMissed`. */
  #learn(told: DiscordChannel, passed: bigint, isMissed = false): void {
    if (!hasMessages(told)) return;
    const type = isDirect(told) ? 'dm' : 'group';
    const known = this.#known.get(told.id);
    if (known) {
      this.#known.update(known, told);
      // Something in it that nobody has told of, or that it was closed for.
      const newest = BigInt(told.last_message_id ?? 0);
      const isBehind = newest > known.newest;
      if (isBehind) known.newest = newest;
      if ((reopen(known) || isBehind) && this.#known.isHeardAs(told) !== false) this.#catchUp.request(known);
      return;
    }
    if (this.#known.isHeardAs(told) === false) return;
    const channel = this.#known.add(told.id, type, passed);
    this.#known.update(channel, told);
    this.#storing.move(channel);
    if (isMissed) this.#catchUp.request(channel);
  }

  /** Whether a channel is heard; asks Discord where a thread belongs when nobody has said. @throws DiscordError */
  async #isHeard(channel: KnownChannel, signal: AbortSignal): Promise<boolean> {
    const heard = this.#known.isHeard(channel.type, channel.snowflake, channel.parentId);
    if (heard !== null) return heard;
    const told = await this.#means.api.channel(channel.snowflake, signal);
    this.#known.update(channel, { ...told, parent_id: told.parent_id ?? null });
    return this.#known.isHeard(channel.type, channel.snowflake, channel.parentId) ?? false;
  }

  async #pump(): Promise<void> {
    while (!this.#signal.aborted) {
      const batch = await this.#live.take();
      if (batch.length === 0) return;
      const events: InboundEvent[] = [];
      const read: ChannelEvent[] = [];
      for (const event of batch) {
        const { type, snowflake, parentId } = event.channel;
        if (this.#known.isHeard(type, snowflake, parentId) !== true) continue;
        read.push(event);
        events.push(...this.#translated(event));
      }
      await this.#storeInTurn(events, read);
    }
  }

  async #storePage(
    channel: KnownChannel,
    page: readonly { readonly id: bigint; readonly payload: unknown }[],
  ): Promise<void> {
    const read = page.map(({ id, payload }) => ({ type: 'create' as const, payload, channel, id }));
    await this.#storeInTurn(
      read.flatMap((event) => this.#translated(event)),
      read,
    );
  }

  #translated({ type, payload, channel }: ChannelEvent): InboundEvent[] {
    if (type === 'delete') return deleteEvents(payload);
    if (type === 'update') return updateEvents(payload, this.#selfId);
    const around = { selfId: this.#selfId, type: channel.type, name: channel.name };
    return messageEvents(payload, around, this.#means.fetchBytes);
  }

  #storeInTurn(events: readonly InboundEvent[], read: readonly ChannelEvent[]): Promise<void> {
    const turn = this.#storing.inTurn(events, read);
    turn.catch(this.#failed.reject);
    return turn;
  }
}
