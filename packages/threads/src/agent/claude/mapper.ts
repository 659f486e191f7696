import type * as z from 'zod';
import type { AgentEvent } from '../agent.ts';
import { TOOLS_SERVER } from './command-line.ts';
import * as shapes from './shapes.ts';

type TurnFinished = Extract<AgentEvent, { type: 'turn_finished' }>;

const UNKNOWN_SESSION = /^No conversation found/;
/** Words for the CLI's developers, put among the errors of an interrupted turn. */
const DIAGNOSTIC = /^\[ede_diagnostic\]/;

/**
 * Turns lines of stream-json, parsed, into events. What it does not know gives none. It keeps what one line does
 * not tell: what the turn has said so far, and what the session had cost before.
 */
export class ClaudeEventMapper {
  readonly #isResumed: boolean;
  #sessionId: string;
  /** Null until it is known. */
  #costSoFar: number | null;
  #hasSpoken = false;
  /** Calls of subagents in the background. Their first result says only that they have begun. */
  readonly #background = new Set<string>();
  /** Whether the CLI said that it does not know the session it was to resume. */
  isUnknownSession = false;

  /** @param launch Which session the process was started for. */
  constructor(launch: { readonly agentSessionId: string; readonly resume: boolean }) {
    this.#sessionId = launch.agentSessionId;
    this.#isResumed = launch.resume;
    this.#costSoFar = launch.resume ? null : 0;
  }

  map(line: unknown): AgentEvent[] {
    const head = shapes.envelope.safeParse(line);
    if (!head.success) return [];
    const { type, subtype } = head.data;
    if (type === 'system') return this.#system(subtype, line);
    if (type === 'assistant') return this.#assistant(line);
    if (type === 'user') return userEvents(line).filter((event) => !this.#isOfBackground(event));
    if (type === 'result') return this.#result(subtype, line);
    if (type === 'rate_limit_event') return rateLimitEvents(line);
    return [];
  }

  #system(subtype: string | undefined, line: unknown): AgentEvent[] {
    if (subtype === 'init') {
      this.#hasSpoken = false;
      return mapped(shapes.init, line, (init) => [...this.#sessionEvents(init.session_id), readyEvent(init)]);
    }
    if (subtype === 'status') return mapped(shapes.status, line, statusEvents);
    if (subtype === 'api_retry') {
      return mapped(shapes.apiRetry, line, (retry) => [
        {
          type: 'retrying',
          attempt: retry.attempt,
          maxRetries: retry.max_retries,
          status: retry.error_status,
        },
      ]);
    }
    if (subtype === 'task_started') this.#begun(line);
    return subtype === 'task_notification' ? this.#backgroundEnded(line) : [];
  }

  #begun(line: unknown): void {
    const id = shapes.taskStarted.safeParse(line).data?.tool_use_id;
    if (id !== undefined) this.#background.add(id);
  }

  #isOfBackground(event: AgentEvent): boolean {
    return event.type === 'tool_result' && this.#background.has(event.toolUseId);
  }

  /** The result proper. A subagent may notify several times; the first one counts. */
  #backgroundEnded(line: unknown): AgentEvent[] {
    return mapped(shapes.taskNotification, line, ({ tool_use_id, status, summary }) => {
      if (!this.#background.delete(tool_use_id)) return [];
      return [
        {
          type: 'tool_result',
          toolUseId: tool_use_id,
          isError: status !== 'completed',
          text: summary,
          parentToolUseId: null,
        },
      ];
    });
  }

  /** `/clear` begins a new session; the event that announces it bears another id than the session then has. */
  #sessionEvents(sessionId: string): AgentEvent[] {
    if (sessionId === '' || sessionId === this.#sessionId) return [];
    this.#sessionId = sessionId;
    return [{ type: 'session_changed', agentSessionId: sessionId }];
  }

  #assistant(line: unknown): AgentEvent[] {
    return mapped(shapes.assistant, line, (assistant) => {
      if (assistant.is_api_error_message) return [];
      const parentToolUseId = assistant.parent_tool_use_id;
      const events = assistant.message.content.flatMap((block) => blockEvents(block, parentToolUseId));
      if (parentToolUseId === null && events.some(({ type }) => type === 'text')) this.#hasSpoken = true;
      return events;
    });
  }

  #result(subtype: string | undefined, line: unknown): AgentEvent[] {
    return mapped(shapes.result, line, (result) => {
      if (this.#isResumed && result.errors.some((error) => UNKNOWN_SESSION.test(error))) {
        this.isUnknownSession = true;
        return [];
      }
      const finished = finishedEvent(subtype, result, this.#costOf(result));
      // Some slash commands answer in the result alone.
      const isUnsaid = finished.outcome === 'success' && !this.#hasSpoken && result.result.trim() !== '';
      this.#hasSpoken = false;
      return isUnsaid ? [{ type: 'text', text: result.result, parentToolUseId: null }, finished] : [finished];
    });
  }

  /** Cost of the turn alone. Null after a resume by a version that tells the session's total only. */
  #costOf(result: z.infer<typeof shapes.result>): number | null {
    const total = result.total_cost_usd;
    const before = this.#costSoFar;
    this.#costSoFar = total ?? before;
    const perModel = result.model_usage_since_last_result;
    if (perModel !== null) return Object.values(perModel).reduce((sum, { costUSD }) => sum + costUSD, 0);
    return total === null || before === null ? null : Math.max(0, total - before);
  }
}

