import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
  type Tool,
} from '@modelcontextprotocol/server';
import { commonFailure, type ErrorDialect, Failure } from '@postern/kit';
import { withDeadline } from '../deadline.ts';
import { tooLate } from '../invoke.ts';
import type { Log } from '../log.ts';
import { unpackArguments } from './arguments.ts';
import { toolFailure } from './results.ts';

/** The tools of a service as an MCP server, whatever carries it. */

export interface McpServerOptions {
  readonly info: { readonly name: string; readonly version: string; readonly title?: string };
  /** Shown to the model even where schemas are not: how the tools relate, what ids look like, what comes first. */
  readonly instructions: string;
  /** Every tool there is. */
  readonly tools: readonly Tool[];
  /** Those that are listed, where it is not all of them. */
  readonly listed?: readonly Tool[];
  readonly dialect: ErrorDialect;
  readonly log: Log;
  /** Milliseconds one call may take. */
  readonly deadlineMs?: number;
  /**
   * Runs a tool that is in the list; the arguments are an object, not checked yet.
   *
   * @param progress tells the client that the call goes on; does nothing where the client did not ask for that.
   */
  call(
    name: string,
    args: Record<string, unknown>,
    signal: AbortSignal,
    progress: () => void,
  ): Promise<CallToolResult>;
}

/** Below the minute after which clients give up by themselves, so that they get an answer. */
export const DEFAULT_CALL_DEADLINE_MS = 55_000;
/** Clients cut instructions there. */
const MAX_INSTRUCTIONS = 4_096;
const LIST_TTL_MS = 300_000;

/**
 * Makes a server for one connection, or one HTTP request. An unknown tool is a JSON-RPC error (-32602);
 * every other error is a tool result in the dialect.
 *
 * @throws Error when the instructions are longer than clients read.
 */
export function mcpServer(options: McpServerOptions): Server {
  const { tools, dialect, log, deadlineMs = DEFAULT_CALL_DEADLINE_MS } = options;
  if (options.instructions.length > MAX_INSTRUCTIONS) {
    throw new Error(`MCP instructions are at most ${MAX_INSTRUCTIONS} characters`);
  }
  const names = new Set(tools.map(({ name }) => name));
  const server = new Server(options.info, {
    // No listChanged: clients would hold a stream open each for a list that never changes.
    capabilities: { tools: {} },
    instructions: options.instructions,
    cacheHints: { 'tools/list': { ttlMs: LIST_TTL_MS, cacheScope: 'private' } },
  });
  server.setRequestHandler('tools/list', () => ({ tools: [...(options.listed ?? tools)] }));
  server.setRequestHandler('tools/call', async ({ params }, context): Promise<CallToolResult> => {
    if (!names.has(params.name)) {
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `Unknown tool: ${params.name.slice(0, 64).toWellFormed()}`,
      );
    }
    const args = unpackArguments(params.arguments, dialect);
    if (!args.ok) return toolFailure(dialect, args.failure);
    return withDeadline(
      deadlineMs,
      context.mcpReq.signal,
      async (signal) => {
        try {
          return await options.call(params.name, args.value, signal, progressOf(context));
        } catch (error) {
          if (error instanceof Failure) return toolFailure(dialect, error);
          // The SDK would answer with the exception's own message.
          log.error({ tool: params.name, err: error }, 'tool failed unexpectedly');
          return toolFailure(
            dialect,
            commonFailure(dialect, 'internal', 'An unexpected error occurred.', { cause: error }),
          );
        }
      },
      () => toolFailure(dialect, tooLate(dialect)),
    );
  });
  return server;
}

function progressOf({ mcpReq }: ServerContext): () => void {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return () => {};
  let progress = 0;
  return () => {
    progress += 1;
    const params = { progressToken, progress };
    // A client that is gone is told nothing, and ends the call by its signal.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
  };
}
