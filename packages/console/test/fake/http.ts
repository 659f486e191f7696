import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FieldViolation } from '../../src/api/http.ts';

/** What the fake's routes are written with. */

export interface FakeRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: Readonly<Record<string, unknown>>;
}

export interface FakeAnswer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as they are, instead of a JSON body. */
  readonly bytes?: Uint8Array;
}

/** A route answers, or takes over the response (an event stream) and gives null. */
export type FakeHandler = (
  request: FakeRequest,
  parameters: readonly string[],
  response: ServerResponse,
) => FakeAnswer | null;

export interface FakeRoute {
  readonly method: string;
  readonly pattern: RegExp;
  /** Query fields the route knows; another is refused, as the real routes do. */
  readonly query: readonly string[];
  readonly body: readonly string[];
  readonly handle: FakeHandler;
}

/** @param path with `:name` for a parameter. */
export function route(
  method: string,
  path: string,
  fields: { readonly query?: readonly string[]; readonly body?: readonly string[] },
  handle: FakeHandler,
): FakeRoute {
  const pattern = new RegExp(`^${path.replaceAll(/:\w+/g, '([^/]+)')}$`);
  return { method, pattern, query: fields.query ?? [], body: fields.body ?? [], handle };
}

export const ok = (body: unknown, status = 200): FakeAnswer => ({ status, body });
export const noContent: FakeAnswer = { status: 204 };

/** A refusal that a route throws; the server puts it into the dialect of the path. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly violations: readonly FieldViolation[];

  constructor(status: number, code: string, message: string, violations: readonly FieldViolation[] = []) {
    super(message);
    this.status = status;
    this.code = code;
    this.violations = violations;
  }
}

const INBOX_PATHS = /^\/(messages|attachments|typing|allowlist|agents|pairings|channels|webhooks)(\/|$)/;

export function refusalBody(path: string, { status, code, message, violations }: Refusal): FakeAnswer {
  if (INBOX_PATHS.test(path)) {
    return { status, body: { error: { code: code.toUpperCase(), message, status } } };
  }
  return {
    status,
    body: {
      type: `/errors/${code}`,
      title: code.replaceAll('_', ' '),
      status,
      code,
      detail: message,
      ...(violations.length > 0 && { errors: violations }),
    },
    headers: { 'content-type': 'application/problem+json' },
  };
}

export function textField(body: Readonly<Record<string, unknown>>, name: string): string {
  const value = body[name];
  if (typeof value !== 'string') throw new Refusal(422, 'validation_failed', `${name} must be a text`);
  return value;
}

export async function readBody(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  return text === '' ? {} : JSON.parse(text);
}

/** Ids that grow, of the form the real ones have. */
export function idMaker() {
  let last = 0;
  const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
  return (prefix: string): string => {
    last += 1;
    let digits = '';
    for (let rest = last; rest > 0; rest = Math.floor(rest / 32))
      digits = alphabet.charAt(rest % 32) + digits;
    return `${prefix}_${digits.padStart(26, '0')}`;
  };
}
