import { silentLog } from '@postern/http';
import { type FakeClock, fakeClock } from '@postern/kit/testing';
import type { AgentEvent } from '../src/agent/agent.ts';
import { EditBudget } from '../src/output/edit-budget.ts';
import { ThreadOutput, type ThreadOutputOptions } from '../src/output/thread-output.ts';
import {
  type PlatformCapabilities,
  PlatformError,
  type Post,
  type PostRef,
} from '../src/platforms/platform.ts';
import { type FakePlatform, fakePlatform } from '../src/testing/fake-platform.ts';

export interface OutputBench {
  readonly platform: FakePlatform;
  readonly clock: FakeClock;
  readonly output: ThreadOutput;
  /** Texts of the posts in the thread, in order. */
  readonly texts: string[];
  readonly posts: Post[];
  /** What was asked of the platform: `post`, `edit p1`, … */
  readonly calls: string[];
  /** Pushes and writes all. */
  tell(...events: AgentEvent[]): Promise<void>;
  /** Another output on the same platform and budget. */
  another(threadId: string): ThreadOutput;
  /** The calls of a method fail with it while the function gives an error. */
  fail(method: 'post' | 'edit', error: (nth: number) => PlatformError | null): void;
}

export const FLUSH_DELAY_MS = 500;

export function outputBench(
  options: { limit?: number; capabilities?: Partial<PlatformCapabilities> } = {},
): OutputBench {
  const platform = fakePlatform(options);
  const clock = fakeClock();
  const calls: string[] = [];
  const faults = new Map<string, (nth: number) => PlatformError | null>();
  const counts = new Map<string, number>();
  const maybeFail = (method: string) => {
    const nth = (counts.get(method) ?? 0) + 1;
    counts.set(method, nth);
    const error = faults.get(method)?.(nth);
    if (error) throw error;
  };
  const post = platform.post.bind(platform);
  const edit = platform.edit.bind(platform);
  platform.post = async (message) => {
    calls.push('post');
    maybeFail('post');
    return post(message);
  };
  platform.edit = async (ref, markdown) => {
    calls.push(`edit ${ref.postId}`);
    maybeFail('edit');
    return edit(ref, markdown);
  };
  const budget = new EditBudget({ clock, intervalMs: platform.capabilities.editIntervalMs });
  const make = (threadId: string, more: Partial<ThreadOutputOptions> = {}) =>
    new ThreadOutput({
      platform,
      channelId: platform.channelId,
      threadId,
      workingDir: '/srv/work',
      clock,
      budget,
      flushDelayMs: FLUSH_DELAY_MS,
      keyPrefix: threadId,
      log: silentLog,
      ...more,
    });
  const output = make('thread');
  return {
    platform,
    clock,
    output,
    calls,
    get posts() {
      return platform.posts.filter(({ threadId }) => threadId === 'thread');
    },
    get texts() {
      return this.posts.map(({ text }) => text);
    },
    async tell(...events) {
      for (const event of events) await output.push(event);
      await output.flush();
    },
    another: make,
    fail: (method, error) => {
      counts.delete(method);
      faults.set(method, error);
    },
  };
}

export const failure = (code: PlatformError['code']) => new PlatformError(code, `the platform says ${code}`);

export const text = (words: string, parentToolUseId: string | null = null): AgentEvent => ({
  type: 'text',
  text: words,
  parentToolUseId,
});

export const use = (
  id: string,
  name: string,
  input: Record<string, unknown> = {},
  parentToolUseId: string | null = null,
): AgentEvent => ({ type: 'tool_use', id, name, input, parentToolUseId });

export const result = (toolUseId: string, words: string, isError = false): AgentEvent => ({
  type: 'tool_result',
  toolUseId,
  isError,
  text: words,
  parentToolUseId: null,
});

export const finished = (
  outcome: 'success' | 'interrupted' | 'failed' = 'success',
  errors: string[] = [],
): AgentEvent => ({
  type: 'turn_finished',
  outcome,
  errors,
  costUsd: 0.0123,
  inputTokens: 100,
  outputTokens: 20,
  durationMs: 12_000,
});

export const refOf = ({ channelId, postId }: Post): PostRef => ({ channelId, postId });
