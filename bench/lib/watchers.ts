import type { RunningInbox } from '@postern/inbox';
import { parseTime } from '@postern/kit';

const WAIT_SECONDS = 30;
const LATE_MS = 60_000;

/** When all agents had a message in a page of unread, and its id in the inbox. */
export interface Sight {
  readonly at: number;
  readonly messageId: string;
}

/** Agents that do nothing but wait for unread messages, page after page. */
export class Watchers {
  readonly agents: string[] = [];
  readonly #inbox: Pick<RunningInbox, 'listUnread'>;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>[] = [];
  /** By the chat's message id: how many have seen it. */
  readonly #seen = new Map<string, number>();
  readonly #sights = new Map<string, PromiseWithResolvers<Sight>>();

  constructor(inbox: Pick<RunningInbox, 'listUnread'>) {
    this.#inbox = inbox;
  }

  add(agentId: string): void {
    this.agents.push(agentId);
    this.#running.push(this.#watch(agentId));
  }

  /** Resolves when every agent has seen the chat's message. @throws Error when one never does. */
  async allSaw(chatMessageId: string): Promise<Sight> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`message ${chatMessageId} was not seen`)), LATE_MS);
    });
    try {
      return await Promise.race([this.#sight(chatMessageId).promise, late]);
    } finally {
      clearTimeout(timer);
      this.#sights.delete(chatMessageId);
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#running);
  }

  async #watch(agentId: string): Promise<void> {
    let sinceMicroseconds: number | null = null;
    while (!this.#stopping.signal.aborted) {
      const filter = { agentId, sinceMicroseconds, source: null, channelId: null, limit: 100 };
      const page = await this.#inbox.listUnread(filter, WAIT_SECONDS, this.#stopping.signal);
      const at = performance.now();
      for (const { id, raw } of page.messages) this.#saw(String(raw.id), { at, messageId: id });
      sinceMicroseconds = page.next_since === null ? null : parseTime(page.next_since);
    }
  }

  #saw(chatMessageId: string, sight: Sight): void {
    const count = (this.#seen.get(chatMessageId) ?? 0) + 1;
    if (count < this.agents.length) {
      this.#seen.set(chatMessageId, count);
      return;
    }
    this.#seen.delete(chatMessageId);
    this.#sight(chatMessageId).resolve(sight);
  }

  /** Made by whoever comes first: the one who waits, or the last agent. */
  #sight(chatMessageId: string): PromiseWithResolvers<Sight> {
    const known = this.#sights.get(chatMessageId);
    if (known) return known;
    const sight = Promise.withResolvers<Sight>();
    this.#sights.set(chatMessageId, sight);
    return sight;
  }
}
