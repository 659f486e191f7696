import type { Person } from '../api/local.ts';

/** Who is typing where. Nobody says that they stopped, so each sign is good for a short while. */
export interface Typing {
  subscribe(listener: () => void): () => void;
  /** The same array until it changes. */
  read(channelId: string): readonly Person[];
  started(channelId: string, person: Person): void;
  stopped(channelId: string, personId: string): void;
}

const SHOWN_MILLISECONDS = 7000;
const NOBODY: readonly Person[] = [];

export function createTyping(): Typing {
  const channels = new Map<string, readonly Person[]>();
  const timers = new Map<string, number>();
  const listeners = new Set<() => void>();

  function set(channelId: string, people: readonly Person[]): void {
    channels.set(channelId, people);
    for (const listener of listeners) listener();
  }

  function stopped(channelId: string, personId: string): void {
    const people = channels.get(channelId) ?? NOBODY;
    if (people.some((person) => person.id === personId)) {
      set(
        channelId,
        people.filter((person) => person.id !== personId),
      );
    }
  }

  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    read: (channelId) => channels.get(channelId) ?? NOBODY,
    started(channelId, person) {
      const key = `${channelId} ${person.id}`;
      window.clearTimeout(timers.get(key));
      timers.set(
        key,
        window.setTimeout(() => stopped(channelId, person.id), SHOWN_MILLISECONDS),
      );
      const others = (channels.get(channelId) ?? NOBODY).filter((other) => other.id !== person.id);
      set(channelId, [...others, person]);
    },
    stopped,
  };
}
