import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

/**
 * A tools' server for tests of the driver alone: DECISION is what it decides (`allow`, `deny`, or `wait` for one
 * that never comes), and what it is called with and which of its variables are set goes to LOG_FILE.
 */

interface Request {
  readonly id?: number;
  readonly method: string;
  readonly params: { readonly name?: string; readonly arguments?: { readonly input?: object } };
}

const { LOG_FILE, DECISION = 'allow' } = process.env;
const log = (entry: object) => LOG_FILE && appendFileSync(LOG_FILE, `${JSON.stringify(entry)}\n`);
const answer = (id: number | undefined, result: object) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);

log({ env: Object.keys(process.env).filter((name) => process.env[name] !== '') });
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line) as Request;
  log({ method, params });
  if (method === 'initialize') {
    const serverInfo = { name: 'claude-threads-mcp', version: '1.0.0' };
    answer(id, { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo });
  } else if (method === 'tools/list') {
    const inputSchema = { type: 'object' };
    answer(id, { tools: ['permission_prompt', 'list_thread'].map((name) => ({ name, inputSchema })) });
  } else if (method === 'tools/call' && params.name !== 'permission_prompt') {
    answer(id, { content: [{ type: 'text', text: '{"ok":true}' }] });
  } else if (method === 'tools/call' && DECISION !== 'wait') {
    const decision =
      DECISION === 'allow'
        ? { behavior: 'allow', updatedInput: params.arguments?.input }
        : { behavior: 'deny', message: 'Olga said no.' };
    answer(id, { content: [{ type: 'text', text: JSON.stringify(decision) }] });
  } else if (id !== undefined && method !== 'tools/call') {
    answer(id, {});
  }
});
