import { readFileSync } from 'node:fs';
import process from 'node:process';
import { type CallToolResult, Server, type Tool } from '@modelcontextprotocol/server';

/** What the SDK costs with next to nothing on it: one tool whose answer is a constant. */

/** Names a file that holds the answer as JSON, so that it is as long as the one it stands beside. */
export const ANSWER_VARIABLE = 'BENCH_ANSWER';

const TOOL: Tool = {
  name: 'list_unread_messages',
  description: 'Returns a constant.',
  inputSchema: { type: 'object', properties: { limit: { type: 'integer' } }, additionalProperties: false },
};

/** Gives what makes a server for each connection or request. */
export function bareServers(): () => Server {
  const text = readFileSync(process.env[ANSWER_VARIABLE] ?? '', 'utf8');
  const answer: CallToolResult = { content: [{ type: 'text', text }], structuredContent: JSON.parse(text) };
  return () => {
    const server = new Server({ name: 'bare', version: '0.0.0' }, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/list', () => ({ tools: [TOOL] }));
    server.setRequestHandler('tools/call', () => answer);
    return server;
  };
}
