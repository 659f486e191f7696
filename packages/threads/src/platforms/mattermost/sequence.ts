import type { Clock } from '@postern/kit';

/** Puts what is numbered into its order, and tells when something is missing. */
export interface Sequence<Item> {
  /** `number` is null where there is none. */
  push(number: number | null, item: Item): void;
  close(): void;
}

export interface SequenceOptions<Item> {
  readonly clock: Clock;
  /** How long a number that is due is waited for. */
  readonly waitMs: number;
  emit(item: Item): void;
  /** Called before what comes after the missing ones is emitted. */
  missing(): void;
}

/** More than this many are not held back. */
const MOST_HELD = 1_000;

/**
 * One connection's events: each in turn, what comes too early held back for a moment. What comes again or too late
 * is emitted as it comes; whoever receives it knows it by its id.
 */
export function sequence<Item>({ clock, waitMs, emit, missing }: SequenceOptions<Item>): Sequence<Item> {
  const closed = new AbortController();
  const held = new Map<number, Item>();
  let due: number | null = null;
  let isWaiting = false;

  function emitDue(): void {
    while (due !== null && held.has(due)) {
      const item = held.get(due) as Item;
      held.delete(due);
      due += 1;
      emit(item);
    }
  }

  function giveUp(): void {
    if (held.size === 0) return;
    missing();
    due = Math.min(...held.keys());
    emitDue();
  }

  async function waitForDue(): Promise<void> {
    isWaiting = true;
    while (held.size > 0 && !closed.signal.aborted) {
      const before = due;
      await clock.sleep(waitMs, closed.signal);
      if (due === before && !closed.signal.aborted) giveUp();
    }
    isWaiting = false;
  }

  return {
    push(number, item) {
      if (number === null || due === null || number < due) {
        if (number !== null && due === null) due = number + 1;
        emit(item);
        return;
      }
      held.set(number, item);
      emitDue();
      if (held.size >= MOST_HELD) giveUp();
      if (held.size > 0 && !isWaiting) void waitForDue();
    },
    close: () => closed.abort(),
  };
}
