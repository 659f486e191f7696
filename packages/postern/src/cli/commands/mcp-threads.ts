import { runThreadsStdio } from '@postern/threads/stdio';
import type { Invocation } from '../command.ts';

/** `postern mcp threads` from the sources; with the bundle there, bin/postern.js does not come here. */
export async function mcpThreads({ environment }: Invocation): Promise<number> {
  return runThreadsStdio(environment);
}
