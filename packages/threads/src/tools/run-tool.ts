import { PlatformError } from '../platforms/platform.ts';
import type { PermissionAnswer } from '../questions/ask.ts';
import { toolsFor } from './registry.ts';
import { refuse, type ToolAnswer, type ToolContext } from './tool.ts';

const UNEXPECTED = 'An unexpected error occurred; the log of the bot has it.';
const CANCELLED = 'The call was cancelled.';

/**
 * Runs a tool: checks that the session has it, checks its input, and makes an answer of whatever happens. Never
 * throws. What is unclear about a permission is a no.
 */
export async function runTool(
  name: string,
  input: Readonly<Record<string, unknown>>,
  context: ToolContext,
): Promise<ToolAnswer | PermissionAnswer> {
  const answer = await attempt(name, input, context);
  if (name !== PERMISSION_PROMPT || 'behavior' in answer) return answer;
  return { behavior: 'deny', message: 'reason' in answer ? String(answer.reason) : UNEXPECTED };
}

/** The tool that answers by the contract of the agent's program. */
export const PERMISSION_PROMPT = 'permission_prompt';

async function attempt(
  name: string,
  input: Readonly<Record<string, unknown>>,
  context: ToolContext,
): Promise<ToolAnswer | PermissionAnswer> {
  const { session, log, signal } = context;
  try {
    const tool = toolsFor(context.features).find((each) => each.name === name);
    if (tool === undefined) return refuse('This session has no such tool.');
    const parsed = tool.input.safeParse(input);
    if (!parsed.success) {
      return refuse(
        parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; '),
      );
    }
    signal.throwIfAborted();
    return await tool.run(parsed.data, context);
  } catch (error) {
    if (signal.aborted) return refuse(CANCELLED);
    if (error instanceof PlatformError) {
      log.warn({ err: error, sessionId: session.id, tool: name }, 'a tool failed');
      return refuse(error.message);
    }
    log.error({ err: error, sessionId: session.id, tool: name }, 'a tool failed unexpectedly');
    return refuse(UNEXPECTED);
  }
}
