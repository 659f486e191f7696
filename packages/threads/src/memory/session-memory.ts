import type { ChannelMemory, Saved, WriteOutcome } from './channel-memory.ts';
import type { Author, MemoryEntry, MemoryPlace } from './entry.ts';

/** The channel's memory as an agent may use it in its session. */
export interface SessionMemory {
  /** Oldest first. */
  list(): Promise<MemoryEntry[]>;
  /** Counted against the session's saves when it is kept. */
  save(text: string): Promise<WriteOutcome>;
  /** Undoes a save that the thread could not be told of. */
  takeBack(saved: Saved): Promise<void>;
  /** The thread has been told of it. */
  told(saved: Saved): Promise<void>;
}

const AGENT: Author = { id: 'agent', name: 'agent' };

export function sessionMemory(
  memory: ChannelMemory,
  session: MemoryPlace & { readonly sessionId: string; readonly owner: Author },
): SessionMemory {
  const place = { platformId: session.platformId, channelId: session.channelId };
  return {
    list: () => memory.list(place),
    save: (text) =>
      memory.write(place, { text, source: 'agent', author: session.owner, sessionId: session.sessionId }),
    takeBack: (saved) => memory.takeBack(saved, AGENT),
    told: (saved) => memory.told(saved),
  };
}
