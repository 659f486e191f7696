import { nowMilliseconds } from '@postern/kit';
import * as z from 'zod';
import { PlatformError } from '../platforms/platform.ts';
import type { AskScope, PermissionAnswer } from '../questions/ask.ts';
import { askChoices } from '../questions/ask-choices.ts';
import { askPermission } from '../questions/ask-permission.ts';
import { askPlan } from '../questions/ask-plan.ts';
import { text } from './inputs.ts';
import { defineTool, type ToolContext } from './tool.ts';

/**
 * One of this server's own tools; they ask for themselves where they have to. The rest of the name holds no `__`:
 * a server that calls itself `claude-threads-mcp__x` is another one.
 */
const OWN_TOOL = /^mcp__claude-threads-mcp__(?!_)(?:(?!__).)+$/s;

/** How long an agent's program waits for a call; see MCP_TOOL_TIMEOUT in what it is started with. */
const CALL_LIMIT_MS = 3_600_000;
/** The answer has to be there before the program gives up by itself. */
const SPARE_MS = 10_000;

interface Request {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export const permissionPrompt = defineTool({
  name: 'permission_prompt',
  description:
    "Asks the people of the session's thread whether a tool may be used, and waits for a reaction. The agent's program calls it before it runs a tool that needs approval; a model never has to.",
  input: z.object({
    tool_name: text('Name of the tool that wants to run.'),
    input: z
      .record(z.string(), z.unknown(), { error: 'must be an object' })
      .nullish()
      .meta({ description: 'What the tool is to be given; shown to people.' }),
  }),
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  feature: null,
  async run({ tool_name, input }, context): Promise<PermissionAnswer> {
    const request: Request = { tool: tool_name, input: input ?? {} };
    if (OWN_TOOL.test(request.tool)) return { behavior: 'allow', updatedInput: request.input };
    if (request.tool === 'ExitPlanMode') return plan(context, request);
    if (request.tool === 'AskUserQuestion') return choices(context, request);
    return permission(context, request);
  },
});

function permission(context: ToolContext, request: Request): Promise<PermissionAnswer> {
  const scope = scopeOf(context, context.permissionTimeoutMs);
  return askPermission(scope, context.allowances, request, context.signal);
}

/** Where a plan cannot be shown as one, it is asked about like any other tool. */
async function plan(context: ToolContext, request: Request): Promise<PermissionAnswer> {
  try {
    return await askPlan(scopeOf(context, context.decisionTimeoutMs), request, context.signal);
  } catch (error) {
    note(context, error, 'a plan could not be shown');
    return permission(context, request);
  }
}

/** Where questions cannot be put, the agent goes on without answers and can ask in its own words. */
async function choices(context: ToolContext, request: Request): Promise<PermissionAnswer> {
  try {
    const scope = scopeOf(context, context.decisionTimeoutMs);
    const answer = await askChoices(scope, request, context.signal);
    if (answer !== null) return answer;
  } catch (error) {
    note(context, error, 'a question could not be put');
  }
  return { behavior: 'allow', updatedInput: request.input };
}

function note({ log, session, signal }: ToolContext, error: unknown, message: string): void {
  signal.throwIfAborted();
  const level = error instanceof PlatformError ? 'warn' : 'error';
  log[level]({ err: error, sessionId: session.id }, message);
}

function scopeOf({ platform, session, questions, approvals, clock }: ToolContext, waitMs: number): AskScope {
  return {
    questions,
    platformId: platform.id,
    sessionId: session.id,
    channelId: session.channelId,
    threadId: session.threadId,
    approvers: approvals,
    deadlineMs: nowMilliseconds(clock) + Math.min(waitMs, CALL_LIMIT_MS - SPARE_MS),
  };
}
