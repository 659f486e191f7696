import type { FastifyInstance } from 'fastify';
import type { Scope } from '../context.ts';
import { insertKey } from '../keys/rows.ts';
import type { CampaignsPorts } from '../ports.ts';

/** The two eras of the MCP protocol. */
export const eras = ['legacy', 'modern'] as const;
export type Era = (typeof eras)[number];

export interface RestAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed body; null when there is none. */
  readonly body: Json;
}

export interface ToolAnswer {
  readonly isError: boolean;
  readonly structured: Json;
  /** The first text block. */
  readonly text: string;
}

export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Json;
  readonly outputSchema: Json;
  readonly annotations: Json;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers field by field.
type Json = any;

/** Somebody with a key, or with none. */
export interface KeyHolder {
  readonly secret: string;
  readonly keyId: string;
  /** Calls `METHOD path` under /api/v1: `rest('GET /lists', …)`; a body is sent as JSON. */
  rest(line: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<RestAnswer>;
  /** @throws Error when the answer is a JSON-RPC error or no JSON-RPC at all. */
  tool(name: string, args?: unknown, era?: Era): Promise<ToolAnswer>;
  tools(era?: Era): Promise<ListedTool[]>;
  /** One JSON-RPC message as it is; gives the HTTP answer. */
  rpc(method: string, params: Readonly<Record<string, unknown>>, era?: Era): Promise<RestAnswer>;
}

export interface HttpBench {
  readonly url: string;
  readonly app: FastifyInstance;
  /** The bootstrap key's. */
  readonly admin: KeyHolder;
  holder(secret: string, keyId?: string): KeyHolder;
  /** A new API key of a project with these scopes. */
  makeKey(
    projectId: string,
    scopes: readonly Scope[],
    more?: { expiresUs?: number; ratePerMinute?: number },
  ): Promise<KeyHolder>;
}

export function httpBench(
  ports: CampaignsPorts,
  app: FastifyInstance,
  url: string,
  adminKey: string,
): HttpBench {
  const holder = (secret: string, keyId = 'bootstrap') => keyHolder(url, secret, keyId);
  return {
    url,
    app,
    admin: holder(adminKey),
    holder,
    async makeKey(projectId, scopes, more = {}) {
      const { row, secret } = await ports.store.transaction((tx) =>
        insertKey(tx, ports, {
          kind: 'api',
          projectId,
          name: 'test key',
          scopes,
          expiresUs: more.expiresUs ?? null,
          ratePerMinute: more.ratePerMinute ?? null,
        }),
      );
      return holder(secret, row.key_id);
    },
  };
}

function keyHolder(url: string, secret: string, keyId: string): KeyHolder {
  const authorization = `Bearer ${secret}`;

  async function rpc(
    method: string,
    params: Readonly<Record<string, unknown>>,
    era: Era = 'modern',
  ): Promise<RestAnswer> {
    const response = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: {
        authorization,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(era === 'legacy'
          ? { 'mcp-protocol-version': '2025-11-25' }
          : {
              'mcp-protocol-version': '2026-07-28',
              'mcp-method': method,
              ...(typeof params.name === 'string' ? { 'mcp-name': params.name } : {}),
            }),
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method,
        params: era === 'legacy' ? params : { ...params, _meta: MODERN_META },
      }),
    });
    return answerOf(response);
  }

  async function result(method: string, params: Readonly<Record<string, unknown>>, era?: Era): Promise<Json> {
    const { status, body } = await rpc(method, params, era);
    if (body?.result === undefined) throw new Error(`${method} gave ${status} ${JSON.stringify(body)}`);
    return body.result;
  }

  return {
    secret,
    keyId,
    rpc,
    async rest(line, body, headers = {}) {
      const [method = 'GET', path = '/'] = line.split(' ');
      const response = await fetch(`${url}/api/v1${path}`, {
        method,
        headers: {
          authorization,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return answerOf(response);
    },
    async tool(name, args, era) {
      const answer = await result(
        'tools/call',
        { name, ...(args === undefined ? {} : { arguments: args }) },
        era,
      );
      return {
        isError: answer.isError === true,
        structured: answer.structuredContent,
        text: answer.content[0].text,
      };
    },
    tools: async (era) => (await result('tools/list', {}, era)).tools,
  };
}

const MODERN_META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
};

/** JSON, or the one event of a legacy answer. */
async function answerOf(response: Response): Promise<RestAnswer> {
  const text = await response.text();
  const { status, headers } = response;
  const isEvents = headers.get('content-type')?.startsWith('text/event-stream') === true;
  const json = isEvents ? (/^data: (.*)$/m.exec(text)?.[1] ?? '') : text;
  return { status, headers, body: json === '' ? null : parse(json) };
}

function parse(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
