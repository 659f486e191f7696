const PROTOCOL = '2026-07-28';

/** A tool's call as one HTTP request of the protocol's newest era. */
export function toolCall(
  name: string,
  args: Readonly<Record<string, unknown>>,
): { readonly headers: Readonly<Record<string, string>>; readonly body: string } {
  const method = 'tools/call';
  return {
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': PROTOCOL,
      'mcp-method': method,
      'mcp-name': name,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method,
      params: {
        name,
        arguments: args,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': PROTOCOL,
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    }),
  };
}
