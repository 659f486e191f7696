/** The two families of protocol revisions: with `initialize` (to 2025-11-25), and without (2026-07-28). */
export const ERAS = ['legacy', 'modern'] as const;
export type Era = (typeof ERAS)[number];

const MODERN_VERSION = '2026-07-28';

const META = {
  'io.modelcontextprotocol/protocolVersion': MODERN_VERSION,
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '0' },
};

/** A JSON-RPC request as clients of the era send it. */
export function message(era: Era, id: number, method: string, params: Record<string, unknown>): object {
  return {
    jsonrpc: '2.0',
    id,
    method,
    params: era === 'modern' ? { ...params, _meta: META } : params,
  };
}

/** The HTTP header fields of a tool call. */
export function callHeaders(era: Era, tool: string): Record<string, string> {
  return {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': era === 'modern' ? MODERN_VERSION : '2025-11-25',
    ...(era === 'modern' ? { 'mcp-method': 'tools/call', 'mcp-name': tool } : {}),
  };
}
