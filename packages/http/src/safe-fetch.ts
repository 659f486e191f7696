import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import type { Agent, Dispatcher } from 'undici';
import { isPublicAddress } from './addresses.ts';

/**
 * HTTP to addresses that somebody else named. A name is resolved once a hop, every address it has is
 * checked, and the connection goes to a checked one, so a name that changes its answer gains nothing.
 * Redirects are followed by hand, each checked like the first address.
 */

export type FetchFault =
  /** Not http(s), a user name in it, or no URL at all. */
  | 'bad_url'
  /** An address that is not public. */
  | 'not_allowed'
  | 'unresolvable'
  | 'unreachable'
  | 'too_many_redirects'
  | 'too_large'
  | 'too_slow'
  | 'aborted';

/** Why a fetch did not happen, or did not end well; the message is fit for the caller. */
export class SafeFetchError extends Error {
  override readonly name = 'SafeFetchError';
  readonly fault: FetchFault;

  constructor(fault: FetchFault, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.fault = fault;
  }
}

export interface SafeFetchOptions {
  readonly method?: 'GET' | 'HEAD' | 'POST';
  /** Sent to the first origin only; a redirect to another one goes without them. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Largest response body in bytes. */
  readonly maxBytes: number;
  /** Milliseconds for everything, redirects and body included. */
  readonly deadlineMs: number;
  /** How many redirects a GET or HEAD follows; 0, and always for POST, a redirect is an answer like others. */
  readonly maxRedirects?: number;
  readonly allowLoopback?: boolean;
  readonly signal?: AbortSignal;
  /** All addresses of a host name; the system's resolver unless said. */
  readonly resolve?: (hostname: string) => Promise<readonly string[]>;
}

export interface SafeResponse {
  readonly status: number;
  /** By lower-case name; repeated ones joined with a comma. */
  readonly headers: Readonly<Record<string, string>>;
  /** Where the answer came from, after redirects. */
  readonly url: string;
  /** The body, once; throws a {@link SafeFetchError} when it gets too large or takes too long. */
  readonly body: AsyncIterable<Uint8Array>;
  /** The whole body at once. */
  bytes(): Promise<Buffer>;
  /** Drops the body and the connection. */
  discard(): Promise<void>;
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const DEFAULT_MAX_REDIRECTS = 5;
const USER_AGENT = 'Postern';

/** Fetches a URL as {@link SafeFetchOptions} allow. Any status is an answer. @throws SafeFetchError */
export async function safeFetch(url: string, options: SafeFetchOptions): Promise<SafeResponse> {
  const time = new AbortController();
  const timer = setTimeout(
    () => time.abort(new SafeFetchError('too_slow', 'The other side took too long.')),
    options.deadlineMs,
  );
  const signal = options.signal ? AbortSignal.any([time.signal, options.signal]) : time.signal;
  const stop = () => clearTimeout(timer);
  try {
    return await follow(url, options, signal, stop);
  } catch (error) {
    stop();
    throw asFault(error, signal);
  }
}

async function follow(
  url: string,
  options: SafeFetchOptions,
  signal: AbortSignal,
  stop: () => void,
): Promise<SafeResponse> {
  const { method = 'GET' } = options;
  const maxRedirects = method === 'POST' ? 0 : (options.maxRedirects ?? DEFAULT_MAX_REDIRECTS);
  const first = readUrl(url);
  let target = first;
  for (let hop = 0; ; hop += 1) {
    const { agent, response } = await ask(
      target,
      target.origin === first.origin ? (options.headers ?? {}) : {},
      options,
      signal,
    );
    const headers = flatten(response.headers);
    const next = REDIRECTS.has(response.statusCode) && maxRedirects > 0 ? headers.location : undefined;
    if (next === undefined) return capped({ target, response, headers, agent }, options, signal, stop);
    response.body.on('error', () => {});
    await agent.destroy();
    if (hop === maxRedirects)
      throw new SafeFetchError('too_many_redirects', `More than ${maxRedirects} redirects.`);
    target = readUrl(next, target);
  }
}

function readUrl(text: string, base?: URL): URL {
  const url = URL.parse(text, base?.href);
  if (url === null) throw new SafeFetchError('bad_url', 'This is not a URL.');
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new SafeFetchError('bad_url', 'Only http and https URLs are fetched.');
  if (url.username !== '' || url.password !== '')
    throw new SafeFetchError('bad_url', 'A URL with a user name is not fetched.');
  return url;
}

async function ask(
  target: URL,
  headers: Readonly<Record<string, string>>,
  options: SafeFetchOptions,
  signal: AbortSignal,
) {
  const addresses = await checkedAddresses(target, options, signal);
  // Loaded when it is needed, which in a command's own process is never: it is a hundred modules.
  const undici = await import('undici');
  const agent = new undici.Agent({
    connections: 1,
    pipelining: 1,
    headersTimeout: options.deadlineMs,
    bodyTimeout: options.deadlineMs,
    connect: { timeout: options.deadlineMs, lookup: pinned(addresses) },
  });
  try {
    const response = await agent.request({
      origin: target.origin,
      path: target.pathname + target.search,
      method: options.method ?? 'GET',
      headers: { 'user-agent': USER_AGENT, accept: '*/*', 'accept-encoding': 'identity', ...headers },
      body: options.body ?? null,
      signal,
    });
    return { agent, response };
  } catch (error) {
    await agent.destroy();
    throw error;
  }
}

async function checkedAddresses(
  { hostname }: URL,
  options: SafeFetchOptions,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const literal = hostname.replace(/^\[(.*)\]$/, '$1');
  const addresses =
    isIP(literal) !== 0
      ? [literal]
      : await untilAborted((options.resolve ?? resolveBySystem)(hostname), signal);
  if (addresses.length === 0) throw new SafeFetchError('unresolvable', 'The host name has no address.');
  const allowLoopback = options.allowLoopback ?? false;
  // All of them: a name with one public and one private address is not asked to choose.
  if (!addresses.every((address) => isPublicAddress(address, { allowLoopback }))) {
    throw new SafeFetchError('not_allowed', 'The address is not a public one.');
  }
  return addresses;
}

async function resolveBySystem(hostname: string): Promise<readonly string[]> {
  try {
    return (await systemLookup(hostname, { all: true, order: 'verbatim' })).map(({ address }) => address);
  } catch (error) {
    throw new SafeFetchError('unresolvable', 'The host name cannot be resolved.', error);
  }
}

/** A look-up that knows only the checked addresses, whatever it is asked. */
function pinned(addresses: readonly string[]): LookupFunction {
  const entries = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_hostname, options, callback) => {
    const first = entries[0];
    if (options.all === true) callback(null, entries);
    else if (first !== undefined) callback(null, first.address, first.family);
  };
}

