import { createHash } from 'node:crypto';
import { problem } from '@postern/http';
import { type Answer, answer, Failure, isAnswer, JsonText, type RawBody } from '@postern/kit';
import {
  beginIdempotent,
  finishIdempotent,
  giveUpIdempotent,
  type IdempotencyHold,
  markIdempotentStartedIn,
  releaseIdempotent,
} from '@postern/store';
import type { CampaignsContext } from '../context.ts';
import type { CampaignsOperation } from '../operations/index.ts';
import type { CampaignsStore } from '../ports.ts';
import { storageTimeout } from '../storage-timeout.ts';
import { notePeople } from './people.ts';

/**
 * `Idempotency-Key` on every REST POST (contract, section 1): the same key with the same input is carried out once
 * in 24 hours, and its answer given again. MCP has none.
 *
 * A request counts as carried out from the commit of its first transaction on; what a process leaves half done
 * before that is begun anew, and after it nobody repeats the change. Handlers of POSTs therefore write in
 * `store.transaction`.
 */

const HEADER = 'idempotency-key';
/** Longer than a request may take, so that a lease ends only with its process. */
const LEASE_MS = 180_000;
/** A request that is still running is over in seconds as a rule, whatever its lease says. */
const LONGEST_RETRY_SECONDS = 5;

/** The operations as REST has them. */
export function withKeys(operations: readonly CampaignsOperation[]): CampaignsOperation[] {
  return operations.map((operation) => (operation.http.method === 'POST' ? keyed(operation) : operation));
}

function keyed(operation: CampaignsOperation): CampaignsOperation {
  return {
    ...operation,
    http: {
      ...operation.http,
      headers: {
        ...operation.http.headers,
        [HEADER]: '1 to 255 visible ASCII characters; the same key and input is carried out once in 24 hours',
      },
    },
    errors: [...operation.errors, 'idempotency_conflict', 'idempotency_in_progress'],
    handle: async (input, context) => {
      const key = context.dryRun ? null : keyOf(context);
      return key === null ? operation.handle(input, context) : once(operation, input, context, key);
    },
  };
}

type Input = Readonly<Record<string, unknown>>;

async function once(
  operation: CampaignsOperation,
  input: Input,
  context: CampaignsContext,
  key: string,
): Promise<Answer<unknown>> {
  const { store } = context.ports;
  const begun = await beginIdempotent(store, {
    scope: `campaigns:${context.caller.keyId}`,
    key,
    bodyHash: hashOf(operation.name, input),
    leaseMs: LEASE_MS,
  });
  switch (begun.state) {
    case 'conflict':
      throw problem(
        'idempotency_conflict',
        'This Idempotency-Key was used for another request in the last 24 hours. Use a fresh key.',
      );
    case 'running':
      throw problem(
        'idempotency_in_progress',
        'A request with this Idempotency-Key is still running. Repeat it after Retry-After.',
        { retryAfterSeconds: Math.min(begun.retryAfterSeconds, LONGEST_RETRY_SECONDS) },
      );
    case 'unknown':
      throw storageTimeout();
    case 'replay':
      return answer(JSON.parse(begun.body), { 'idempotency-replayed': 'true' }, begun.status);
    case 'new':
      return carryOut(operation, input, context, begun.hold);
  }
}

async function carryOut(
  operation: CampaignsOperation,
  input: Input,
  context: CampaignsContext,
  hold: IdempotencyHold,
): Promise<Answer<unknown>> {
  const { ports } = context;
  try {
    const given = await operation.handle(input, {
      ...context,
      ports: { ...ports, store: markingStore(ports.store, hold) },
    });
    const { body, status, headers } = partsOf(given, operation.http.status ?? 200);
    await ports.store.transaction(async (tx) => {
      await finishIdempotent(tx, hold, {
        status,
        body: body instanceof JsonText ? body.text : JSON.stringify(withoutSecret(body)),
      });
      await notePeople(tx, ports, { idempotencyId: hold.id, projectId: context.projectId, input, body });
    });
    return answer(body, headers, status);
  } catch (error) {
    // What the handler refuses it has not done; anything else may have happened behind a commit.
    const isRefused = error instanceof Failure && error.code !== 'storage_timeout';
    if (isRefused) await releaseIdempotent(ports.store.db, hold);
    else await giveUpIdempotent(ports.store.db, hold);
    throw error;
  }
}

/** The store, which in the first transaction marks the request as started. */
function markingStore(store: CampaignsStore, hold: IdempotencyHold): CampaignsStore {
  let committed = false;
  return {
    engine: store.engine,
    shared: store.shared,
    get isAwaited() {
      return store.isAwaited;
    },
    clock: store.clock,
    db: store.db,
    async transaction(work, options) {
      const result = await store.transaction(async (tx) => {
        if (!committed) await markIdempotentStartedIn(tx, hold, LEASE_MS);
        return work(tx);
      }, options);
      committed = true;
      return result;
    },
    notify: (channel, payload) => store.notify(channel, payload),
    listen: (channel, onNotify) => store.listen(channel, onNotify),
    tryLease: (name) => store.tryLease(name),
    backup: (file) => store.backup(file),
    close: () => store.close(),
  };
}

function partsOf(given: unknown | Answer<unknown> | RawBody, status: number) {
  if (!isAnswer(given)) return { body: given, status, headers: {} };
  return { body: given.body, status: given.status ?? status, headers: given.headers ?? {} };
}

/** Secrets are shown once, and never stored. */
function withoutSecret(body: unknown): unknown {
  const hasSecret = typeof body === 'object' && body !== null && 'secret' in body;
  return hasSecret ? { ...body, secret: null } : body;
}

function hashOf(name: string, input: Input): string {
  return createHash('sha256')
    .update(JSON.stringify([name, sorted(input)]))
    .digest('hex');
}

/** The order of an object's fields means nothing. */
function sorted(value: unknown): unknown {
  if (value instanceof JsonText) return sorted(value.parse());
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return entries.map(([name, inner]) => [name, sorted(inner)]);
}

function keyOf(context: CampaignsContext): string | null {
  const given = context.header(HEADER);
  if (given === undefined) return null;
  if (/^[\x21-\x7e]{1,255}$/.test(given)) return given;
  const message = 'must be 1 to 255 visible ASCII characters';
  throw problem('validation_failed', `Idempotency-Key ${message}`, {
    violations: [{ field: 'Idempotency-Key', code: 'invalid_format', message }],
  });
}
