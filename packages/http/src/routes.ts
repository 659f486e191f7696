import { type ErrorDialect, isStrictObject, type Operation, type OperationShape } from '@postern/kit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { malformed } from './failures.ts';
import { type BulkInput, bulkInput, readInput, type Sent, type SentBulk } from './input.ts';
import { type Call, type ReadInput, runOperation } from './invoke.ts';
import type { Log } from './log.ts';
import { sendOutcome } from './send.ts';
import { closingSignal } from './server.ts';

/** Operations as REST routes. */

export interface MountOptions<Context, Rights, Caller> {
  /** Path under which the operations' own paths hang; '' for the root. */
  readonly prefix: string;
  readonly dialect: ErrorDialect;
  readonly log: Log;
  /**
   * Who asks. Runs before the body is read, so a stranger can neither make the server read one nor learn
   * what it thinks of it. Throws a {@link Failure} when nobody known does.
   */
  authenticate(request: FastifyRequest, operation: Operation<Context, Rights>): Caller | Promise<Caller>;
  /** Rights, and what the handler works with. Throws a {@link Failure} when the caller may not. */
  contextFor(call: Call<Caller, Context, Rights>): Context | Promise<Context>;
  /**
   * Runs once the caller is known and the body is read, before anything else: the place of a rate limit.
   * May set header fields of the answer, and may throw a {@link Failure}.
   */
  admit?(request: FastifyRequest, reply: FastifyReply, caller: Caller): void | Promise<void>;
  /**
   * Reads what was sent to an operation with a bulk field, with its body as it came, off the event loop by
   * {@link readBulk}. Without it bodies are parsed and checked as all others are.
   */
  readBulk?(operation: OperationShape, sent: SentBulk, signal: AbortSignal): Promise<BulkInput>;
  /** Largest body in bytes of these routes, when it is not the server's. */
  readonly bodyLimit?: number;
  /** Milliseconds a call may take; must leave room for calls that wait on purpose. */
  readonly deadlineMs?: number;
}

const DEFAULT_DEADLINE_MS = 120_000;

/**
 * Mounts each operation at its method and path. Input fields are taken from path, query and body as the
 * binding says; a field that is unknown, in the wrong place or of the wrong type is a violation, and all
 * violations are answered at once. GET routes answer HEAD too.
 *
 * @throws Error when an operation's input is not a strict object.
 */
export function mountOperations<Context, Rights, Caller>(
  app: FastifyInstance,
  operations: readonly Operation<Context, Rights>[],
  options: MountOptions<Context, Rights, Caller>,
): void {
  const { prefix, dialect, log } = options;
  const closing = closingSignal(app);
  const callers = new WeakMap<FastifyRequest, Caller>();
  for (const operation of operations) {
    requireStrictInput(operation);
    app.route({
      method: operation.http.method,
      url: prefix + operation.http.path,
      config: { dialect, isBulk: isBulk(operation, options) },
      ...(options.bodyLimit === undefined ? {} : { bodyLimit: options.bodyLimit }),
      onRequest: async (request) => {
        callers.set(request, await options.authenticate(request, operation));
      },
      handler: async (request, reply) => {
        const caller = callers.get(request) as Caller;
        await options.admit?.(request, reply, caller);
        const sent = sentOf(request);
        const outcome = await runOperation(operation, {
          dialect,
          surface: 'rest',
          read: (signal) => readSent(operation, sent, signal, options),
          context: (signal, input) =>
            options.contextFor({
              operation,
              surface: 'rest',
              caller,
              input,
              requestId: request.id,
              signal,
              closing,
              header: (name) => headerOf(request, name),
            }),
          signal: goneSignal(reply),
          deadlineMs: options.deadlineMs ?? DEFAULT_DEADLINE_MS,
          requestId: request.id,
          log,
        });
        return sendOutcome(reply, dialect, outcome);
      },
    });
  }
}

/** @throws Error naming the operation, when its schema lets unknown fields through. */
export function requireStrictInput(operation: OperationShape): void {
  for (const schema of [operation.input, operation.restOnly]) {
    if (schema !== undefined && !isStrictObject(schema)) {
      throw new Error(`operation ${operation.name}: its input must be a strict object`);
    }
  }
}

/** One header field as text; of a repeated one, the values joined as RFC 9110 says. */
export function headerOf(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** Aborts when the connection closes before the answer has gone out. */
export function goneSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort(new DOMException('The caller went away.', 'AbortError'));
  });
  return gone.signal;
}

function isBulk(operation: OperationShape, { readBulk }: { readBulk?: unknown }): boolean {
  return operation.http.bulk !== undefined && readBulk !== undefined;
}

function sentOf({ query, params, body }: FastifyRequest): Sent {
  return { query: query as Sent['query'], params: params as Sent['params'], body };
}

async function readSent<Context, Rights, Caller>(
  operation: OperationShape,
  { body, ...rest }: Sent,
  signal: AbortSignal,
  { readBulk, dialect }: MountOptions<Context, Rights, Caller>,
): Promise<ReadInput> {
  if (readBulk === undefined || !(body instanceof Uint8Array)) return readInput(operation, { ...rest, body });
  const found = await readBulk(operation, { ...rest, body }, signal);
  if ('fault' in found) throw malformed(dialect, found.fault);
  return bulkInput(operation, found);
}
