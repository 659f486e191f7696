import type { Clock } from '@postern/kit';
import type { Log } from '../../ports.ts';
import { type DiscordApi, DiscordError, type DiscordTrouble } from './api.ts';
import type { KnownChannel } from './known-channels.ts';
import type { DiscordPauses } from './options.ts';
import type { DiscordChannel } from './payloads.ts';

/** Channels that are read at a time; Discord takes fifty calls a second of one account. */
const AT_ONCE = 8;
/** Pages of archived threads of one channel, newest first. */
const MOST_ARCHIVE_PAGES = 20;

/** Refusals of somebody else, after which a server is taken to have no archives. */
const MOST_FOREIGN = 6;
/** What trying again does not change. */
const REFUSALS: ReadonlySet<DiscordTrouble> = new Set(['forbidden', 'missing', 'refused']);

type Page = Awaited<ReturnType<DiscordApi['messagesAfter']>>;
type ArchivePage = Awaited<ReturnType<DiscordApi['archivedThreads']>>;

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

  /** Looks for threads that were made and archived meanwhile. */
  requestArchive(parentId: string, sinceMs: number, found: (thread: DiscordChannel) => void): void {
    this.#add(() => this.#readArchive(parentId, sinceMs, found));
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
      do {
        let after: bigint = channel.position.value;
        for (;;) {
          const from = after;
          channel.again = false;
          const page: Page | null = await this.#patiently(channel, () =>
            api.messagesAfter(channel.snowflake, from, this.#signal),
          );
          if (page === null) {
            channel.isClosed = true;
            log.warn({ channel: channel.channelId }, 'what was missed in a channel is closed to the bot');
            break;
          }
          channel.isUnreadable = false;
          const last = page.payloads.at(-1)?.id;
          if (last !== undefined) await store(channel, page.payloads);
          if (page.isLast || last === undefined || last <= after) break;
          after = last;
        }
      } while (channel.again && !channel.isClosed);
    }
    channel.again = false;
    channel.isBehind = false;
    caughtUp(channel);
  }

  async #readArchive(
    parentId: string,
    sinceMs: number,
    found: (thread: DiscordChannel) => void,
  ): Promise<void> {
    let before: string | null = null;
    for (let pages = 0; pages < MOST_ARCHIVE_PAGES; pages += 1) {
      const at: string | null = before;
      const page: ArchivePage | null = await this.#patiently(
        {},
        () => this.#means.api.archivedThreads(parentId, at, this.#signal),
        MOST_FOREIGN,
      );
      if (page === null) return;
      for (const thread of page.threads) found(thread);
      before = page.threads.at(-1)?.thread_metadata?.archive_timestamp ?? null;
      if (!page.hasMore || before === null || Date.parse(before) < sinceMs) return;
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