async function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  work.catch(() => {});
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

interface Hop {
  readonly target: URL;
  readonly response: Dispatcher.ResponseData;
  readonly headers: Record<string, string>;
  readonly agent: Agent;
}

async function capped(
  { target, response, headers, agent }: Hop,
  { method, maxBytes }: SafeFetchOptions,
  signal: AbortSignal,
  stop: () => void,
): Promise<SafeResponse> {
  const discard = async () => {
    stop();
    response.body.on('error', () => {});
    await agent.destroy();
  };
  if (method !== 'HEAD' && Number(headers['content-length'] ?? 0) > maxBytes) {
    await discard();
    throw tooLarge(maxBytes);
  }
  async function* read(): AsyncGenerator<Uint8Array> {
    let size = 0;
    try {
      for await (const chunk of response.body as AsyncIterable<Buffer>) {
        size += chunk.length;
        if (size > maxBytes) throw tooLarge(maxBytes);
        yield chunk;
      }
    } catch (error) {
      throw asFault(error, signal);
    } finally {
      await discard();
    }
  }
  const body = read();
  return {
    status: response.statusCode,
    headers,
    url: target.href,
    body,
    bytes: async () => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of body) chunks.push(chunk);
      return Buffer.concat(chunks);
    },
    discard,
  };
}

function tooLarge(maxBytes: number): SafeFetchError {
  return new SafeFetchError('too_large', `The answer is larger than ${maxBytes} bytes.`);
}

function flatten(headers: Dispatcher.ResponseData['headers']): Record<string, string> {
  const entries = Object.entries(headers).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), [value].flat().join(', ')]));
}

function asFault(error: unknown, signal: AbortSignal): SafeFetchError {
  if (error instanceof SafeFetchError) return error;
  if (signal.aborted) {
    return signal.reason instanceof SafeFetchError
      ? signal.reason
      : new SafeFetchError('aborted', 'The fetch was given up.', signal.reason);
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (/TIMEOUT|ETIMEDOUT/.test(code))
    return new SafeFetchError('too_slow', 'The other side took too long.', error);
  return new SafeFetchError('unreachable', 'The other side cannot be reached, or broke off.', error);
}
