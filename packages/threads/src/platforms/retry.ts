import { type Clock, nowMilliseconds, type Random } from '@postern/kit';
import { PlatformError } from './platform.ts';

/**
 * Calls to a platform: each with a deadline, tried again where that can do no harm. What may have been done is
 * never done again unless the call is idempotent, so no post is doubled behind anybody's back.
 */

/** What can be tried again; whatever else an attempt throws is final and goes to the caller as it is. */
export class CallFault extends Error {
  override readonly name = 'CallFault';
  /**
   * `busy`: refused for now (429), nothing was done. `unreached`: not sent, nothing was done. `lost`: no answer, or
   * one that says nothing (5xx), so it may have been done.
   */
  readonly kind: 'busy' | 'unreached' | 'lost';
  /** When the platform wants to be asked again; null when it did not say. */
  readonly retryAfterMs: number | null;

  /** @param message A sentence without secrets. */
  constructor(
    kind: CallFault['kind'],
    message: string,
    options: ErrorOptions & { retryAfterMs?: number | null } = {},
  ) {
    super(message, options);
    this.kind = kind;
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}

export interface RetryOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Attempts in all. */
  readonly tries?: number;
  /** Milliseconds one attempt may take. */
  readonly deadlineMs?: number;
  /** Longest wait before another attempt; a platform that asks for more is unavailable. */
  readonly longestWaitMs?: number;
}

export interface Call<Result> {
  /** What it does, for the error's sentence: `post a message`. */
  readonly name: string;
  /** Whether doing it twice is the same as once (a read, an edit, a post with a key the platform honours). */
  readonly isIdempotent: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Instead of the usual one, as for a large file. */
  readonly deadlineMs?: number;
  /** @throws CallFault for what can be tried again; its signal aborts at the deadline. */
  attempt(signal: AbortSignal): Promise<Result>;
  /** Told of each wait that the platform asked for, so that a limiter may hold the others back too. */
  onBusy?(retryAfterMs: number): void;
}

/** @throws PlatformError `unavailable` when nothing was done, `unknown` when it may have been; or what the attempt throws. */
export type Caller = <Result>(call: Call<Result>) => Promise<Result>;

const DEFAULT_TRIES = 5;
const DEFAULT_DEADLINE_MS = 30_000;
const DEFAULT_LONGEST_WAIT_MS = 60_000;
const FIRST_BACKOFF_MS = 500;

export function retrying(options: RetryOptions): Caller {
  const { clock, random, tries = DEFAULT_TRIES, longestWaitMs = DEFAULT_LONGEST_WAIT_MS } = options;
  return async (call) => {
    for (let attempt = 1; ; attempt += 1) {
      if (call.signal?.aborted === true) throw givenUp(call.name);
      try {
        return await once(clock, call, call.deadlineMs ?? options.deadlineMs ?? DEFAULT_DEADLINE_MS);
      } catch (error) {
        if (!(error instanceof CallFault)) throw error;
        if (error.kind === 'lost' && !call.isIdempotent) {
          throw new PlatformError('unknown', `no answer came: ${call.name}: ${error.message}`, {
            cause: error,
          });
        }
        const wait = error.retryAfterMs ?? backoffMs(attempt, random, { firstMs: FIRST_BACKOFF_MS });
        if (error.kind === 'busy') call.onBusy?.(wait);
        if (attempt >= tries || wait > longestWaitMs) {
          const code = error.kind === 'lost' ? 'unknown' : 'unavailable';
          throw new PlatformError(code, `${call.name}: ${error.message}`, { cause: error });
        }
        await clock.sleep(wait, call.signal);
      }
    }
  };
}

/** One attempt, over at its deadline even if it heeds no signal. */
async function once<Result>(clock: Clock, call: Call<Result>, deadlineMs: number): Promise<Result> {
  const over = new AbortController();
  const done = new AbortController();
  const signal = call.signal === undefined ? over.signal : AbortSignal.any([over.signal, call.signal]);
  const reason = () => (over.signal.aborted ? `no answer within ${deadlineMs} ms` : 'given up on the way');
  const late = new Promise<never>((_resolve, reject) => {
    signal.addEventListener(
      'abort',
      () => reject(new CallFault('lost', reason(), { cause: signal.reason })),
      { once: true },
    );
  });
  // Nobody may be listening when it rejects.
  late.catch(() => {});
  void clock.sleep(deadlineMs, done.signal).then(() => {
    if (!done.signal.aborted) over.abort();
  });
  try {
    return await Promise.race([call.attempt(signal), late]);
  } catch (error) {
    // An attempt that was stopped fails in words of its own; what matters is that its answer is not known.
    if (signal.aborted && !(error instanceof CallFault)) {
      throw new CallFault('lost', reason(), { cause: error });
    }
    throw error;
  } finally {
    done.abort();
  }
}

function givenUp(name: string): PlatformError {
  return new PlatformError('unavailable', `${name}: given up before it was done`);
}

/** Failures of a connection after which nothing can have been done: it never came to be. */
const UNREACHED = new Set([
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'ENETDOWN'],
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** The fault behind an error of `fetch` or of a socket. */
export function faultOfError(error: unknown): CallFault {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth += 1) {
    const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : null;
    if (code !== null && UNREACHED.has(code)) {
      return new CallFault('unreached', `it cannot be reached (${code})`, { cause: error });
    }
    if (code !== null) {
      return new CallFault('lost', `the connection was lost (${code})`, { cause: error });
    }
  }
  return new CallFault('lost', 'the connection was lost', { cause: error });
}

/** The fault behind an HTTP status: 429 and 5xx; null for all others, which are answers. */
export function faultOfStatus(status: number, retryAfterMs: number | null): CallFault | null {
  if (status === 429) return new CallFault('busy', 'it asks for a pause', { retryAfterMs });
  if (status >= 500) return new CallFault('lost', `it answered ${status}`, { retryAfterMs });
  return null;
}

/** `Retry-After` in milliseconds: seconds, also with a fraction, or a date (RFC 9110 10.2.3); null when it says neither. */
export function parseRetryAfter(value: string | null | undefined, clock: Clock): number | null {
  if (value === null || value === undefined) return null;
  if (/^\s*\d+(?:\.\d+)?\s*$/.test(value)) return Math.ceil(Number(value) * 1_000);
  // Every date of HTTP names its month.
  const date = /[a-z]{3}/i.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - nowMilliseconds(clock));
}

const DEFAULT_LONGEST_BACKOFF_MS = 30_000;

/** The wait after the so manieth failure, from 1: doubled each time up to the longest, a random part of up to half off. */
export function backoffMs(
  failures: number,
  random: Random,
  { firstMs, longestMs = DEFAULT_LONGEST_BACKOFF_MS }: { firstMs: number; longestMs?: number },
): number {
  const whole = Math.min(longestMs, firstMs * 2 ** Math.min(failures - 1, 30));
  const [high = 0, low = 0] = random.bytes(2);
  return Math.round(whole * (1 - (high * 256 + low) / 65_536 / 2));
}
