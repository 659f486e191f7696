import type { Clock } from '@postern/kit';
import { PlatformError } from './platform.ts';

/**
 * Keeps calls to a platform under its limits: a token bucket a key, with those who wait in their order. A key is
 * whatever the platform counts, say a method in a workspace or a channel.
 */
export interface OutboundLimiter {
  /**
   * Resolves when the call may go out, with a token taken from each key in turn: put the narrowest first, so that
   * whoever waits there takes nothing from the others yet.
   *
   * @throws PlatformError `unavailable` when too many wait already, or the signal aborts; nothing went out then.
   */
  take(keys: readonly string[], signal?: AbortSignal): Promise<void>;
  /** Lets nothing of the key out for so long, as a platform's Retry-After asks. */
  hold(key: string, milliseconds: number): void;
}

export interface Rate {
  /** Tokens that come back in a second; may be a fraction. */
  readonly perSecond: number;
  /** Most tokens there can be, at least 1. A new bucket is full. */
  readonly burst: number;
}

export interface LimiterOptions {
  readonly clock: Clock;
  /** The rate of a key; null is no limit but that of {@link OutboundLimiter.hold}. */
  rateOf(key: string): Rate | null;
  /** How many may wait for one key. */
  readonly queue?: number;
}

const DEFAULT_QUEUE = 1_000;
/** Keys after which full buckets that nobody waits for are forgotten. */
const KEYS_KEPT = 1_000;
const MICROSECONDS_PER_SECOND = 1_000_000;

interface Waiting {
  go(): void;
}

interface BucketState {
  readonly rate: Rate | null;
  tokens: number;
  /** When the tokens were counted. */
  countedUs: number;
  heldUntilUs: number;
  readonly queue: Waiting[];
  /** Ends the sleep of whoever serves the queue; null while nobody does. */
  serving: AbortController | null;
}

export function outboundLimiter({ clock, rateOf, queue = DEFAULT_QUEUE }: LimiterOptions): OutboundLimiter {
  const buckets = new Map<string, BucketState>();

  function bucketOf(key: string): BucketState {
    const known = buckets.get(key);
    if (known !== undefined) return known;
    if (buckets.size >= KEYS_KEPT) forgetIdle();
    const rate = rateOf(key);
    const now = clock.nowMicroseconds();
    const bucket = {
      rate,
      tokens: rate?.burst ?? 0,
      countedUs: now,
      heldUntilUs: Number.NEGATIVE_INFINITY,
      queue: [],
      serving: null,
    };
    buckets.set(key, bucket);
    return bucket;
  }

  function forgetIdle(): void {
    for (const [key, bucket] of buckets) {
      const isHeld = bucket.heldUntilUs > clock.nowMicroseconds();
      refill(bucket);
      const isFull = bucket.rate === null || bucket.tokens >= bucket.rate.burst;
      if (!isHeld && isFull && bucket.serving === null) buckets.delete(key);
    }
  }

  function refill(bucket: BucketState): void {
    const now = clock.nowMicroseconds();
    const { rate } = bucket;
    if (rate !== null) {
      // A clock that was set back gives nothing and takes nothing.
      const seconds = Math.max(0, now - bucket.countedUs) / MICROSECONDS_PER_SECOND;
      bucket.tokens = Math.min(rate.burst, bucket.tokens + seconds * rate.perSecond);
    }
    bucket.countedUs = now;
  }

  /** Milliseconds until the next of the bucket may go; 0 when it may now. */
  function waitOf(bucket: BucketState): number {
    refill(bucket);
    const held = (bucket.heldUntilUs - clock.nowMicroseconds()) / 1_000;
    const empty = bucket.rate === null ? 0 : ((1 - bucket.tokens) / bucket.rate.perSecond) * 1_000;
    return Math.max(0, Math.ceil(held), Math.ceil(empty));
  }

  async function serve(bucket: BucketState): Promise<void> {
    const serving = new AbortController();
    bucket.serving = serving;
    while (!serving.signal.aborted && bucket.queue.length > 0) {
      const wait = waitOf(bucket);
      if (wait > 0) {
        await clock.sleep(wait, serving.signal);
        continue;
      }
      if (bucket.rate !== null) bucket.tokens -= 1;
      bucket.queue.shift()?.go();
    }
    if (bucket.serving === serving) bucket.serving = null;
  }

  function takeOne(key: string, signal: AbortSignal | undefined): Promise<void> {
    const bucket = bucketOf(key);
    if (signal?.aborted === true) return Promise.reject(stopped());
    if (bucket.queue.length >= queue) {
      return Promise.reject(
        new PlatformError('unavailable', `${queue} calls wait for the platform already (${key})`),
      );
    }
    return new Promise((resolve, reject) => {
      const abort = () => {
        bucket.queue.splice(bucket.queue.indexOf(waiting), 1);
        if (bucket.queue.length === 0) {
          bucket.serving?.abort();
          bucket.serving = null;
        }
        reject(stopped());
      };
      const waiting: Waiting = {
        go() {
          signal?.removeEventListener('abort', abort);
          resolve();
        },
      };
      signal?.addEventListener('abort', abort, { once: true });
      bucket.queue.push(waiting);
      if (bucket.serving === null) void serve(bucket);
    });
  }

  return {
    async take(keys, signal) {
      for (const key of keys) await takeOne(key, signal);
    },
    hold(key, milliseconds) {
      const bucket = bucketOf(key);
      const until = clock.nowMicroseconds() + Math.ceil(milliseconds * 1_000);
      bucket.heldUntilUs = Math.max(bucket.heldUntilUs, until);
    },
  };
}

function stopped(): PlatformError {
  return new PlatformError('unavailable', 'the call was given up while it waited for its turn');
}
