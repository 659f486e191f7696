import type { Readable, Writable } from 'node:stream';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { type McpServerOptions, mcpServer } from './server.ts';
import { StdioTransport } from './stdio-transport.ts';

/** A service's tools over standard input and output. */

export interface McpStdioOptions extends McpServerOptions {
  readonly input?: Readable;
  readonly output?: Writable;
  /** Milliseconds that calls in flight get when the input ends. */
  readonly graceMs?: number;
}

const DEFAULT_GRACE_MS = 5_000;

/**
 * Serves until the input ends or the output breaks, then resolves; the caller exits the process, since an
 * open socket or timer of its own would keep it alive without anybody to talk to. Both protocol eras are
 * spoken. Nothing but JSON-RPC is written to the output; errors of the transport go to the log.
 */
export async function runMcpStdio(options: McpStdioOptions): Promise<void> {
  const { input = process.stdin, output = process.stdout, log } = options;
  const transport = new StdioTransport(input, output);
  const handle = serveStdio(() => mcpServer(options), {
    transport,
    onerror: (error) => log.warn({ err: error }, 'MCP transport error'),
  });
  const ended = new Promise<void>((resolve) => {
    if (input.readableEnded || input.destroyed) resolve();
    input.once('end', resolve).once('close', resolve);
  });
  await Promise.race([ended, transport.closed]);
  let timer: NodeJS.Timeout | undefined;
  const grace = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, options.graceMs ?? DEFAULT_GRACE_MS);
  });
  await Promise.race([transport.answered(), grace]);
  clearTimeout(timer);
  await handle.close();
  if (output.writableLength > 0 && !output.destroyed) {
    await new Promise<void>((resolve) =>
      output
        .once('drain', resolve)
        .once('close', resolve)
        .once('error', () => resolve()),
    );
  }
}
