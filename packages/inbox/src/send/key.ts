import { createHash } from 'node:crypto';
import type { Failure, FailureOptions } from '@postern/kit';
import {
  beginIdempotent,
  extendIdempotent,
  giveUpIdempotent,
  type IdempotencyHold,
  releaseIdempotent,
} from '@postern/store';
import type { InboxCaller } from '../context.ts';
import { fail, type InboxCode } from '../errors.ts';
import type { InboxPorts } from '../ports.ts';
import { persistently } from './persistently.ts';
import type { SendAnswer, SendRequest } from './send.ts';

/** The idempotency key of a send: what it stands for, and how it is settled. */

/** How long a send of a process that died counts as running. */
export const KEY_LEASE_MS = 30_000;
/** A process that lives prolongs its lease so often. */
const RENEW_MS = 10_000;
/** A send that is still running is over in seconds as a rule, whatever its lease says. */
const LONGEST_RETRY_SECONDS = 5;

/** A stored failure, given again word for word. */
export interface StoredFailure {
  readonly code: InboxCode;
  readonly message: string;
  readonly details?: Record<string, unknown>;
}

export function told({ code, message, details }: StoredFailure, options: FailureOptions = {}): Failure {
  return fail(code, message, { ...(details ? { details } : {}), ...options });
}

/** The canonical body: what is absent and what is empty are the same request. */
function bodyHash(request: SendRequest): string {
  const canonical = JSON.stringify([
    request.channel_id,
    request.text,
    request.reply_to ?? null,
    (request.attachments ?? []).map((attachment) => [attachment.url ?? null, attachment.path ?? null]),
  ]);
  return createHash('sha256').update(canonical).digest('hex');
}

/**
 * Asks for the right to send under a key.
 *
 * @throws Failure what was answered to the key before, IDEMPOTENCY_KEY_REUSE or IDEMPOTENCY_IN_PROGRESS.
 */
export async function beginKeyed(
  ports: InboxPorts,
  caller: InboxCaller,
  key: string,
  request: SendRequest,
): Promise<{ hold: IdempotencyHold } | { replay: { answer: SendAnswer; replayed: true } }> {
  const scope =
    caller.agentId === null ? `inbox:token:${caller.credential}` : `inbox:agent:${caller.agentId}`;
  const begun = await beginIdempotent(ports.store, {
    scope,
    key,
    bodyHash: bodyHash(request),
    leaseMs: KEY_LEASE_MS,
  });
  const replayed = { headers: { 'idempotency-replayed': 'true' } };
  switch (begun.state) {
    case 'new':
      return { hold: begun.hold };
    case 'conflict':
      throw fail(
        'IDEMPOTENCY_KEY_REUSE',
        'This Idempotency-Key was used with another body in the last 24 hours. Use a fresh key.',
      );
    case 'running':
      throw fail('IDEMPOTENCY_IN_PROGRESS', 'A send with this Idempotency-Key is still running.', {
        retryAfterSeconds: Math.min(begun.retryAfterSeconds, LONGEST_RETRY_SECONDS),
      });
    case 'unknown':
      throw fail(
        'PLATFORM_SEND_FAILED',
        'The hub stopped while this message was being sent; it may have been sent, and is not sent again. Look at the channel, then send with a fresh key if it is missing.',
        { details: { delivery: 'unknown' }, ...replayed },
      );
    case 'replay': {
      if (begun.status === 200) return { replay: { answer: JSON.parse(begun.body), replayed: true } };
      throw told(JSON.parse(begun.body), replayed);
    }
  }
}

/** Does the work of a send, and says now and then that this process is still about it. */
export async function holdingKey<Result>(
  { store, clock, log }: InboxPorts,
  hold: IdempotencyHold | null,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!hold) return work();
  const over = new AbortController();
  const renewing = (async () => {
    for (;;) {
      await clock.sleep(RENEW_MS, over.signal);
      if (over.signal.aborted) return;
      try {
        await extendIdempotent(store.db, hold, KEY_LEASE_MS);
      } catch (error) {
        log.warn({ err: error }, 'the lease of a send could not be prolonged');
      }
    }
  })();
  try {
    return await work();
  } finally {
    over.abort();
    await renewing;
  }
}

/** Frees the key of a send that did not come to call the platform, or was refused by it. */
export function forgetKey(ports: InboxPorts, hold: IdempotencyHold | null): Promise<void> {
  return settle(ports, hold, (held) => releaseIdempotent(ports.store.db, held));
}

/** Leaves the key of a send that may have come through as one of unknown outcome. */
export function leaveKeyUnknown(ports: InboxPorts, hold: IdempotencyHold | null): Promise<void> {
  return settle(ports, hold, (held) => giveUpIdempotent(ports.store.db, held));
}

/** Never throws: whoever called has an answer of their own to give. */
async function settle(
  ports: InboxPorts,
  hold: IdempotencyHold | null,
  work: (hold: IdempotencyHold) => Promise<void>,
): Promise<void> {
  if (!hold) return;
  try {
    await persistently(ports, () => work(hold));
  } catch (error) {
    ports.log.warn(
      { err: error },
      'the key of a send says that it is still running, until its lease is over',
    );
  }
}
