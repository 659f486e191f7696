import {
  coerceQuery,
  type ErrorDialect,
  type FieldViolation,
  fieldPlace,
  inputJsonSchema,
  type Operation,
  type OperationShape,
  pathParameters,
} from '@postern/kit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Call, notAnObject, runOperation } from './invoke.ts';
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
      config: { dialect },
      ...(options.bodyLimit === undefined ? {} : { bodyLimit: options.bodyLimit }),
      onRequest: async (request) => {
        callers.set(request, await options.authenticate(request, operation));
      },
      handler: async (request, reply) => {
        const caller = callers.get(request) as Caller;
        await options.admit?.(request, reply, caller);
        const { input, violations } = placeFields(operation, request);
        const outcome = await runOperation(operation, {
          dialect,
          surface: 'rest',
          input,
          violations,
          context: (signal) =>
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
    if (schema !== undefined && inputJsonSchema(schema).additionalProperties !== false) {
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

interface Placed {
  readonly input: Record<string, unknown>;
  readonly violations: FieldViolation[];
}

function placeFields(operation: OperationShape, request: FastifyRequest): Placed {
  const violations: FieldViolation[] = [];
  const known = new Set([
    ...Object.keys(operation.input.shape),
    ...Object.keys(operation.restOnly?.shape ?? {}),
  ]);
  const take = (fields: Readonly<Record<string, unknown>>, place: 'query' | 'body'): [string, unknown][] =>
    Object.entries(fields).filter(([field]) => {
      if (known.has(field) && fieldPlace(operation, field) === place) return true;
      violations.push({ field, code: 'unknown_field', message: `is not a field of the ${place}` });
      return false;
    });

  const query = take(request.query as Record<string, unknown>, 'query');
  const path = pathParameters(operation.http.path).map((name) => [
    name,
    (request.params as Record<string, unknown>)[name],
  ]);
  const body = request.body === undefined ? {} : request.body;
  const bodyFault = notAnObject(body, 'body');
  if (bodyFault !== null) violations.push(bodyFault);
  const text = [...query, ...path] as [string, string | string[]][];
  const isRestOnly = ([field]: [string, unknown]) => Object.hasOwn(operation.restOnly?.shape ?? {}, field);
  return {
    input: {
      ...(bodyFault === null ? Object.fromEntries(take(body as Record<string, unknown>, 'body')) : {}),
      ...coerceQuery(operation.input, Object.fromEntries(text.filter((entry) => !isRestOnly(entry)))),
      ...(operation.restOnly
        ? coerceQuery(operation.restOnly, Object.fromEntries(text.filter(isRestOnly)))
        : {}),
    },
    violations,
  };
}
