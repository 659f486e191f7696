import type { Readable } from 'node:stream';
import { type Clock, nowMilliseconds, type Random } from '@postern/kit';
import { Agent, type Dispatcher } from 'undici';
import type { z } from 'zod';
import { type OutboundLimiter, outboundLimiter } from '../limiter.ts';
import { PlatformError, type PlatformErrorCode } from '../platform.ts';
import { CallFault, faultOfError, faultOfStatus, parseRetryAfter, retrying } from '../retry.ts';
import type { ServerAddress } from './address.ts';
import { wireFailure } from './wire.ts';

/** Refused by the server, in its words; `id` is the server's name for the reason, `''` where it gave none. */
export class Refusal extends PlatformError {
  readonly status: number;
  readonly id: string;

  constructor(code: PlatformErrorCode, message: string, status: number, id: string) {
    super(code, message);
    this.status = status;
    this.id = id;
  }
}

export interface ApiRequest<Schema extends z.ZodType> {
  /** What it does, for the sentence of an error: `read a post`. */
  readonly name: string;
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below `/api/v4`, with parts that are no ids encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly json?: unknown;
  readonly body?: { readonly type: string; readonly length: number; readonly stream: Readable };
  readonly schema: Schema;
  readonly writesIn?: string;
  readonly signal?: AbortSignal | undefined;
}

/** What is tried several times; each attempt may make more than one request. */
export interface ApiCall<Result> {
  readonly name: string;
  /** Whether doing it twice is the same as once. */
  readonly isIdempotent: boolean;
  /** The channel something is written in, which has a rate of its own. */
  readonly writesIn?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly deadlineMs?: number | undefined;
  attempt(signal: AbortSignal): Promise<Result>;
}

export interface MattermostApi {
  /** An idempotent call, tried again as {@link retrying} does. @throws PlatformError */
  call<Schema extends z.ZodType>(request: ApiRequest<Schema>): Promise<z.infer<Schema>>;
  /** Waits for its turn, which is no part of the deadline, and tries. @throws PlatformError */
  run<Result>(call: ApiCall<Result>): Promise<Result>;
  /** One request of an attempt. @throws CallFault | PlatformError */
  once<Schema extends z.ZodType>(request: ApiRequest<Schema>, signal: AbortSignal): Promise<z.infer<Schema>>;
  /** The answer's body, in full and at most so many bytes. @throws PlatformError */
  download(name: string, path: string, maxBytes: number, signal?: AbortSignal): Promise<Buffer>;
}

export interface ApiOptions {
  readonly address: ServerAddress;
  readonly token: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Milliseconds one attempt may take. */
  readonly deadlineMs?: number;
}

/** A page of 200 posts of the longest texts and their data is well below it. */
const LARGEST_ANSWER = 64 * 1_048_576;
const LONGEST_REASON = 300;
const DEFAULT_DEADLINE_MS = 20_000;
/** A file may take this much longer for each megabyte: a slow line of about 1 Mbit/s. */
const DEADLINE_MS_PER_MEGABYTE = 8_000;
const MOST_CONNECTIONS = 8;
/** What Mattermost allows when its own limit is switched on and nobody changed it. */
const SERVER_RATE = { perSecond: 10, burst: 100 };
/** One busy channel leaves something of it to the others. */
const CHANNEL_RATE = { perSecond: 8, burst: 30 };
const SERVER_KEY = 'server';
/** A server that asks for a longer pause is asked again all the same. */
const LONGEST_HOLD_MS = 5 * 60_000;
/** Above, `X-Ratelimit-Reset` is a time since 1970, below it is a span: the reference shows both. */
const SMALLEST_EPOCH_SECONDS = 1_000_000_000;

