import type { ChannelEvent, KnownChannel } from './known-channels.ts';

/** Live events of one transaction. */
const BATCH = 100;
/** Events that wait for the database or for their channels. */
const MOST_WAITING = 10_000;

/** What the gateway has told and the database does not have yet; events of a channel that is behind wait for it. */
export class LiveQueue {
  readonly #signal: AbortSignal;
  readonly #queue: ChannelEvent[] = [];
  #heldCount = 0;
  #wake = () => {};

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#wake(), { once: true });
  }

  get isFull(): boolean {
    return this.#queue.length + this.#heldCount >= MOST_WAITING;
  }

  add(event: ChannelEvent): void {
    const { channel } = event;
    if (channel.isBehind) {
      channel.held.push(event);
      this.#heldCount += 1;
    } else {
      this.#queue.push(event);
      this.#wake();
    }
  }

  /** A channel is not behind any more: what waited for it comes next. */
  release(channel: KnownChannel): void {
    this.#queue.push(...channel.held);
    this.#heldCount -= channel.held.length;
    channel.held = [];
    this.#wake();
  }

  /** The oldest events, once there are any; none when the signal has aborted. */
  async take(): Promise<ChannelEvent[]> {
    while (!this.#signal.aborted) {
      const batch = this.#queue.splice(0, BATCH);
      if (batch.length > 0) return batch;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return [];
  }
}
