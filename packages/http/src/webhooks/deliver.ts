import { type Clock, nowMilliseconds, type Random } from '@postern/kit';
import type { Job, JobOutcome, OutboxWorkerOptions } from '@postern/store';
import { SafeFetchError, type SafeFetchOptions, safeFetch } from '../safe-fetch.ts';
import { signWebhook } from './sign.ts';

/** Pushes of events to the addresses people gave, out of the outbox. */

export interface WebhookRequest {
  readonly url: string;
  /** The same at every attempt, also after a replay. */
  readonly id: string;
  /** The exact JSON text; it is what gets signed. */
  readonly body: string;
  /** One, or two while a key is being changed. */
  readonly secrets: readonly string[];
  readonly allowLoopback: boolean;
}

export interface WebhookDeliveryOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** What a job stands for now, or the reason why it stands for nothing any more; then it is dead. */
  requestFor(
    job: Job,
  ): WebhookRequest | { readonly gone: string } | Promise<WebhookRequest | { readonly gone: string }>;
  /** Milliseconds one attempt may take. */
  readonly timeoutMs?: number;
  readonly resolve?: SafeFetchOptions['resolve'];
}

/** Waits after the first attempt, the second and so on; after the last of them a delivery is dead. */
export const WEBHOOK_DELAYS_MS: readonly number[] = [1_000, 5_000, 30_000, 120_000, 600_000, 3_600_000];
/** Part of a wait that chance may add or take away, so that what failed together does not come back together. */
const JITTER = 0.2;
const LONGEST_RETRY_AFTER_MS = 24 * 3_600_000;
const DEFAULT_TIMEOUT_MS = 15_000;

const RETRIED_STATUSES: ReadonlySet<number> = new Set([408, 425, 429]);

/**
 * Makes the handler of an outbox topic: one signed POST an attempt. 2xx is done; 408, 425, 429, 5xx and a
 * network that fails are tried again after {@link WEBHOOK_DELAYS_MS}, or after `Retry-After` where that is
 * longer; everything else is dead at once, redirects and addresses that are not public too.
 */
export function webhookDelivery(options: WebhookDeliveryOptions): OutboxWorkerOptions['handle'] {
  return async (job, signal) => {
    const request = await options.requestFor(job);
    if ('gone' in request) return { result: 'dead', error: request.gone };
    try {
      const response = await post(request, options, signal);
      await response.discard();
      return judge(response.status, response.headers['retry-after'], job, options);
    } catch (error) {
      if (!(error instanceof SafeFetchError)) throw error;
      const isForGood = error.fault === 'bad_url' || error.fault === 'not_allowed';
      return isForGood
        ? { result: 'dead', error: error.message }
        : later(job, error.message, null, 0, options);
    }
  };
}

function post(request: WebhookRequest, options: WebhookDeliveryOptions, signal: AbortSignal) {
  const { url, id, body, secrets, allowLoopback } = request;
  const timestampSeconds = Math.floor(nowMilliseconds(options.clock) / 1_000);
  return safeFetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...signWebhook({ id, timestampSeconds, body }, secrets) },
    body,
    // The answer's body is never read.
    maxBytes: Number.MAX_SAFE_INTEGER,
    deadlineMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    allowLoopback,
    signal,
    ...(options.resolve ? { resolve: options.resolve } : {}),
  });
}

function judge(
  status: number,
  retryAfter: string | undefined,
  job: Job,
  options: WebhookDeliveryOptions,
): JobOutcome {
  if (status >= 200 && status < 300) return { result: 'done', status };
  const error = `The receiver answered ${status}.`;
  if (status < 500 && !RETRIED_STATUSES.has(status)) return { result: 'dead', error, status };
  return later(job, error, status, retryAfterMs(retryAfter, nowMilliseconds(options.clock)), options);
}

function later(
  job: Job,
  error: string,
  status: number | null,
  atLeastMs: number,
  { random }: WebhookDeliveryOptions,
): JobOutcome {
  const delay = WEBHOOK_DELAYS_MS[job.attempts - 1];
  if (delay === undefined) return { result: 'dead', error, status };
  const chance = Buffer.from(random.bytes(4)).readUInt32BE() / 0xffff_ffff;
  const spread = Math.round(delay * (1 + JITTER * (2 * chance - 1)));
  return { result: 'retry', afterMs: Math.max(spread, atLeastMs), error, status };
}

/** Milliseconds a `Retry-After` asks for, as seconds or as a date (RFC 9110, 10.2.3); 0 when it asks for nothing. */
export function retryAfterMs(field: string | undefined, nowMs: number): number {
  if (field === undefined) return 0;
  const wait = /^\d{1,9}$/.test(field) ? Number(field) * 1_000 : Date.parse(field) - nowMs;
  return Number.isNaN(wait) ? 0 : Math.min(Math.max(wait, 0), LONGEST_RETRY_AFTER_MS);
}
