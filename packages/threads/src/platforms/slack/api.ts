import type { Clock, Random } from '@postern/kit';
import { type Logger, LogLevel, WebClient } from '@slack/web-api';
import type { ZodType, infer as zodInfer } from 'zod';
import type { OutboundLimiter } from '../limiter.ts';
import { CallFault, retrying } from '../retry.ts';
import { budgetKey } from './budgets.ts';
import { meaningOf } from './errors.ts';

export interface SlackCall<Schema extends ZodType> {
  /** A method of the Web API, such as `chat.postMessage`. */
  readonly method: string;
  readonly args?: Readonly<Record<string, unknown>>;
  /** What of the answer is needed. */
  readonly schema: Schema;
  /** False for what must not be done twice; true unless said. */
  readonly isIdempotent?: boolean;
  readonly signal?: AbortSignal | undefined;
}

export interface SlackApi {
  /**
   * Calls a method within the workspace's budgets and parses its answer.
   *
   * @throws PlatformError
   */
  call<Schema extends ZodType>(call: SlackCall<Schema>): Promise<zodInfer<Schema>>;
}

export interface SlackApiOptions {
  readonly token: string;
  readonly apiUrl?: string | undefined;
  readonly limiter: OutboundLimiter;
  readonly clock: Clock;
  readonly random: Random;
  readonly deadlineMs: number;
  readonly tries?: number;
}

/** An answer of Slack's is never near this size; a page of history is the largest. */
const MOST_ANSWER_BYTES = 32 * 1024 * 1024;
/** Slack always says how long; whatever stands between need not. */
const DEFAULT_PAUSE_S = 5;
const LONGEST_WAIT_MS = 120_000;

export function slackApi(options: SlackApiOptions): SlackApi {
  const { limiter, clock, random, deadlineMs } = options;
  const client = new WebClient(options.token, clientOptions(options));
  const retry = retrying({
    ...{ clock, random, deadlineMs, longestWaitMs: LONGEST_WAIT_MS },
    ...(options.tries === undefined ? {} : { tries: options.tries }),
  });
  return {
    async call({ method, args = {}, schema, isIdempotent = true, signal }) {
      const channel = typeof args.channel === 'string' ? args.channel : null;
      const key = budgetKey(method, channel);
      // Before the attempts, whose deadline does not run while a call waits for its turn.
      await limiter.take([key], signal);
      return retry({
        name: method,
        isIdempotent,
        signal,
        onBusy: (pauseMs) => limiter.hold(key, pauseMs),
        async attempt() {
          const parsed = schema.safeParse(await meant(client.apiCall(method, { ...args }), method));
          if (parsed.success) return parsed.data;
          throw new CallFault('lost', 'the answer is none of Slack’s');
        },
      });
    },
  };
}

async function meant<Value>(work: Promise<Value>, method: string): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    throw meaningOf(error, method);
  }
}

/** The SDK neither tries again nor writes logs of its own: both would go past this product's rules. */
export function clientOptions({ apiUrl, deadlineMs }: Pick<SlackApiOptions, 'apiUrl' | 'deadlineMs'>) {
  return {
    ...(apiUrl === undefined ? {} : { slackApiUrl: apiUrl.endsWith('/') ? apiUrl : `${apiUrl}/` }),
    logger: silentLogger,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: deadlineMs,
    allowAbsoluteUrls: false,
    fetch: boundedFetch,
  };
}

/** Reads no more of an answer than is sensible, and gives a refusal for now the pause that it lacks. */
async function boundedFetch(input: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, init);
  const headers = new Headers(response.headers);
  if (response.status === 429 && !/^\d+$/.test(headers.get('retry-after') ?? '')) {
    headers.set('retry-after', String(DEFAULT_PAUSE_S));
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > MOST_ANSWER_BYTES) throw new Error('the answer is larger than any of Slack’s');
    chunks.push(chunk);
  }
  // Gone with the reading; the SDK must not undo them once more.
  headers.delete('content-encoding');
  headers.delete('content-length');
  return new Response(Buffer.concat(chunks), { status: response.status, headers });
}

/** The SDK writes whole messages, and addresses with tickets in them, to its log. */
export const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  setLevel() {},
  getLevel: () => LogLevel.ERROR,
  setName() {},
};
