import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import {
  answer,
  commonFailure,
  type ErrorCatalogue,
  type ErrorDialect,
  type Operation,
  operationsOf,
} from '@postern/kit';
import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import { bearerToken, secretsEqual } from '../src/auth.ts';
import type { Log } from '../src/log.ts';
import { type ProblemCode, problem, problemDialect } from '../src/problem.ts';
import { type MountOptions, mountOperations } from '../src/routes.ts';
import { createServer, dialectByPrefix, type ServerOptions } from '../src/server.ts';

/** A small service with one operation for each thing a route or tool can do, in two dialects. */

export const TOKEN = 'test-token-0123456789abcdef';

/** A dialect unlike problem+json, so that tests see who answered. */
const shortErrors = {
  BAD: { status: 422, summary: 'Bad input.' },
  WHO: { status: 401, summary: 'Unknown caller.' },
  NO: { status: 403, summary: 'No right.' },
  LOST: { status: 404, summary: 'Nothing there.' },
  METHOD: { status: 405, summary: 'Other methods.' },
  TYPE: { status: 415, summary: 'Other type.' },
  BIG: { status: 413, summary: 'Too big.' },
  SLOW_DOWN: { status: 429, summary: 'Too fast.' },
  BROKEN: { status: 500, summary: 'Our fault.' },
} as const satisfies ErrorCatalogue;

export const shortDialect: ErrorDialect<keyof typeof shortErrors> = {
  catalogue: shortErrors,
  common: {
    malformed: 'BAD',
    validation: 'BAD',
    unauthorized: 'WHO',
    forbidden: 'NO',
    not_found: 'LOST',
    method_not_allowed: 'METHOD',
    unsupported_media_type: 'TYPE',
    too_large: 'BIG',
    rate_limited: 'SLOW_DOWN',
    internal: 'BROKEN',
  },
  contentType: 'application/json; charset=utf-8',
  body: (failure) => ({ error: failure.code, says: failure.message, fields: failure.violations }),
  schema: {
    type: 'object',
    properties: { error: { type: 'string' }, says: { type: 'string' }, fields: { type: 'array' } },
    required: ['error', 'says', 'fields'],
  },
  tool: (failure) => {
    const structured = { error: failure.code, says: failure.message, fields: failure.violations };
    return { text: JSON.stringify(structured), structured };
  },
};

export interface TestContext {
  readonly agent: string | undefined;
  readonly caller: string;
  readonly signal: AbortSignal;
  readonly closing: AbortSignal;
  /** What the service saw, for the tests to look at. */
  readonly seen: Seen;
}

export class Seen {
  readonly events: string[] = [];
  readonly #waiting: (() => void)[] = [];

