import type { Clock } from '@postern/kit';
import type { Log } from '../../ports.ts';
import {
  type DiscordApi,
  DiscordError,
  type DiscordTrouble,
  type MessagePage,
  type ThreadPage,
} from './api.ts';
import { timeOf } from './ids.ts';
import type { KnownChannel } from './known-channels.ts';
import { KnownMessages } from './known-messages.ts';
import type { DiscordPauses } from './options.ts';
import { type DiscordChannel, hasPrivateThreads } from './payloads.ts';

/** Channels that are read at a time; Discord takes fifty calls a second of one account. */
const AT_ONCE = 8;
/** Pages of archived threads of one channel, newest first. */
const MOST_ARCHIVE_PAGES = 20;

/** Refusals of somebody else, after which a server is taken to have no archives. */
const MOST_FOREIGN = 6;
/** What trying again does not change. */
const REFUSALS: ReadonlySet<DiscordTrouble> = new Set(['forbidden', 'missing', 'refused']);

/** Threads of a channel that were archived, in the order and with the cursor that Discord has for their kind. */
interface Archive {
  page(before: string | null): Promise<ThreadPage>;
  cursorOf(thread: DiscordChannel): string | null;
  /** Whether what comes behind a cursor was archived or made before. */
  isPast(cursor: string): boolean;
}

export interface CatchUpMeans {
  readonly api: DiscordApi;
  readonly clock: Clock;
  readonly log: Log;
  readonly pauses: DiscordPauses;
  /** Stores a page of a channel, oldest first; rejects when it could not be stored. */
  store(
    channel: KnownChannel,
    page: readonly { readonly id: bigint; readonly payload: unknown }[],
  ): Promise<void>;
  /** Platform ids of the newest messages that are stored of a channel. */
  stored(channel: KnownChannel): Promise<readonly string[]>;
  /** Stores that messages are there no longer. */
  deleted(channel: KnownChannel, ids: readonly bigint[]): Promise<void>;
  /** A channel has got to what is live. */
  caughtUp(channel: KnownChannel): void;
  /** Whether the channel is to be read at all. @throws DiscordError */
  isHeard(channel: KnownChannel, signal: AbortSignal): Promise<boolean>;
}

/** Reads what was missed, channel by channel; one that fails is tried again, and holds up no other. */
export class CatchUp {
  readonly #means: CatchUpMeans;
  readonly #signal: AbortSignal;
  readonly #waiting: (() => Promise<void>)[] = [];
  readonly #running = new Set<Promise<void>>();
  readonly #fail: (reason: unknown) => void;
  readonly #troubled = new Map<object, string>();

  /** @param fail Told of what is not Discord's failure; all ends then. */
  constructor(means: CatchUpMeans, signal: AbortSignal, fail: (reason: unknown) => void) {
    this.#means = means;
    this.#signal = signal;
    this.#fail = fail;
  }

  /** Channels and archives that are being read, or wait for it. */
  get left(): number {
    return this.#waiting.length + this.#running.size;
  }

  /** What keeps something from being read, in a sentence. */
  get trouble(): string | null {
    return this.#troubled.values().next().value ?? null;
  }

  /** Reads a channel from its position to the end as it is now; once more when the end has been asked for already. */
  request(channel: KnownChannel): void {
    if (channel.isBehind) {
      channel.again = true;
      return;
    }
    channel.isBehind = true;
    this.#add(() => this.#read(channel));
  }

