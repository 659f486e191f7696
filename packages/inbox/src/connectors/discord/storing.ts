import type { ConnectorSink, InboundEvent } from '../connector.ts';
import { type Cursor, formatCursor } from './cursor.ts';
import type { ChannelEvent, KnownChannel } from './known-channels.ts';
import { Position } from './position.ts';

/** Messages that nobody hears of, after which positions are stored all the same. */
const MOST_UNSTORED = 200;
/** Newest messages that do not count as seen in channels not yet known. */
const SEEN_OVERLAP = 64;

/**
 * Hands batches to the sink, one after the other, with how far each channel was read. Cursor: an id up to which
 * everything was seen in all channels, for those that are found later; it stands still while something is being read.
 */
export class Storing {
  readonly #sink: ConnectorSink;
  readonly #signal: AbortSignal;
  /** Whether nothing is being read. */
  readonly #isSettled: () => boolean;
  /** Channels whose positions are not stored as they are. */
  readonly #moved = new Set<KnownChannel>();
  #storing: Promise<void> = Promise.resolve();
  #seen: Position;
  #floor: bigint;
  #unstored = 0;

  constructor(sink: ConnectorSink, cursor: Cursor | null, signal: AbortSignal, isSettled: () => boolean) {
    this.#sink = sink;
    this.#signal = signal;
    this.#isSettled = isSettled;
    this.#seen = new Position(cursor?.seen ?? 0n, SEEN_OVERLAP);
    this.#floor = cursor?.floor ?? 0n;
  }

  /** Up to here everything was seen; 0 before the first start. */
  get seen(): bigint {
    return this.#seen.value;
  }

  /** What is older was there before this account was first started. */
  get floor(): bigint {
    return this.#floor;
  }

  get hasMoved(): boolean {
    return this.#moved.size > 0;
  }

  /** The first start ever: what is older than this is history. */
  beginAt(start: bigint): void {
    this.#seen = new Position(start, SEEN_OVERLAP);
    this.#floor = start;
  }

  /** Has a channel's position stored with the next batch. */
  move(channel: KnownChannel): void {
    this.#moved.add(channel);
  }

  /** One batch after the other, so that the cursor never goes back. @throws what the sink throws. */
  inTurn(events: readonly InboundEvent[], read: readonly ChannelEvent[]): Promise<void> {
    const turn = this.#storing.then(() => this.#store(events, read));
    this.#storing = turn;
    return turn;
  }

  /** Resolves when nothing is being stored; nothing is any more once a batch has failed. */
  async settled(): Promise<void> {
    await this.#storing.catch(() => {});
  }

  async #store(events: readonly InboundEvent[], read: readonly ChannelEvent[]): Promise<void> {
    this.#signal.throwIfAborted();
    const isSettled = this.#isSettled();
    for (const { channel, id } of read) {
      if (id === null) continue;
      channel.position.add(id);
      if (id > channel.newest) channel.newest = id;
      this.#moved.add(channel);
      if (isSettled) this.#seen.add(id);
    }
    this.#unstored += read.length;
    if (events.length === 0 && read.length > 0 && this.#unstored < MOST_UNSTORED) return;
    const cursors = new Map(
      [...this.#moved].map(({ channelId, position }) => [channelId, String(position.value)]),
    );
    this.#moved.clear();
    this.#unstored = 0;
    await this.#sink.accept(events, formatCursor({ seen: this.#seen.value, floor: this.#floor }), cursors);
  }
}
