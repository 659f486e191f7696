import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { commonFailure, type ErrorDialect, Failure } from '@postern/kit';
import Fastify, { type FastifyError, type FastifyInstance, type FastifyRequest } from 'fastify';
import { BrokenHttp } from './broken-http.ts';
import { drainOnStop } from './drain.ts';
import { malformed, unsupported } from './failures.ts';
import { type HostPolicy, isOwnHost } from './hosts.ts';
import { internalFailure } from './invoke.ts';
import { JsonError, parseJson } from './json.ts';
import { lingerBeforeClose } from './linger.ts';
import type { Log } from './log.ts';
import { MethodTable } from './methods.ts';
import { restAfter } from './rest.ts';
import { sendFailure } from './send.ts';

/** The HTTP server every service mounts itself on, and the errors it gives before any of them is asked. */

export interface ServerOptions extends HostPolicy {
  readonly log: Log;
  /** The dialect errors have at a path (without query); also used for paths that do not exist. */
  dialectFor(path: string): ErrorDialect;
  /** Largest request body in bytes, unless a route says otherwise. */
  readonly bodyLimit?: number;
  /** Milliseconds a client may take to send a whole request. */
  readonly requestTimeoutMs?: number;
  /** Milliseconds a client may take to send the header section. */
  readonly headersTimeoutMs?: number;
  /** Milliseconds a connection may be without any traffic while a request is answered. */
  readonly idleTimeoutMs?: number;
  /** How often the two receive timeouts are looked at, in milliseconds. */
  readonly timeoutCheckMs?: number;
  readonly maxConnections?: number;
}

const DEFAULTS = {
  bodyLimit: 10 * 1024 * 1024,
  requestTimeoutMs: 60_000,
  headersTimeoutMs: 20_000,
  idleTimeoutMs: 150_000,
  timeoutCheckMs: 5_000,
  keepAliveTimeoutMs: 30_000,
  maxConnections: 8_192,
  /** The longest path parameter; the request line as a whole is bounded by Node at 16 KiB. */
  maxParamLength: 2_048,
};

/** Request ids taken from a caller: long enough for any tracing scheme, and safe in a log line. */
const SANE_REQUEST_ID = /^[A-Za-z0-9._:-]{8,128}$/;

const closing = new WeakMap<FastifyInstance, AbortSignal>();

/** Aborts when the server begins to stop, so that waiting calls and streams can end by themselves. */
export function closingSignal(app: FastifyInstance): AbortSignal {
  return closing.get(app) ?? new AbortController().signal;
}

/**
 * Makes the server: request ids, the Host check, strict JSON bodies, receive timeouts, and 400, 404, 405,
 * 413, 415 and 500 in the dialect of the path. It does not listen yet.
 */
