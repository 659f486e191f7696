import { posternCommand, type TestHub } from '../support/hub.ts';

/** The inbox's MCP server as users configure it, over both transports. */

interface Who {
  readonly agentId: string;
  /** Instead of the hub's own. */
  readonly bearer?: string;
}

export type Transport = 'stdio' | 'http';

export const transports: readonly Transport[] = ['stdio', 'http'];

export interface StdioServer {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface HttpServer {
  readonly type: 'http';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export function stdioServer(hub: TestHub, { agentId, bearer }: Who): StdioServer {
  return {
    command: process.execPath,
    args: [posternCommand, 'mcp', 'inbox'],
    env: {
      AMC_BASE_URL: hub.url,
      AMC_AGENT_ID: agentId,
      ...(bearer === undefined ? { AMC_BEARER_TOKEN_FILE: hub.bearerFile } : { AMC_BEARER_TOKEN: bearer }),
    },
  };
}

export function httpServer(hub: TestHub, { agentId, bearer = hub.bearer }: Who): HttpServer {
  return {
    type: 'http',
    url: `${hub.url}/mcp/inbox`,
    headers: { Authorization: `Bearer ${bearer}`, 'X-Agent-ID': agentId },
  };
}

export function inboxServer(transport: Transport, hub: TestHub, who: Who): StdioServer | HttpServer {
  return transport === 'stdio' ? stdioServer(hub, who) : httpServer(hub, who);
}