  /** Looks for threads that were made and archived meanwhile; `since` is an id of that time. */
  requestArchive(parent: DiscordChannel, since: bigint, found: (thread: DiscordChannel) => void): void {
    const { api } = this.#means;
    const sinceMs = timeOf(since);
    const open: Archive = {
      page: (before) => api.archivedThreads(parent.id, before, this.#signal),
      cursorOf: (thread) => thread.thread_metadata?.archive_timestamp ?? null,
      isPast: (cursor) => Date.parse(cursor) < sinceMs,
    };
    this.#add(() => this.#readArchive(open, found));
    if (!hasPrivateThreads(parent)) return;
    const closed: Archive = {
      page: (before) => api.privateArchivedThreads(parent.id, before, this.#signal),
      cursorOf: ({ id }) => id,
      isPast: (cursor) => BigInt(cursor) < since,
    };
    this.#add(() => this.#readArchive(closed, found));
  }

  /** Resolves when nothing runs any more; the signal has aborted before. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
  }

  #add(task: () => Promise<void>): void {
    this.#waiting.push(task);
    this.#fill();
  }

  #fill(): void {
    while (this.#running.size < AT_ONCE && !this.#signal.aborted) {
      const task = this.#waiting.shift();
      if (task === undefined) return;
      const running = task()
        .catch((error: unknown) => {
          if (!this.#signal.aborted) this.#fail(error);
        })
        .finally(() => {
          this.#running.delete(running);
          this.#fill();
        });
      this.#running.add(running);
    }
  }

  async #read(channel: KnownChannel): Promise<void> {
    const { api, store, caughtUp, isHeard, log } = this.#means;
    const heard = await this.#patiently(channel, () => isHeard(channel, this.#signal));
    if (heard === true) {
      const start = channel.position.value;
      const known = new KnownMessages(channel.isUnchecked ? await this.#means.stored(channel) : []);
      do {
        let after: bigint = channel.position.value;
        for (;;) {
          const from = after;
          channel.again = false;
          const page: MessagePage | null = await this.#patiently(channel, () =>
            api.messagesAfter(channel.snowflake, from, this.#signal),
          );
          if (page === null) {
            channel.isClosed = true;
            log.warn({ channel: channel.channelId }, 'what was missed in a channel is closed to the bot');
            break;
          }
          channel.isUnreadable = false;
          const last = page.payloads.at(-1)?.id;
          known.saw(page.payloads);
          if (last !== undefined) await store(channel, page.payloads);
          if (page.isLast || last === undefined || last <= after) break;
          after = last;
        }
      } while (channel.again && !channel.isClosed);
      if (known.hasAny && !channel.isClosed) await this.#check(channel, known, start);
      channel.isUnchecked = channel.isClosed;
    }
    channel.again = false;
    channel.isBehind = false;
    caughtUp(channel);
  }

  /**
   * Looks at what is stored of the channel from before its position, as far as one answer of Discord's goes, for changes
   * and for what is gone; all behind the position has just been read.
   */
  async #check(channel: KnownChannel, known: KnownMessages, position: bigint): Promise<void> {
    const { api, store, deleted } = this.#means;
    const page: MessagePage | null = await this.#patiently(channel, () =>
      api.messagesBefore(channel.snowflake, position + 1n, this.#signal),
    );
    if (page === null) return;
    known.saw(page.payloads);
    // A bot that may not read a server's history is answered as if there were none.
    if (!known.hasSeen && channel.type !== 'dm') return;
    const changed = page.payloads.filter(({ id }) => known.has(id));
    if (changed.length > 0) await store(channel, changed);
    const [oldest] = page.payloads;
    const gone = known.goneAbove(page.isLast ? 0n : (oldest?.id ?? position));
    if (gone.length > 0) await deleted(channel, gone);
  }

  async #readArchive(archive: Archive, found: (thread: DiscordChannel) => void): Promise<void> {
    let before: string | null = null;
    for (let pages = 0; pages < MOST_ARCHIVE_PAGES; pages += 1) {
      const at: string | null = before;
      const page: ThreadPage | null = await this.#patiently({}, () => archive.page(at), MOST_FOREIGN);
      if (page === null) return;
      for (const thread of page.threads) found(thread);
      const last = page.threads.at(-1);
      before = last === undefined ? null : archive.cursorOf(last);
      if (!page.hasMore || before === null || archive.isPast(before)) return;
    }
  }

  /**
   * The answer to a call that is made until it is answered; null when this account may not make it, or something else
   * than Discord has refused it too often.
   */
  async #patiently<Answer>(
    of: object,
    call: () => Promise<Answer>,
    mostForeign = Number.POSITIVE_INFINITY,
  ): Promise<Answer | null> {
    const { clock, log, pauses } = this.#means;
    let pause = pauses.firstMs;
    let foreign = 0;
    for (;;) {
      try {
        const answer = await call();
        this.#troubled.delete(of);
        return answer;
      } catch (error) {
        this.#signal.throwIfAborted();
        if (!(error instanceof DiscordError)) throw error;
        const { trouble, message } = error;
        if (error.isForeign) foreign += 1;
        if (REFUSALS.has(trouble) && (!error.isForeign || foreign >= mostForeign)) {
          this.#troubled.delete(of);
          return null;
        }
        if (!this.#troubled.has(of))
          log.warn({ err: error }, 'what was missed on Discord cannot be read yet');
        this.#troubled.set(of, `What was missed cannot be read yet: ${message}`);
        await clock.sleep(trouble === 'auth' ? pauses.refusedMs : pause, this.#signal);
        this.#signal.throwIfAborted();
        pause = Math.min(pause * 2, pauses.longestMs);
      }
    }
  }
}