export function createServer(options: ServerOptions): FastifyInstance {
  const { log, dialectFor } = options;
  const brokenHttp = new BrokenHttp(dialectFor('/'));
  const app = Fastify({
    logger: false,
    genReqId: (request) => inboundRequestId(request.headers['x-request-id']) ?? randomUUID(),
    requestIdHeader: false,
    bodyLimit: options.bodyLimit ?? DEFAULTS.bodyLimit,
    requestTimeout: options.requestTimeoutMs ?? DEFAULTS.requestTimeoutMs,
    connectionTimeout: options.idleTimeoutMs ?? DEFAULTS.idleTimeoutMs,
    keepAliveTimeout: DEFAULTS.keepAliveTimeoutMs,
    return503OnClosing: false,
    routerOptions: {
      maxParamLength: DEFAULTS.maxParamLength,
      querystringParser: (query) => ({ ...parseQuery(query) }),
    },
    http: {
      headersTimeout: options.headersTimeoutMs ?? DEFAULTS.headersTimeoutMs,
      connectionsCheckingInterval: options.timeoutCheckMs ?? DEFAULTS.timeoutCheckMs,
    },
    frameworkErrors: (error, request, reply) => {
      const dialect = dialectFor(pathOf(request));
      void reply.header('x-request-id', request.id);
      // No id is longer than the longest parameter, so there is nothing by that name.
      const failure =
        error.code === 'FST_ERR_MAX_PARAM_LENGTH'
          ? commonFailure(dialect, 'not_found', 'Nothing is at this address.')
          : malformed(dialect, 'The address is not valid percent-encoded UTF-8.');
      void sendFailure(reply as never, dialect, failure);
    },
    clientErrorHandler: (error, socket) => void brokenHttp.answer(error, socket as Socket),
  });
  app.server.maxConnections = options.maxConnections ?? DEFAULTS.maxConnections;

  const stop = new AbortController();
  closing.set(app, stop.signal);
  app.addHook('preClose', async () => stop.abort(new DOMException('The server is stopping.', 'AbortError')));
  drainOnStop(app, stop.signal);
  brokenHttp.watch(app);

  const methods = new MethodTable();
  app.addHook('onRoute', (route) => methods.add(route.method, route.url));

  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff');
    const dialect = dialectOf(request, dialectFor);
    if (!isOwnHost(request.headers.host, options)) {
      throw commonFailure(
        dialect,
        'forbidden',
        'The Host header does not name this server; set its public URL.',
      );
    }
    // Answered here and not in the not-found handler, which runs only after the body was read and judged.
    if (request.is404 || methods.isMisrouted(request.routeOptions.url, pathOf(request))) {
      const allowed = methods.allowed(pathOf(request));
      if (allowed.length === 0) throw commonFailure(dialect, 'not_found', 'Nothing is at this address.');
      reply.header('allow', allowed.join(', '));
      if (request.method === 'OPTIONS') return reply.code(204).send();
      throw commonFailure(
        dialect,
        'method_not_allowed',
        `${request.method} is not allowed here; ${allowed.join(', ')} are.`,
      );
    }
  });
  // Never reached, since the hook above answers; without it the framework would log and answer on its own.
  app.setNotFoundHandler((request, reply) =>
    sendFailure(
      reply,
      dialectOf(request, dialectFor),
      commonFailure(dialectOf(request, dialectFor), 'not_found', 'Nothing is at this address.'),
    ),
  );

  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      const reading = performance.now();
      const value = readJsonBody(request, body, dialectOf(request, dialectFor));
      await restAfter(reading);
      return value;
    },
  );

  app.setErrorHandler<FastifyError>((error, request, reply) => {
    const dialect = dialectOf(request, dialectFor);
    const failure = error instanceof Failure ? error : frameworkFailure(error, dialect);
    // Bodies that are refused unread: the framework closes the connection behind the answer.
    if (reply.hasHeader('connection')) lingerBeforeClose(request.raw);
    if (failure !== null) return sendFailure(reply, dialect, failure);
    if (request.raw.destroyed && reply.raw.destroyed)
      log.debug({ requestId: request.id, err: error }, 'caller went away');
    else
      log.error(
        { requestId: request.id, route: request.routeOptions.url, err: error },
        'request failed unexpectedly',
      );
    return sendFailure(reply, dialect, internalFailure(dialect, request.id, error));
  });

  app.addHook('onResponse', async (request, reply) => {
    const fields = {
      requestId: request.id,
      method: request.method,
      // The pattern and not the address: queries carry signatures, and paths carry people's addresses.
      route: request.routeOptions.url ?? null,
      status: reply.statusCode,
      milliseconds: Math.round(reply.elapsedTime),
    };
    if (reply.statusCode >= 500) log.warn(fields, 'request answered');
    else log.debug(fields, 'request answered');
  });
  return app;
}

/** The path of a request, without its query. */
export function pathOf(request: FastifyRequest): string {
  const url = request.raw.url ?? '/';
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
}

/** Chooses a dialect by path prefix; a prefix covers itself and what is below it. */
export function dialectByPrefix(
  prefixes: ReadonlyMap<string, ErrorDialect>,
  fallback: ErrorDialect,
): (path: string) => ErrorDialect {
  return (path) => {
    for (const [prefix, dialect] of prefixes) {
      if (path === prefix || path.startsWith(`${prefix}/`)) return dialect;
    }
    return fallback;
  };
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Dialect of a route's errors, where it is not the one of its path. */
    dialect?: ErrorDialect;
    /** JSON bodies of the route come as octets. */
    isBulk?: boolean;
  }
}

function dialectOf(request: FastifyRequest, dialectFor: (path: string) => ErrorDialect): ErrorDialect {
  return request.routeOptions.config?.dialect ?? dialectFor(pathOf(request));
}

function inboundRequestId(header: string | string[] | undefined): string | null {
  return typeof header === 'string' && SANE_REQUEST_ID.test(header) ? header : null;
}

/** Query fields by name; a repeated one is an array. The prototype is no object's, so that any name may come. */
function parseQuery(query: string): Record<string, string | string[]> {
  const fields: Record<string, string | string[]> = Object.create(null);
  for (const [name, value] of new URLSearchParams(query)) {
    const known = fields[name];
    fields[name] = known === undefined ? value : Array.isArray(known) ? [...known, value] : [known, value];
  }
  return fields;
}

function readJsonBody(request: FastifyRequest, body: Buffer, dialect: ErrorDialect): unknown {
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(request.headers['content-type'] ?? '')?.[1];
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) {
    throw unsupported(dialect, 'JSON bodies are UTF-8.');
  }
  if (request.routeOptions.config?.isBulk === true) return body;
  if (body.length === 0) return undefined;
  try {
    return parseJson(body);
  } catch (error) {
    if (error instanceof JsonError) throw malformed(dialect, error.message, { cause: error });
    throw error;
  }
}

/** Faults the framework found with a request, or null when the error is ours. */
function frameworkFailure(error: FastifyError, dialect: ErrorDialect): Failure | null {
  if (!error.code?.startsWith('FST_ERR_CTP_') && !(error.statusCode !== undefined && error.statusCode < 500))
    return null;
  switch (error.statusCode) {
    case 413:
      return commonFailure(dialect, 'too_large', 'The request body is larger than the limit.');
    case 415:
      return unsupported(dialect, 'The request body must be application/json.');
    case 400:
      return malformed(dialect, 'The request body does not fit its header fields.');
    default:
      return null;
  }
}
