import type { Clock } from '@postern/kit';
import type { Platform, PlatformEvent } from '../../platforms/platform.ts';
import type { Questions } from '../../questions/question.ts';

/** The platform's events, for as long as the server runs: reactions and typed answers to open questions. */
export interface StandaloneConnection {
  /** Resolves when reactions arrive, or when it has been waited for long enough. */
  ready(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

const PATIENCE_MS = 15_000;
const LOOK_MS = 50;

export function connectStandalone(options: {
  readonly platform: Platform;
  readonly questions: Questions;
  readonly sessionId: string;
  readonly threadId: string | null;
  readonly clock: Clock;
}): StandaloneConnection {
  const { platform, questions, clock } = options;
  const stop = new AbortController();
  let cursor: string | null = null;

  const handle = async (event: PlatformEvent) => {
    if (event.kind === 'reacted') {
      await questions.react(platform.id, event.ref, event.personId, event.emoji);
    } else if (event.kind === 'posted') {
      const { post } = event;
      const isHere =
        post.channelId === platform.channelId && (options.threadId ?? post.threadId) === post.threadId;
      if (isHere && !post.author.isBot && !post.isSystem) {
        await questions.answerTyped(options.sessionId, post.author.id, post.text);
      }
    }
  };
  const running = platform.run(
    {
      async handle(event, next) {
        await handle(event);
        cursor = next ?? cursor;
      },
      cursor: async () => cursor,
      async saveCursor(next) {
        cursor = next;
      },
      watchedThreads: async () => [],
      watchedPosts: () => questions.openPosts(platform.id),
    },
    stop.signal,
  );
  return {
    async ready(signal) {
      const waiting = AbortSignal.any([signal, stop.signal]);
      for (let waited = 0; waited < PATIENCE_MS && !waiting.aborted; waited += LOOK_MS) {
        if (platform.health().status !== 'connecting') return;
        await clock.sleep(LOOK_MS, waiting);
      }
    },
    async close() {
      stop.abort();
      await running;
    },
  };
}
