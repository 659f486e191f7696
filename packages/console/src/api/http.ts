/** The one place that talks HTTP. Both error dialects of the server end in one error type here. */

/** One thing that is wrong with a request; the message goes on from the field's name: “must be one line”. */
export interface FieldViolation {
  readonly field: string;
  readonly code: string;
  readonly message: string;
}

/** Why a request failed, in a form a page can show. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** HTTP status; 0 when no answer came (server down, network lost, timed out). */
  readonly status: number;
  /** Machine-readable code of the server's dialect, when it sent one. */
  readonly code: string | null;
  /** What is wrong field by field, where the dialect tells. */
  readonly violations: readonly FieldViolation[];

  constructor(
    status: number,
    code: string | null,
    message: string,
    violations: readonly FieldViolation[] = [],
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.violations = violations;
  }
}

export interface RequestOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Undefined values are left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly signal?: AbortSignal | undefined;
}

/** Uploads travel inside the JSON body, so a request may take a while on a slow line. */
const TIMEOUT_MILLISECONDS = 90_000;

const sessionEndListeners = new Set<() => void>();

/** Calls back whenever a request finds that the console's session is over. */
export function onSessionEnd(listener: () => void): () => void {
  sessionEndListeners.add(listener);
  return () => sessionEndListeners.delete(listener);
}

export function announceSessionEnd(): void {
  for (const listener of sessionEndListeners) listener();
}

/**
 * Sends one request and gives the JSON body of the answer (undefined for 204). The type is the caller's
 * word for what the contract promises of this route: page and server are built from one commit.
 *
 * @throws {ApiError} on anything but a 2xx answer.
 */
export async function request<T>(method: string, path: string, options: RequestOptions = {}): Promise<T> {
  const response = await send(method, path, options);
  if (response.status === 204) return undefined as T;
  const body = await readJson(response);
  if (body === undefined) throw new ApiError(0, null, 'The answer broke off. Is the line all right?');
  return body as T;
}

/** The same for an answer that is no JSON: its bytes as they are. */
export async function requestBytes(path: string, options: RequestOptions = {}): Promise<Uint8Array> {
  const response = await send('GET', path, { ...options, headers: { accept: '*/*', ...options.headers } });
  try {
    return new Uint8Array(await response.arrayBuffer());
  } catch {
    throw new ApiError(0, null, 'The answer broke off. Is the line all right?');
  }
}

async function send(method: string, path: string, options: RequestOptions): Promise<Response> {
  const timeout = AbortSignal.timeout(TIMEOUT_MILLISECONDS);
  const signal = options.signal === undefined ? timeout : AbortSignal.any([options.signal, timeout]);
  const init: RequestInit = {
    method,
    signal,
    credentials: 'same-origin',
    headers: { accept: 'application/json', ...options.headers },
  };
  if (options.body !== undefined) {
    init.body = JSON.stringify(options.body);
    init.headers = { accept: 'application/json', 'content-type': 'application/json', ...options.headers };
  }

  let response: Response;
  try {
    response = await fetch(withQuery(path, options.query), init);
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new ApiError(0, null, unreachableText(timeout.aborted));
  }
  if (response.ok) return response;
  if (response.status === 401) announceSessionEnd();
  throw errorFrom(response.status, await readJson(response));
}

function unreachableText(timedOut: boolean): string {
  return timedOut
    ? 'Postern took too long to answer.'
    : 'Postern can’t be reached. Is it running, and are you online?';
}

function withQuery(path: string, query: RequestOptions['query']): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  return parameters.size === 0 ? path : `${path}?${parameters}`;
}

/** Undefined for what is no JSON, or breaks off. */
async function readJson(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    return undefined;
  }
}

/** Reads problem+json (`{title, detail, code, errors?}`) and the inbox's `{error: {code, message}}`. */
export function errorFrom(status: number, body: unknown): ApiError {
  const outer = asRecord(body);
  const inner = asRecord(outer.error);
  const message =
    text(inner.message) ?? text(outer.detail) ?? text(outer.title) ?? `The server answered ${status}.`;
  return new ApiError(status, text(inner.code) ?? text(outer.code), message, violationsIn(outer.errors));
}

function violationsIn(errors: unknown): FieldViolation[] {
  if (!Array.isArray(errors)) return [];
  return errors.map(asRecord).map(({ field, code, message }) => ({
    field: text(field) ?? '',
    code: text(code) ?? '',
    message: text(message) ?? '',
  }));
}

export function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** What to show for an error of any kind. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Links of the server carry its public address, which may differ from the one the console was opened at;
 * the page's policy only loads from its own origin, where the same path works too.
 */
export function sameOriginPath(url: string): string {
  try {
    const parsed = new URL(url, window.location.origin);
    return parsed.pathname + parsed.search;
  } catch {
    return url;
  }
}
