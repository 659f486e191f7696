import { createMcpHandler, type Tool } from '@modelcontextprotocol/server';
import { type CommonFault, commonFailure, type ErrorDialect, Failure, type Operation } from '@postern/kit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type HostPolicy, isOwnOrigin } from '../hosts.ts';
import { type Call, checkOperationInput, runOperation, type ToolViolations } from '../invoke.ts';
import { isJsonObject, JsonError, parseJson } from '../json.ts';
import type { Log } from '../log.ts';
import { goneSignal, headerOf, requireStrictInput } from '../routes.ts';
import { sendFailure } from '../send.ts';
import { closingSignal } from '../server.ts';
import { packArguments } from './arguments.ts';
import { toolResult } from './results.ts';
import { DEFAULT_CALL_DEADLINE_MS, type McpServerOptions, mcpServer } from './server.ts';
import { type ToolListOptions, toolList } from './tools.ts';

/** A service's tools over Streamable HTTP, stateless, in both protocol eras. */

export interface McpHttpOptions<Context, Rights, Caller>
  extends Pick<McpServerOptions, 'info' | 'instructions'>,
    Omit<ToolListOptions, 'dialect'> {
  /** Path of the endpoint, such as `/mcp`. */
  readonly path: string;
  readonly operations: readonly Operation<Context, Rights>[];
  /** Dialect of tool errors, and of the failures `authenticate` and `admit` throw. */
  readonly dialect: ErrorDialect;
  /** Dialect of HTTP errors (401, 403, 413, 429), where it is not that of the tools. */
  readonly httpDialect?: ErrorDialect;
  readonly hosts: HostPolicy;
  readonly log: Log;
  readonly toolViolations?: ToolViolations;
  /** Who asks. Runs before the body is read. */
  authenticate(request: FastifyRequest): Caller | Promise<Caller>;
  /** Rights, and what the handler works with; the same function the REST routes use. */
  contextFor(call: Call<Caller, Context, Rights>): Context | Promise<Context>;
  /** Whether a caller sees a tool in the list. Calling one it does not see is for `contextFor` to refuse. */
  sees?(caller: Caller, operation: Operation<Context, Rights>): boolean;
  /** The place of a rate limit; each JSON-RPC message of the request counts. */
  admit?(
    request: FastifyRequest,
    reply: FastifyReply,
    caller: Caller,
    messages: number,
  ): void | Promise<void>;
  readonly bodyLimit?: number;
  readonly deadlineMs?: number;
}

/** What one HTTP request brings to the tool calls in it. */
interface Exchange<Caller> {
  readonly caller: Caller;
  readonly request: FastifyRequest;
  readonly signal: AbortSignal;
}

const MAX_BATCH = 50;
const MAX_SUBSCRIPTIONS = 64;

/**
 * Mounts the endpoint. Origin and credential are checked before the body is read, the size before the SDK
 * sees it; GET, DELETE and the rest are 405.
 */