/** The events of a line that has the shape; none of one that has not. */
function mapped<Shape extends z.ZodType>(
  shape: Shape,
  line: unknown,
  events: (value: z.infer<Shape>) => AgentEvent[],
): AgentEvent[] {
  const parsed = shape.safeParse(line);
  return parsed.success ? events(parsed.data) : [];
}

function readyEvent(init: z.infer<typeof shapes.init>): AgentEvent {
  const server = init.mcp_servers.find(({ name }) => name === TOOLS_SERVER);
  const state = server?.status;
  return {
    type: 'ready',
    model: init.model,
    tools: init.tools,
    slashCommands: init.slash_commands,
    permissionMode: init.permissionMode,
    bridge: state === 'connected' || state === 'pending' ? state : 'failed',
  };
}

function statusEvents(status: z.infer<typeof shapes.status>): AgentEvent[] {
  const events: AgentEvent[] = [];
  if (status.status === 'compacting') events.push({ type: 'compacting', state: 'started' });
  if (status.compact_result !== undefined) {
    events.push({ type: 'compacting', state: status.compact_result === 'success' ? 'finished' : 'failed' });
  }
  if (status.permissionMode !== undefined) {
    events.push({ type: 'permission_mode', mode: status.permissionMode });
  }
  return events;
}

function blockEvents(block: unknown, parentToolUseId: string | null): AgentEvent[] {
  const type = shapes.envelope.safeParse(block).data?.type;
  if (type === 'text') {
    return mapped(shapes.textBlock, block, ({ text }) =>
      text === '' ? [] : [{ type: 'text', text, parentToolUseId }],
    );
  }
  if (type === 'tool_use' || type === 'server_tool_use' || type === 'mcp_tool_use') {
    return mapped(shapes.toolUseBlock, block, ({ id, name, input }) => [
      { type: 'tool_use', id, name, input, parentToolUseId },
    ]);
  }
  return [];
}

/** An own message that comes back, and results of tools. Other words of the user's are the CLI's own notes. */
function userEvents(line: unknown): AgentEvent[] {
  return mapped(shapes.user, line, ({ uuid, isReplay, parent_tool_use_id, message }) => {
    if (isReplay) return uuid === undefined ? [] : [{ type: 'taken', uuid }];
    if (typeof message.content === 'string') return [];
    return message.content.flatMap((block) => resultEvents(block, parent_tool_use_id));
  });
}

function resultEvents(block: unknown, parentToolUseId: string | null): AgentEvent[] {
  if (shapes.envelope.safeParse(block).data?.type !== 'tool_result') return [];
  return mapped(shapes.toolResultBlock, block, ({ tool_use_id, is_error, content }) => [
    {
      type: 'tool_result',
      toolUseId: tool_use_id,
      isError: is_error,
      text: textOf(content),
      parentToolUseId,
    },
  ]);
}

function textOf(content: string | readonly unknown[]): string {
  if (typeof content === 'string') return content;
  return content
    .map((block) => shapes.textBlock.safeParse(block).data?.text)
    .filter((text) => text !== undefined)
    .join('\n');
}

function finishedEvent(
  subtype: string | undefined,
  result: z.infer<typeof shapes.result>,
  costUsd: number | null,
): TurnFinished {
  const outcome = outcomeOf(subtype, result);
  const usage = result.usage;
  const sum = (...counts: (number | null | undefined)[]) =>
    usage === null ? null : counts.reduce<number>((total, count) => total + (count ?? 0), 0);
  return {
    type: 'turn_finished',
    outcome,
    errors: outcome === 'failed' ? errorsOf(subtype, result) : [],
    costUsd,
    inputTokens: sum(usage?.input_tokens, usage?.cache_creation_input_tokens, usage?.cache_read_input_tokens),
    outputTokens: sum(usage?.output_tokens),
    durationMs: result.duration_ms,
  };
}

function outcomeOf(
  subtype: string | undefined,
  result: z.infer<typeof shapes.result>,
): TurnFinished['outcome'] {
  if (result.terminal_reason.startsWith('aborted')) return 'interrupted';
  return subtype === 'success' && !result.is_error ? 'success' : 'failed';
}

function errorsOf(subtype: string | undefined, result: z.infer<typeof shapes.result>): string[] {
  const errors = result.errors.filter((error) => !DIAGNOSTIC.test(error));
  if (errors.length > 0) return errors;
  if (result.result.trim() !== '') return [result.result];
  if (subtype === 'error_max_turns') return ['The agent reached the most turns it may take.'];
  return [`The agent gave up: ${subtype ?? 'it did not say why'}.`];
}

function rateLimitEvents(line: unknown): AgentEvent[] {
  return mapped(shapes.rateLimit, line, (event) => {
    const { status, resetsAt } = event.rate_limit_info ?? event;
    const state = status === 'rejected' ? status : status === 'allowed_warning' ? 'warning' : 'allowed';
    return [{ type: 'rate_limited', state, resetsAtMs: resetsAt === null ? null : resetsAt * 1_000 }];
  });
}