/** The REST API. The token goes into the Authorization header and nowhere else; redirects are not followed. */
export function mattermostApi({ address, token, clock, random, deadlineMs }: ApiOptions): MattermostApi {
  const agent = new Agent({ connections: MOST_CONNECTIONS, pipelining: 1 });
  const limiter: OutboundLimiter = outboundLimiter({
    clock,
    rateOf: (key) => (key === SERVER_KEY ? SERVER_RATE : CHANNEL_RATE),
  });
  const caller = retrying({ clock, random, deadlineMs: deadlineMs ?? DEFAULT_DEADLINE_MS });
  const words = (said: string) =>
    said
      .replaceAll(token, '…')
      .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
      .trim()
      .slice(0, LONGEST_REASON);

  async function send(
    { method = 'GET', path, query, json, body }: Omit<ApiRequest<z.ZodType>, 'schema'>,
    signal: AbortSignal,
  ): Promise<Dispatcher.ResponseData> {
    const url = new URL(address.api(path));
    for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, String(value));
    const type = body?.type ?? (json === undefined ? undefined : 'application/json');
    try {
      return await agent.request({
        origin: url.origin,
        path: url.pathname + url.search,
        method,
        headers: {
          authorization: `Bearer ${token}`,
          accept: 'application/json',
          'user-agent': 'Postern',
          ...(type === undefined ? {} : { 'content-type': type }),
          ...(body === undefined ? {} : { 'content-length': String(body.length) }),
        },
        body: body?.stream ?? (json === undefined ? null : JSON.stringify(json)),
        headersTimeout: 0,
        bodyTimeout: 0,
        signal,
      });
    } catch (error) {
      throw errorOfBody(error) ?? faultOfError(error);
    }
  }

  /** Throws what a status means, if it is no success. */
  async function check(name: string, response: Dispatcher.ResponseData): Promise<void> {
    const { statusCode: status } = response;
    if (status >= 200 && status < 300) return;
    const { id, message } = readFailure(await read(response, LARGEST_ANSWER).catch(() => Buffer.alloc(0)));
    // A feature that is switched off answers 501, which asking again does not change.
    const fault = status === 501 ? null : faultOfStatus(status, askedPause(response, clock));
    if (fault !== null) throw fault;
    const said = message === '' ? `the server answered ${status}` : words(message);
    throw new Refusal(codeOf(status, id), `${name}: ${said}`, status, id);
  }

  async function once<Schema extends z.ZodType>(
    request: ApiRequest<Schema>,
    signal: AbortSignal,
  ): Promise<z.infer<Schema>> {
    const response = await send(request, signal);
    await check(request.name, response);
    const bytes = await read(response, LARGEST_ANSWER);
    let answer: unknown;
    try {
      answer = JSON.parse(bytes.toString('utf8'));
    } catch {
      throw strange(request.name);
    }
    const parsed = request.schema.safeParse(answer);
    if (!parsed.success) throw strange(request.name);
    return parsed.data;
  }

  async function run<Result>({ writesIn, attempt, ...call }: ApiCall<Result>): Promise<Result> {
    const keys = writesIn === undefined ? [SERVER_KEY] : [writesIn, SERVER_KEY];
    await limiter.take(keys, call.signal);
    let isFirst = true;
    return caller({
      name: call.name,
      isIdempotent: call.isIdempotent,
      signal: call.signal,
      ...(call.deadlineMs === undefined ? {} : { deadlineMs: call.deadlineMs }),
      async attempt(signal) {
        if (!isFirst) await limiter.take(keys, signal);
        isFirst = false;
        return attempt(signal);
      },
      onBusy: (wait) => limiter.hold(SERVER_KEY, Math.min(wait, LONGEST_HOLD_MS)),
    });
  }

  return {
    once,
    run,
    call: (request) => run({ ...request, isIdempotent: true, attempt: (signal) => once(request, signal) }),
    download: (name, path, maxBytes, signal) =>
      run({
        name,
        isIdempotent: true,
        signal,
        deadlineMs: transferDeadline(maxBytes, deadlineMs),
        async attempt(attemptSignal) {
          const response = await send({ name, path }, attemptSignal);
          await check(name, response);
          return read(response, maxBytes);
        },
      }),
  };
}

/** The error with which the content of a request ended, so that the request did. */
function errorOfBody(error: unknown): PlatformError | null {
  if (error instanceof PlatformError) return error;
  return error instanceof Error && error.cause instanceof PlatformError ? error.cause : null;
}

/** Milliseconds that moving so many bytes may take. */
export function transferDeadline(bytes: number, deadlineMs = DEFAULT_DEADLINE_MS): number {
  return deadlineMs + Math.ceil(bytes / 1_048_576) * DEADLINE_MS_PER_MEGABYTE;
}

function strange(name: string): PlatformError {
  return new PlatformError('refused', `${name}: the answer is not one of Mattermost's; is the url right?`);
}

function codeOf(status: number, id: string): PlatformErrorCode {
  if (status === 401 || status === 403) return 'unauthorized';
  if (status === 404) return 'not_found';
  if (status === 413 || id.includes('message_length')) return 'too_large';
  if (status === 501) return 'unsupported';
  return 'refused';
}

function askedPause({ headers }: Dispatcher.ResponseData, clock: Clock): number | null {
  const first = (name: string) => [headers[name]].flat()[0];
  const asked = parseRetryAfter(first('retry-after'), clock);
  if (asked !== null) return asked;
  const reset = Number(first('x-ratelimit-reset') ?? Number.NaN);
  if (!Number.isFinite(reset) || reset < 0) return null;
  if (reset < SMALLEST_EPOCH_SECONDS) return reset * 1_000;
  return Math.max(0, reset * 1_000 - nowMilliseconds(clock));
}

/** The body, at most so many bytes. @throws PlatformError `too_large` | CallFault */
async function read({ body, headers }: Dispatcher.ResponseData, maxBytes: number): Promise<Buffer> {
  const tooLarge = () => new PlatformError('too_large', `it is larger than ${maxBytes} bytes`);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) throw tooLarge();
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } catch (error) {
    body.on('error', () => {}).destroy();
    throw error instanceof PlatformError ? error : faultOfError(error);
  }
}

function readFailure(bytes: Buffer): z.infer<typeof wireFailure> {
  try {
    return wireFailure.parse(JSON.parse(bytes.toString('utf8')));
  } catch {
    return { id: '', message: '' };
  }
}

/** A fault that leaves open whether a thing was done, where one before it already did. */
export function asLost(error: unknown): unknown {
  if (!(error instanceof CallFault) || error.kind === 'lost') return error;
  return new CallFault('lost', error.message, { cause: error, retryAfterMs: error.retryAfterMs });
}
