import type { IncomingMessage } from 'node:http';
import type { RestRequest } from '@postern/http/mcp';

/** Where the hub is and who asks. */
export interface HubAddress {
  readonly baseUrl: URL;
  /** Null sends none, and the hub says UNAUTHORIZED. */
  readonly bearer: string | null;
  /** Null sends none, and the hub says AGENT_ID_REQUIRED where it needs one. */
  readonly agentId: string | null;
}

export type HubAnswer =
  | { readonly kind: 'body'; readonly status: number; readonly body: Record<string, unknown> }
  /** Nobody there, or nobody who speaks the inbox's API; `reason` is a sentence. */
  | { readonly kind: 'unreachable'; readonly reason: string };

/** Far above the largest page: 100 messages of the longest text. */
const LARGEST_ANSWER = 64 * 1_048_576;

/** One HTTP call, no retry. Never throws. */
export async function callHub(
  hub: HubAddress,
  call: RestRequest,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<HubAnswer> {
  const place = hub.baseUrl.origin;
  try {
    const { status, text } = await exchange(hub, call, headers, signal);
    const body = parseObject(text);
    if (body === null || (status >= 400 && !isErrorEnvelope(body))) {
      return {
        kind: 'unreachable',
        reason: `What answers at ${place} (status ${status}) is not a Postern hub.`,
      };
    }
    return { kind: 'body', status, body };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
    return {
      kind: 'unreachable',
      reason: `The hub at ${place} does not answer${signal.aborted ? ' in time' : code}.`,
    };
  }
}

function exchange(
  hub: HubAddress,
  call: RestRequest,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<{ status: number; text: string }> {
  // Loaded with the first call: to import it costs the start 15 ms, since that brings Node's fetch along.
  const { request } = process.getBuiltinModule(
    hub.baseUrl.protocol === 'https:' ? 'node:https' : 'node:http',
  );
  const address = new URL(hub.baseUrl.href.replace(/\/+$/, '') + call.path);
  return new Promise((resolve, reject) => {
    const outgoing = request(
      address,
      {
        method: call.method,
        signal,
        headers: {
          accept: 'application/json',
          ...(hub.bearer === null ? {} : { authorization: `Bearer ${hub.bearer}` }),
          ...(hub.agentId === null ? {} : { 'x-agent-id': hub.agentId }),
          ...(call.body === null
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(call.body) }),
          ...headers,
        },
      },
      (response) => {
        readText(response).then((text) => resolve({ status: response.statusCode ?? 0, text }), reject);
      },
    );
    outgoing.on('error', reject);
    outgoing.end(call.body ?? undefined);
  });
}

async function readText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    size += chunk.length;
    if (size > LARGEST_ANSWER) throw new Error('the answer is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

function isErrorEnvelope(body: Record<string, unknown>): boolean {
  const { error } = body;
  return typeof error === 'object' && error !== null && 'code' in error && 'message' in error;
}
