import type { Platform } from '../platforms/platform.ts';
import type { ThreadsPorts } from '../ports.ts';
import type { MessageTable } from '../tables.ts';
import type { ThreadPlace } from './inbound.ts';

const ATTEMPTS = 5;
const RETRY_MS = 1_000;
/** A message that takes longer to be dealt with when the process ends is dealt with by the next one. */
const DONE_MS = 3_000;

export interface ThreadWorkersOptions {
  readonly ports: Pick<ThreadsPorts, 'store' | 'clock' | 'log'>;
  readonly platform: Platform;
  readonly signal: AbortSignal;
  /** Nothing is worked on before. */
  readonly ready: Promise<void>;
  handle(message: MessageTable): Promise<void>;
  /** The message could not be handled, however often it was tried. */
  giveUp(message: MessageTable): Promise<void>;
}

/** Works on recorded messages: those of one thread in their order, threads beside each other. */
export function threadWorkers(options: ThreadWorkersOptions) {
  const { ports, platform, signal } = options;
  const { store, clock, log } = ports;
  const running = new Map<string, { again: boolean; done: Promise<void> }>();

  function nextOf(place: ThreadPlace): Promise<MessageTable | undefined> {
    return store.db
      .selectFrom('threads_messages')
      .selectAll()
      .where('platform_id', '=', platform.id)
      .where('channel_id', '=', place.channelId)
      .where('thread_id', '=', place.threadId)
      .where('state', '=', 'new')
      .orderBy('position')
      .limit(1)
      .executeTakeFirst();
  }

  async function handle(message: MessageTable): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await options.handle(message);
      } catch (error) {
        if (signal.aborted) return;
        log.error(
          { err: error, platform: platform.id, post: message.post_id },
          'a message could not be handled',
        );
        if (attempt >= ATTEMPTS) return options.giveUp(message);
        await clock.sleep(RETRY_MS * attempt, signal);
      }
    }
  }

  async function work(key: string, place: ThreadPlace, state: { again: boolean }): Promise<void> {
    try {
      await options.ready;
      while (state.again && !signal.aborted) {
        state.again = false;
        try {
          for (let next = await nextOf(place); next && !signal.aborted; next = await nextOf(place))
            await handle(next);
        } catch (error) {
          if (signal.aborted) return;
          log.error({ err: error, platform: platform.id }, 'work on a thread stopped; going on');
          state.again = true;
          await clock.sleep(RETRY_MS, signal);
        }
      }
    } finally {
      // In the same breath as the last look at `again`, so that no kick falls between.
      running.delete(key);
    }
  }

  function kick(place: ThreadPlace): void {
    const key = JSON.stringify([place.channelId, place.threadId]);
    const known = running.get(key);
    if (known) {
      known.again = true;
      return;
    }
    const state = { again: true, done: Promise.resolve() };
    running.set(key, state);
    state.done = work(key, place, state);
  }

  return {
    kick,
    /** Sets every thread with unhandled messages to work. */
    async kickAll(): Promise<void> {
      const places = await store.db
        .selectFrom('threads_messages')
        .select(['channel_id', 'thread_id'])
        .distinct()
        .where('platform_id', '=', platform.id)
        .where('state', '=', 'new')
        .execute();
      for (const place of places) kick({ channelId: place.channel_id, threadId: place.thread_id });
    },
    /** Resolves when all work has ended, or will not in time; the signal is aborted before. */
    async done(): Promise<void> {
      const isDone = new AbortController();
      const all = Promise.all([...running.values()].map((state) => state.done));
      await Promise.race([all, clock.sleep(DONE_MS, isDone.signal)]);
      isDone.abort();
    },
  };
}
