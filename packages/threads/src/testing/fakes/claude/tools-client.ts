import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

/** The scripted CLI's side of the tools' server: as much of MCP over stdio as the real one uses. */
export interface ToolsClient {
  readonly status: 'connected' | 'failed';
  readonly tools: readonly string[];
  /** The first text block of the answer. Rejects with `aborted` when the signal aborts; the server is told. */
  call(tool: string, input: object, toolUseId: string, signal: AbortSignal): Promise<ToolAnswer>;
  close(): void;
}

export interface ToolAnswer {
  readonly text: string;
  readonly isError: boolean;
}

const NAME = 'claude-threads-mcp';
const PROTOCOL_VERSION = '2025-11-25';

interface Reply {
  readonly id?: number;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly message: string };
}

/** @param configFile As of `--mcp-config`; without it there is no server. */
export async function toolsClient(configFile: string | null): Promise<ToolsClient> {
  const config = configFile === null ? {} : JSON.parse(readFileSync(configFile, 'utf8'));
  const server = config.mcpServers?.[NAME];
  if (server === undefined) return nobody;
  const child = spawn(server.command, server.args, {
    env: { ...process.env, CLAUDECODE: '1', ...server.env },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const connection = connect(child);
  try {
    await connection.request('initialize', {
      protocolVersion: PROTOCOL_VERSION,
      capabilities: {},
      clientInfo: { name: 'claude-code', version: '2.1.332' },
    });
    connection.notify('notifications/initialized', {});
    const { tools } = await connection.request('tools/list', {});
    return {
      status: 'connected',
      tools: (tools as { name: string }[]).map(({ name }) => name),
      async call(tool, input, toolUseId, signal) {
        const result = await connection.request(
          'tools/call',
          { name: tool, arguments: input, _meta: { 'claudecode/toolUseId': toolUseId } },
          signal,
        );
        const [block] = result.content as { text?: string }[];
        return { text: block?.text ?? '', isError: result.isError === true };
      },
      close: () => void child.kill('SIGINT'),
    };
  } catch {
    child.kill();
    return nobody;
  }
}

const nobody: ToolsClient = {
  status: 'failed',
  tools: [],
  call: () => Promise.reject(new Error('there is no server')),
  close: () => undefined,
};

function connect(child: ChildProcess) {
  const pending = new Map<number, { resolve(reply: Reply): void; reject(error: Error): void }>();
  let count = 0;
  const send = (message: object) => child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const fail = () => {
    for (const { reject } of pending.values()) reject(new Error('the server ended'));
    pending.clear();
  };
  child.on('error', fail).on('exit', fail);
  child.stdin?.on('error', fail);
  if (child.stdout) {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const reply = JSON.parse(line) as Reply;
      const waiting = reply.id === undefined ? undefined : pending.get(reply.id);
      if (reply.id !== undefined) pending.delete(reply.id);
      waiting?.resolve(reply);
    });
  }
  return {
    notify: (method: string, params: object) => void send({ method, params }),
    async request(method: string, params: object, signal?: AbortSignal): Promise<Record<string, unknown>> {
      count += 1;
      const id = count;
      const { promise, resolve, reject } = Promise.withResolvers<Reply>();
      pending.set(id, { resolve, reject });
      const abort = () => {
        send({ method: 'notifications/cancelled', params: { requestId: id, reason: 'AbortError' } });
        pending.delete(id);
        reject(new Error('aborted'));
      };
      signal?.addEventListener('abort', abort, { once: true });
      send({ id, method, params });
      try {
        const { result, error } = await promise;
        if (error) throw new Error(error.message);
        return result ?? {};
      } finally {
        signal?.removeEventListener('abort', abort);
      }
    },
  };
}
