import type { StoreLog } from './store.ts';

const CHANNEL = /^[a-z][a-z0-9_]{0,62}$/;

/** PostgreSQL takes payloads under 8,000 bytes; the rest is left to the envelope. */
const LONGEST_PAYLOAD_BYTES = 7_000;

/** @throws RangeError when a channel's name or a payload would not fit on one of the engines. */
export function checkNotification(channel: string, payload: string): void {
  if (!CHANNEL.test(channel))
    throw new RangeError(`"${channel}" is not a channel name: snake_case, at most 63`);
  if (Buffer.byteLength(payload) > LONGEST_PAYLOAD_BYTES) {
    throw new RangeError(`a notification's payload holds at most ${LONGEST_PAYLOAD_BYTES} bytes`);
  }
}

/** The callbacks of one process, by channel. */
export class Listeners {
  readonly #byChannel = new Map<string, Set<(payload: string) => void>>();
  readonly #log: StoreLog | undefined;

  constructor(log: StoreLog | undefined) {
    this.#log = log;
  }

  get channels(): string[] {
    return [...this.#byChannel.keys()];
  }

  /** @returns whether the channel is new, and what takes the callback out again, telling if it was the last. */
  add(channel: string, onNotify: (payload: string) => void): { isFirst: boolean; remove(): boolean } {
    // The same function may listen twice; each time is its own entry.
    const entry = (payload: string) => onNotify(payload);
    const known = this.#byChannel.get(channel);
    const entries = known ?? new Set();
    entries.add(entry);
    this.#byChannel.set(channel, entries);
    const remove = (): boolean => {
      if (!entries.delete(entry) || entries.size > 0) return false;
      this.#byChannel.delete(channel);
      return true;
    };
    return { isFirst: known === undefined, remove };
  }

  emit(channel: string, payload: string): void {
    for (const onNotify of [...(this.#byChannel.get(channel) ?? [])]) {
      try {
        onNotify(payload);
      } catch (error) {
        this.#log?.warn({ err: error, channel }, 'a listener failed');
      }
    }
  }

  /** After a gap: everybody looks for themselves. */
  emitToAll(): void {
    for (const channel of this.channels) this.emit(channel, '');
  }

  clear(): void {
    this.#byChannel.clear();
  }
}
