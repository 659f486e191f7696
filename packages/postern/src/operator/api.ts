import { Refusal } from '../secrets/data-folder.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/**
 * The server's HTTP API in the operator's hands, with the admin key. Commands work through it whether a
 * server runs (then over its listener) or not (then inside the command's own process).
 */
export interface OperatorApi {
  /** Whether a running server answers. */
  readonly running: boolean;
  /**
   * The JSON body of a success, or null when there is none.
   *
   * @throws Refusal with the server's message when it answers an error.
   */
  call(method: Method, path: string, body?: unknown): Promise<unknown>;
  close(): Promise<void>;
}

/** The path of a resource, each part encoded: people's ids hold slashes, plus signs and more. */
export function pathOfParts(...parts: readonly string[]): string {
  return `/${parts.map(encodeURIComponent).join('/')}`;
}

/** Takes an answer apart; both error dialects are understood. */
export function readAnswer(status: number, text: string): unknown {
  const body = parse(text);
  if (status >= 200 && status < 300) return body;
  throw new Refusal(messageOf(body) ?? `the server answered with status ${status}`);
}

function parse(text: string): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function messageOf(body: unknown): string | null {
  if (typeof body !== 'object' || body === null) return null;
  const { error, detail } = body as { error?: { code?: unknown; message?: unknown }; detail?: unknown };
  if (typeof error?.message === 'string') return error.message;
  return typeof detail === 'string' ? detail : null;
}
