import { expect, onTestFinished, test } from 'vitest';
import {
  type Platform,
  PlatformError,
  type PlatformErrorCode,
  type PostRef,
} from '../../platforms/platform.ts';
import type { HarnessTraits, PlatformFaults, PlatformHarness } from '../platform-harness.ts';
import { type RecordedFeed, recordedFeed } from '../recorded-feed.ts';

export type MakeHarness = () => Promise<PlatformHarness>;

/** What the parts of the contract suite are written with. */
export interface ContractTools {
  readonly traits: HarnessTraits;
  /** A server for this test. */
  start(): Promise<PlatformHarness>;
  /** Hands events to a feed, from the first cursor on record; ends with the test at the latest. */
  run(platform: Platform, feed?: RecordedFeed): Promise<Running>;
  /** A test that is there only where the server can show the fault. */
  testFault(fault: keyof PlatformFaults, name: string, body: () => Promise<void>): void;
}

export interface Running {
  readonly feed: RecordedFeed;
  /** Resolves when `run` has. */
  stop(): Promise<void>;
}

export function tools(makeHarness: MakeHarness, traits: HarnessTraits): ContractTools {
  return {
    traits,
    async start() {
      const harness = await makeHarness();
      onTestFinished(() => harness.stop());
      return harness;
    },
    async run(platform, feed = recordedFeed()) {
      const stopping = new AbortController();
      const running = platform.run(feed, stopping.signal);
      const stop = async () => {
        stopping.abort();
        await running;
      };
      onTestFinished(stop);
      await feed.untilCursor();
      await untilHealth(platform, 'ok');
      return { feed, stop };
    },
    testFault(fault, name, body) {
      if (traits.faults.includes(fault)) test(name, body);
    },
  };
}

const LOOK_MILLISECONDS = 5;

/** Resolves when the platform says so of itself, or when the test is over. */
export async function untilHealth(platform: Platform, status: 'ok' | 'not ok'): Promise<void> {
  let isOver = false;
  onTestFinished(() => {
    isOver = true;
  });
  while (!isOver && (platform.health().status === 'ok') !== (status === 'ok')) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MILLISECONDS));
  }
}

/** That the call is refused as platforms refuse: a {@link PlatformError} of one of the codes. */
export async function expectRefusal(call: Promise<unknown>, ...codes: PlatformErrorCode[]): Promise<void> {
  const error = await call.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(PlatformError);
  expect(codes).toContain((error as PlatformError).code);
}

/** Texts of the bot's posts in a channel as the server keeps them, oldest first, replies among them. */
export async function botTexts(harness: PlatformHarness, channelId: string): Promise<string[]> {
  const posts = await harness.posts(channelId);
  return posts.filter(({ authorId }) => authorId === harness.bot.id).map(({ text }) => text);
}

/** Posts Markdown of the bot's that fits one message. */
export function post(
  { platform }: Pick<PlatformHarness, 'platform'>,
  markdown: string,
  where: { threadId?: string; channelId?: string; key?: string } = {},
): Promise<PostRef> {
  return platform.post({
    channelId: where.channelId ?? platform.channelId,
    threadId: where.threadId ?? null,
    markdown,
    ...(where.key === undefined ? {} : { key: where.key }),
  });
}

/** A reference of the right shape to a post that is not there, made of one that is. */
export function elsewhere({ channelId, postId }: PostRef): PostRef {
  const swapped = postId.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + 5) % 10));
  const changed = postId.slice(0, -1) + (postId.endsWith('z') ? 'y' : 'z');
  return { channelId, postId: swapped === postId ? changed : swapped };
}