export function mountMcp<Context, Rights, Caller>(
  app: FastifyInstance,
  options: McpHttpOptions<Context, Rights, Caller>,
): void {
  const { dialect, httpDialect = dialect, log, operations } = options;
  const closing = closingSignal(app);
  const callers = new WeakMap<FastifyRequest, Caller>();
  for (const operation of operations) requireStrictInput(operation);
  const tools = once(() => toolList(operations, options));
  const byName = new Map(operations.map((operation) => [operation.name, operation]));
  const deadlineMs = options.deadlineMs ?? DEFAULT_CALL_DEADLINE_MS;

  const serverFor = ({ caller, request, signal: gone }: Exchange<Caller>) => {
    const operationOf = (name: string) => byName.get(name) as Operation<Context, Rights>;
    const isListed = ({ name }: Tool) => options.sees?.(caller, operationOf(name)) ?? true;
    return mcpServer({
      info: options.info,
      instructions: options.instructions,
      tools: tools(),
      listed: tools().filter(isListed),
      dialect,
      log,
      // The run has the deadline, so that REST and tools tell it alike; this one is only behind it.
      deadlineMs: 2 * deadlineMs,
      call: async (name, input, cancelled) => {
        const operation = operationOf(name);
        const outcome = await runOperation(operation, {
          dialect,
          surface: 'tool',
          toolViolations: options.toolViolations,
          read: () => ({ input, violations: [], checked: checkOperationInput(operation, input, 'tool') }),
          context: (signal) =>
            options.contextFor({
              operation,
              surface: 'tool',
              caller,
              input,
              requestId: request.id,
              signal,
              closing,
              header: (header) => headerOf(request, header),
            }),
          // In the legacy era the SDK's signal does not see the client go.
          signal: AbortSignal.any([cancelled, gone]),
          deadlineMs,
          requestId: request.id,
          log,
        });
        return toolResult(dialect, outcome);
      },
    });
  };

  const handler = createMcpHandler(
    ({ authInfo }) => serverFor(authInfo?.extra?.exchange as Exchange<Caller>),
    {
      onerror: (error) => log.debug({ err: error }, 'MCP request refused'),
      maxSubscriptions: MAX_SUBSCRIPTIONS,
    },
  );
  const bridge = once(async () => {
    const { toNodeHandler } = await import('@modelcontextprotocol/node');
    return toNodeHandler(handler, {
      onerror: (error) => log.error({ err: error }, 'MCP request failed'),
    });
  });
  // A server that listens makes both ready at once; one inside a command's own process never needs them.
  app.addHook('onListen', async () => {
    tools();
    await bridge();
  });
  const answering = new Set<Promise<void>>();
  app.addHook('preClose', async () => {
    // Closing the handler would cut calls off; what is left after them are subscriptions, which never end.
    await Promise.allSettled(answering);
    await handler.close();
  });

  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // Any type, as bytes: what is not JSON the SDK refuses in its own way.
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, async (_: FastifyRequest, body: Buffer) => body);
    scope.setErrorHandler<Error>((error, _request, reply) => {
      if (error instanceof Failure)
        return sendFailure(reply, httpDialect, translate(error, dialect, httpDialect));
      throw error;
    });
    scope.route({
      method: 'POST',
      url: options.path,
      config: { dialect: httpDialect },
      ...(options.bodyLimit === undefined ? {} : { bodyLimit: options.bodyLimit }),
      onRequest: async (request) => {
        if (!isOwnOrigin(request.headers.origin, options.hosts)) {
          throw commonFailure(
            dialect,
            'forbidden',
            'The Origin header does not name this server; set its public URL.',
          );
        }
        callers.set(request, await options.authenticate(request));
      },
      handler: async (request, reply) => {
        const caller = callers.get(request) as Caller;
        const body = readMessages(request);
        await options.admit?.(request, reply, caller, Array.isArray(body.value) ? body.value.length : 1);
        if (body.refusal !== undefined) return reply.code(400).send(body.refusal);

        const serve = await bridge();
        reply.hijack();
        for (const [name, value] of Object.entries(reply.getHeaders())) {
          if (value !== undefined) reply.raw.setHeader(name, value);
        }
        const exchange: Exchange<Caller> = { caller, request, signal: goneSignal(reply) };
        const { method, url, headers } = request.raw;
        const incoming = {
          ...(method === undefined ? {} : { method }),
          ...(url === undefined ? {} : { url }),
          headers,
          auth: { token: '', clientId: '', scopes: [], extra: { exchange } },
          async *[Symbol.asyncIterator]() {
            if (request.body instanceof Buffer) yield request.body;
          },
        };
        const answered = serve(incoming, reply.raw, body.value);
        if (isSubscription(body.value)) return;
        answering.add(answered);
        await answered.finally(() => answering.delete(answered));
      },
    });
  });
}

/** What is made at the first call, and kept. */
function once<Made>(make: () => Made): () => Made {
  let made: { readonly value: Made } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

interface Messages {
  /** The parsed body, or undefined when it is not declared as JSON. */
  readonly value?: unknown;
  /** A JSON-RPC error to answer instead. */
  readonly refusal?: object;
}

function readMessages(request: FastifyRequest): Messages {
  if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '')) return {};
  let value: unknown;
  try {
    value = parseJson(request.body instanceof Buffer ? request.body : new Uint8Array());
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return { refusal: rpcError(-32_700, `Parse error: ${error.message}`) };
  }
  if (Array.isArray(value) && value.length > MAX_BATCH) {
    return {
      value,
      refusal: rpcError(-32_600, `Invalid Request: a batch has at most ${MAX_BATCH} messages`),
    };
  }
  return { value: packArguments(value) };
}

function isSubscription(message: unknown): boolean {
  return isJsonObject(message) && message.method === 'subscriptions/listen';
}

function rpcError(code: number, message: string): object {
  return { jsonrpc: '2.0', id: null, error: { code, message } };
}

/** The same common fault in another dialect; one that is of that dialect already stays as it is. */
function translate(failure: Failure, from: ErrorDialect, to: ErrorDialect): Failure {
  if (Object.hasOwn(to.catalogue, failure.code)) return failure;
  const fault = (Object.keys(from.common) as CommonFault[]).find(
    (name) => from.common[name] === failure.code,
  );
  const { headers, retryAfterSeconds } = failure;
  return commonFailure(to, fault ?? 'internal', failure.message, {
    headers,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}