  note(event: string): void {
    this.events.push(event);
    for (const wake of this.#waiting.splice(0)) wake();
  }

  async until(event: string): Promise<void> {
    while (!this.events.includes(event)) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}

type TestRights = { readonly admin: boolean };

const operation = operationsOf<TestContext, TestRights, ProblemCode>();
const anybody: TestRights = { admin: false };
const reads = { readOnly: true, destructive: false, idempotent: true, openWorld: false };
const writes = { readOnly: false, destructive: false, idempotent: false, openWorld: true };

const thing = z.object({ id: z.string(), name: z.string().nullable(), size: z.int() });

const getThing = operation({
  name: 'get_thing',
  call: 'Call it to read one thing.',
  needs: 'Needs nothing.',
  returns: 'Returns the thing.',
  http: { method: 'GET', path: '/things/:thing_id' },
  tool: true,
  rights: anybody,
  annotations: reads,
  input: z.strictObject({ thing_id: z.string().describe('Id of the thing, such as `local:a`.') }),
  output: thing,
  errors: ['not_found'],
  async handle({ thing_id }) {
    if (thing_id === 'missing') throw problem('not_found', 'No thing has that id.');
    return { id: thing_id, name: null, size: thing_id.length };
  },
});

const listThings = operation({
  name: 'list_things',
  call: 'Call it to see the things.',
  needs: 'Needs nothing.',
  returns: 'Returns a page of things.',
  http: { method: 'GET', path: '/things' },
  tool: true,
  rights: anybody,
  annotations: reads,
  input: z.strictObject({
    limit: z.int().min(1).max(100).default(20),
    color: z.enum(['red', 'blue']).optional(),
    deep: z.boolean().optional(),
    ids: z.array(z.string()).max(3).optional(),
    after: z.string().max(20).optional(),
  }),
  restOnly: z.strictObject({ wait: z.int().min(0).max(60).optional() }),
  output: z.object({ asked: z.record(z.string(), z.unknown()) }),
  errors: [],
  handle: async (input) => ({ asked: input }),
});

const createThing = operation({
  name: 'create_thing',
  call: 'Call it to make a thing.',
  needs: 'Needs a name.',
  returns: 'Returns the thing.',
  http: { method: 'POST', path: '/boxes/:box/things', status: 201, query: ['dry'] },
  tool: true,
  rights: anybody,
  annotations: writes,
  input: z.strictObject({
    box: z.string(),
    dry: z.boolean().default(false),
    name: z.string().min(1).max(2_000_000).nullable(),
    size: z.int().min(0).max(10).default(1),
    tags: z.record(z.string(), z.unknown()).optional(),
    parts: z.array(z.strictObject({ url: z.string() })).optional(),
  }),
  output: thing,
  errors: ['conflict', 'precondition_failed'],
  async handle({ name, size, box, dry }) {
    if (name === 'taken') return answer({ id: 'old', name, size }, { 'x-kept': 'yes' }, 200);
    if (name === 'refused')
      throw problem('conflict', 'Taken.', {
        retryAfterSeconds: 7,
        headers: { 'x-replayed': 'true' },
        cause: new Error('inner'),
      });
    return { id: `${box}:${dry}`, name, size };
  },
});

const deleteThing = operation({
  name: 'delete_thing',
  call: 'Call it to remove a thing.',
  needs: 'Needs an admin.',
  returns: 'Returns nothing.',
  http: { method: 'DELETE', path: '/things/:thing_id', status: 204 },
  tool: true,
  rights: { admin: true },
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  input: z.strictObject({ thing_id: z.string() }),
  output: z.object({ outcome: z.literal('deleted') }),
  errors: ['not_found'],
  handle: async () => ({ outcome: 'deleted' as const }),
});

const breakThing = operation({
  name: 'break_thing',
  call: 'Call it to see a fault.',
  needs: 'Needs courage.',
  returns: 'Returns never.',
  http: { method: 'POST', path: '/break' },
  tool: true,
  rights: anybody,
  annotations: writes,
  input: z.strictObject({ how: z.enum(['throw', 'output', 'wait']) }),
  output: z.object({ done: z.boolean() }),
  errors: [],
  async handle({ how }, { signal, closing, seen }) {
    if (how === 'throw') throw new Error('password=hunter2 at /srv/secret.ts');
    if (how === 'output') return { done: 'maybe' } as never;
    seen.note('waiting');
    await new Promise<void>((resolve) => {
      for (const end of [signal, closing]) end.addEventListener('abort', () => resolve(), { once: true });
    });
    seen.note(signal.aborted ? `aborted:${(signal.reason as Error).name}` : 'closing');
    signal.throwIfAborted();
    return { done: true };
  },
});

const readBlob = operation({
  name: 'read_blob',
  call: 'Call it to get bytes.',
  needs: 'Needs nothing.',
  returns: 'Returns bytes.',
  http: { method: 'GET', path: '/blobs/:kind', produces: 'application/octet-stream' },
  rights: anybody,
  annotations: reads,
  input: z.strictObject({ kind: z.enum(['bytes', 'endless', 'sized', 'failing', 'empty']) }),
  output: z.unknown(),
  errors: [],
  async handle({ kind }, { seen }) {
    const headers = { 'content-type': 'application/octet-stream' };
    if (kind === 'bytes') return { status: 206, headers, body: new Uint8Array([0, 1, 255]) };
    if (kind === 'empty') return { status: 304, headers: {}, body: null };
    const source = new Readable({
      read() {
        if (kind === 'failing') this.destroy(new Error('disk on fire at /dev/sda1'));
        else setImmediate(() => this.push(Buffer.alloc(1_024, 'x')));
      },
    });
    source.on('close', () => seen.note('stream closed'));
    return {
      status: 200,
      headers: { ...headers, ...(kind === 'sized' ? { 'content-length': '12345' } : {}) },
      body: source,
    };
  },
});

const whoAmI = operation({
  name: 'who_am_i',
  call: 'Call it to see who asks.',
  needs: 'Needs X-Agent-ID.',
  returns: 'Returns the agent.',
  http: { method: 'GET', path: '/whoami' },
  tool: true,
  rights: anybody,
  annotations: reads,
  input: z.strictObject({}),
  output: z.object({ agent: z.string(), caller: z.string() }),
  errors: [],
  async handle(_, { agent, caller }) {
    if (agent === undefined) throw problem('precondition_failed', 'X-Agent-ID is missing.');
    return { agent, caller };
  },
});

export const operations: readonly Operation<TestContext, TestRights>[] = [
  getThing,
  listThings,
  createThing,
  deleteThing,
  breakThing,
  readBlob,
  whoAmI,
];

export class MemoryLog implements Log {
  readonly lines: { level: string; fields: Record<string, unknown>; message: string }[] = [];
  debug = this.#writer('debug');
  info = this.#writer('info');
  warn = this.#writer('warn');
  error = this.#writer('error');

  #writer(level: string) {
    return (fields: object, message: string) => {
      this.lines.push({ level, fields: { ...fields }, message });
    };
  }
}

export function contextFor(seen: Seen): MountOptions<TestContext, TestRights, string>['contextFor'] {
  return ({ caller, operation, header, signal, closing, input }) => {
    if (operation.rights.admin && caller !== 'admin')
      throw commonFailure(problemDialect({ publicUrl }), 'forbidden', 'Admins only.');
    if (input.name === 'bad-context') {
      throw problem('validation_failed', 'box', {
        violations: [{ field: 'box', code: 'not_allowed', message: 'must exist' }],
      });
    }
    return { agent: header('x-agent-id'), caller, signal, closing, seen };
  };
}

export const publicUrl = () => 'https://postern.example';

export interface TestService extends AsyncDisposable {
  readonly app: FastifyInstance;
  readonly url: string;
  readonly log: MemoryLog;
  readonly seen: Seen;
}

/** The service on a real port: problem+json under /api and everywhere else, the short dialect under /short. */
export async function startService(
  overrides: Partial<ServerOptions> & {
    deadlineMs?: number;
    mount?(app: FastifyInstance, seen: Seen, log: MemoryLog): void;
  } = {},
): Promise<TestService> {
  const log = new MemoryLog();
  const seen = new Seen();
  const dialect = problemDialect({ publicUrl });
  const app = createServer({
    log,
    publicUrl,
    dialectFor: dialectByPrefix(new Map([['/short', shortDialect]]), dialect),
    ...overrides,
  });
  for (const [prefix, spoken] of [
    ['/api', dialect],
    ['/short', shortDialect],
  ] as const) {
    mountOperations(app, operations, {
      prefix,
      dialect: spoken,
      log,
      authenticate: ({ headers }) => authenticate(headers.authorization, spoken),
      contextFor: contextFor(seen),
      admit: (_, reply) => void reply.header('ratelimit', '"default";r=5;t=1'),
      ...(overrides.deadlineMs === undefined ? {} : { deadlineMs: overrides.deadlineMs }),
    });
  }
  overrides.mount?.(app, seen, log);
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  return {
    app,
    log,
    seen,
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      app.server.closeAllConnections();
      await app.close();
    },
  };
}

export function authenticate(authorization: string | undefined, dialect: ErrorDialect): string {
  const token = bearerToken(authorization);
  if (token === null || !secretsEqual(token, TOKEN))
    throw commonFailure(dialect, 'unauthorized', 'Send the bearer.');
  return 'user';
}
