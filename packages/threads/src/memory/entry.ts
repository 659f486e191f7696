/** What a channel's agents are told at the start of each session, one fact an entry. */
export interface MemoryEntry {
  readonly id: string;
  readonly place: MemoryPlace;
  /** Number in the channel, from 1 for the oldest; it moves when an older entry goes. */
  readonly index: number;
  /** Its place in the order, which never moves. */
  readonly position: number;
  readonly source: MemorySource;
  /** Who wrote it; for `agent` and `distilled` the owner of the session it comes from. */
  readonly author: Author;
  /** Session it comes from, if any. */
  readonly sessionId: string | null;
  readonly text: string;
  readonly createdMs: number;
  /** When the console last changed it; null for never. */
  readonly editedMs: number | null;
}

export interface MemoryPlace {
  readonly platformId: string;
  readonly channelId: string;
}

/**
 * `user`: a person, by `!remember` or in the console. `agent`: an agent, by `remember_fact`. `distilled`: taken from a
 * session after its end. It is a column of its own, which no text can forge.
 */
export type MemorySource = 'user' | 'distilled' | 'agent';

export interface Author {
  /** On the platform, or `console:<operator>`. */
  readonly id: string;
  readonly name: string;
}

/** Entries that a channel keeps. */
export const MOST_ENTRIES = 400;
/** Saves of an agent in one session. */
export const MOST_AGENT_SAVES = 5;

/** Store notification: the memory of a channel has changed; the payload is an entry's id, or empty. */
export const MEMORY_CHANNEL = 'threads_memory';
