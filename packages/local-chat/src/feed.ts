import { eventsAfter, LOG_CHANNEL } from './event-log.ts';
import type { ChatPorts } from './ports.ts';
import type { ChatEvent, ChatTyping } from './shapes.ts';

/** Store notification that carries a {@link ChatTyping}. */
const TYPING_CHANNEL = 'chat_typing';

/** What this process hears of the chat: that the log has grown, that somebody types, that time goes on. */
export interface Feed {
  /** Calls back when there may be new events: after each change, and at each beat in case one was missed. */
  onGrowth(notice: () => void): () => void;
  onTyping(notice: (typing: ChatTyping) => void): () => void;
  /** Calls back every {@link ChatLimits.heartbeatMilliseconds}, before `onGrowth`. */
  onBeat(notice: () => void): () => void;
  /** A page of events after a cursor; readers at the same place share one query. */
  page(cursor: number, limit: number): Promise<readonly ChatEvent[]>;
  tellTyping(typing: ChatTyping): void;
  stop(): Promise<void>;
}

export function createFeed(ports: ChatPorts): Feed {
  const { store, clock, limits } = ports;
  const growth = new Set<() => void>();
  const beats = new Set<() => void>();
  const typists = new Set<(typing: ChatTyping) => void>();
  const pages = new Map<string, Promise<readonly ChatEvent[]>>();
  const stopping = new AbortController();

  const grown = () => {
    // A query that began before may miss what this is about.
    pages.clear();
    for (const notice of [...growth]) notice();
  };
  const stopLog = store.listen(LOG_CHANNEL, grown);
  const stopTyping = store.listen(TYPING_CHANNEL, (payload) => {
    // An empty one only says that something may have been missed, and typing is not worth a search.
    if (payload === '') return;
    const typing = JSON.parse(payload) as ChatTyping;
    for (const notice of [...typists]) notice(typing);
  });
  const beating = beat();

  async function beat(): Promise<void> {
    while (!stopping.signal.aborted) {
      await clock.sleep(limits.heartbeatMilliseconds, stopping.signal);
      if (stopping.signal.aborted) return;
      for (const notice of [...beats]) notice();
      grown();
    }
  }

  return {
    onGrowth: (notice) => subscribe(growth, notice),
    onTyping: (notice) => subscribe(typists, notice),
    onBeat: (notice) => subscribe(beats, notice),
    page(cursor, limit) {
      const key = `${cursor} ${limit}`;
      const running = pages.get(key);
      if (running !== undefined) return running;
      const page = eventsAfter(ports, cursor, limit).finally(() => {
        if (pages.get(key) === page) pages.delete(key);
      });
      pages.set(key, page);
      return page;
    },
    tellTyping(typing) {
      store.notify(TYPING_CHANNEL, JSON.stringify(typing));
    },
    async stop() {
      stopping.abort();
      stopLog();
      stopTyping();
      await beating;
    },
  };
}

/** The same function may subscribe twice; each time is its own. */
function subscribe<Notice extends (...values: never[]) => void>(
  notices: Set<Notice>,
  notice: Notice,
): () => void {
  const own = ((...values: never[]) => notice(...values)) as Notice;
  notices.add(own);
  return () => notices.delete(own);
}
