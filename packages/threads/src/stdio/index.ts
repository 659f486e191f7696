import { keepHeapSmall, runMcpStdio, stderrLog, toolSuccess } from '@postern/http/mcp';
import { toolsFor } from '../tools/registry.ts';
import { notRun, type ToolBackend } from './backend.ts';
import { bridgeBackend } from './bridge-backend.ts';
import { toolDialect } from './dialect.ts';
import { type ServerMode, serverMode } from './environment.ts';
import { threadsInstructions, threadsServerInfo } from './server-info.ts';
import { listedTools } from './tool-list.ts';

/** A person may take a day; whoever called may give up before. */
const CALL_LIMIT_MS = 24 * 60 * 60 * 1_000;

/**
 * Serves the tools of a session over stdin and stdout until stdin ends. Nothing is connected at the start: a bridge
 * is with the first call, and so is a platform of its own.
 *
 * @returns exit code, always 0: what is wrong with the environment is told to each call and, once, to stderr.
 */
export async function runThreadsStdio(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  keepHeapSmall();
  const mode = serverMode(environment);
  const tools = toolsFor(mode.kind === 'bridge' ? mode.features : new Set());
  const backend = backendOf(mode);
  await runMcpStdio({
    info: threadsServerInfo,
    instructions: threadsInstructions,
    tools: listedTools(tools),
    dialect: toolDialect,
    log: stderrLog,
    deadlineMs: CALL_LIMIT_MS,
    async call(name, args, signal, progress) {
      const answer = await backend.call(name, args, signal, progress);
      if (name === 'permission_prompt') {
        // One block of text and nothing beside it: with structured content the agent's program refuses the answer.
        return { content: [{ type: 'text', text: JSON.stringify(answer) }] };
      }
      // A refusal is an answer like any other: `ok` tells, and the agent reads it as it stands.
      return toolSuccess(answer);
    },
  });
  await backend.close();
  return 0;
}

function backendOf(mode: ServerMode): ToolBackend {
  if (mode.kind === 'bridge') return bridgeBackend(mode);
  if (mode.kind === 'unusable') {
    stderrLog.error({}, mode.reason);
    return { call: async (tool) => notRun(tool, mode.reason), close: async () => {} };
  }
  const { settings } = mode;
  let loading: Promise<ToolBackend> | null = null;
  return {
    async call(...call) {
      loading ??= import('./standalone/backend.ts').then((module) => module.standaloneBackend(settings));
      return (await loading).call(...call);
    },
    async close() {
      await (await loading)?.close();
    },
  };
}
