import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Directive } from './directives.ts';
import type { ToolsClient } from './tools-client.ts';

export interface TurnContext {
  /** Writes one event. */
  write(event: object): void;
  readonly tools: ToolsClient;
  /** Whether tools need permission. */
  readonly asks: boolean;
  describe(what: 'args' | 'env' | 'history'): readonly string[];
  /** Never resolves. */
  hang(): Promise<never>;
}

export type Outcome =
  | { readonly kind: 'done'; readonly text: string }
  | { readonly kind: 'failed'; readonly text: string }
  | { readonly kind: 'aborted'; readonly inTool: boolean };

interface Turn {
  readonly context: TurnContext;
  readonly signal: AbortSignal;
  lastTool: string;
  lastResult: string;
  lastText: string;
}

/** One turn of the scripted model. */
export async function playTurn(
  text: string,
  directives: readonly Directive[],
  context: TurnContext,
  signal: AbortSignal,
): Promise<Outcome> {
  const turn: Turn = { context, signal, lastTool: '', lastResult: '', lastText: '' };
  const steps: readonly Directive[] =
    directives.length > 0 ? directives : [{ do: 'say', text: `You said: ${text}` }];
  for (const step of steps) {
    const end = await play(step, turn);
    if (end !== null) return end;
    if (signal.aborted) return { kind: 'aborted', inTool: false };
  }
  return { kind: 'done', text: turn.lastText };
}

async function play(step: Directive, turn: Turn): Promise<Outcome | null> {
  const { context, signal } = turn;
  switch (step.do) {
    case 'say':
      say(turn, step.text);
      return null;
    case 'block':
      say(turn, longText(step.characters));
      return null;
    case 'code':
      say(turn, `\`\`\`ts\n${numbered(step.lines, 'const line = ')}\n\`\`\``);
      return null;
    case 'stream':
      for (let line = 1; line <= step.lines && !signal.aborted; line += 1) {
        say(turn, `Line ${line} of ${step.lines}, and some words to make it as long as a line is.\n`);
        await sleep(step.everyMs, undefined, { signal }).catch(() => undefined);
      }
      return null;
    case 'stamp':
      appendFileSync(step.file, `${performance.timeOrigin + performance.now()}\n`);
      return null;
    case 'tool':
      useTool(turn, step.name, step.input);
      return null;
    case 'result':
    case 'error':
      toolResult(turn, turn.lastTool, step.text, step.do === 'error');
      return null;
    case 'echo':
      say(turn, turn.lastResult);
      return null;
    case 'together': {
      const ends = await Promise.all(step.steps.map((each) => play(each, turn)));
      return ends.find((end) => end !== null) ?? null;
    }
    case 'ask':
      return ask(turn, step.name, step.input);
    case 'call':
      return call(turn, step.name, step.input);
    case 'subagent':
      playSubagent(turn, step.uses);
      return null;
    case 'wait':
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      return { kind: 'aborted', inTool: false };
    case 'garbage':
      process.stdout.write(
        'this is no event\n{"type":\n[]\n17\n\n{"type":"system","subtype":"never_seen"}\n',
      );
      process.stdout.write('{"type":"assistant","message":7}\n{"kind":"other"}\nnull\n');
      return null;
    case 'retry':
      context.write({ type: 'system', subtype: 'api_retry', ...retryOf(step.status) });
      return null;
    case 'limit':
      context.write({
        type: 'rate_limit_event',
        rate_limit_info: { status: step.status, resetsAt: 1_900_000_000 },
      });
      return null;
    case 'compact':
      context.write({ type: 'system', subtype: 'status', status: 'compacting' });
      context.write({ type: 'system', subtype: 'status', status: null, compact_result: 'success' });
      return null;
    case 'fail':
      return { kind: 'failed', text: step.text };
    case 'crash':
      process.stderr.write('Error: the scripted crash\n');
      process.exit(1);
      break;
    case 'die':
      process.kill(process.pid, 'SIGKILL');
      return context.hang();
    case 'hang':
      return context.hang();
    case 'leave':
      say(turn, String(startIdler()));
      return null;
    case 'args':
    case 'env':
    case 'history':
      say(turn, JSON.stringify(context.describe(step.do)));
      return null;
  }
}

function say(turn: Turn, text: string): void {
  turn.lastText = text;
  assistant(turn, [{ type: 'text', text }]);
}

function assistant({ context }: Turn, content: readonly object[], parent: string | null = null): void {
  context.write({
    type: 'assistant',
    parent_tool_use_id: parent,
    message: { id: `msg_${randomUUID()}`, type: 'message', role: 'assistant', model: 'scripted', content },
  });
}

function useTool(turn: Turn, name: string, input: object, parent: string | null = null): string {
  const id = `toolu_${randomUUID()}`;
  turn.lastTool = id;
  assistant(turn, [{ type: 'tool_use', id, name, input }], parent);
  return id;
}

function toolResult(
  turn: Turn,
  id: string,
  text: string,
  isError: boolean,
  parent: string | null = null,
): void {
  turn.lastResult = text;
  turn.context.write({
    type: 'user',
    parent_tool_use_id: parent,
    message: {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: id, content: text, is_error: isError }],
    },
  });
}

/** As the CLI reads the answer of its permission tool. */
async function ask(turn: Turn, name: string, input: object): Promise<Outcome | null> {
  const { context, signal } = turn;
  const id = useTool(turn, name, input);
  if (!context.asks) {
    toolResult(turn, id, `ran ${JSON.stringify(input)}`, false);
    return null;
  }
  try {
    const question = { tool_name: name, input, tool_use_id: id };
    const answer = await context.tools.call('permission_prompt', question, id, signal);
    const decision = JSON.parse(answer.text);
    if (decision.behavior === 'allow') {
      toolResult(turn, id, `ran ${JSON.stringify(decision.updatedInput ?? input)}`, false);
    } else {
      toolResult(turn, id, decision.message, true);
    }
  } catch (error) {
    const isAborted = signal.aborted;
    toolResult(
      turn,
      id,
      isAborted ? 'The tool use was rejected.' : `Error calling tool (${name}): ${error}`,
      true,
    );
    if (isAborted) return { kind: 'aborted', inTool: true };
  }
  return null;
}

async function call(turn: Turn, name: string, input: object): Promise<Outcome | null> {
  const { context, signal } = turn;
  const id = useTool(turn, `mcp__claude-threads-mcp__${name}`, input);
  try {
    const answer = await context.tools.call(name, input, id, signal);
    toolResult(turn, id, answer.text, answer.isError);
  } catch (error) {
    toolResult(turn, id, `${error}`, true);
    if (signal.aborted) return { kind: 'aborted', inTool: true };
  }
  return null;
}

function playSubagent(turn: Turn, uses: number): void {
  const task = useTool(turn, 'Task', { description: 'Look it up', prompt: 'Look', subagent_type: 'general' });
  for (let use = 1; use <= uses; use += 1) {
    const id = useTool(turn, 'Read', { file_path: `file-${use}` }, task);
    toolResult(turn, id, 'words of the file', false, task);
  }
  assistant(turn, [{ type: 'text', text: 'Words of the subagent.' }], task);
  toolResult(turn, task, 'Found.', false);
}

function startIdler(): number | undefined {
  const idler = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], {
    detached: true,
    stdio: 'ignore',
  });
  idler.unref();
  return idler.pid;
}

function retryOf(status: number): object {
  return { attempt: 1, max_retries: 10, retry_delay_ms: 100, error_status: status, error: 'overloaded' };
}

function numbered(lines: number, before: string): string {
  return Array.from({ length: lines }, (_, index) => `${before}${index + 1};`).join('\n');
}

/** Numbered words, eight to a line, an empty line after each tenth: every place can be told from every other. */
function longText(characters: number): string {
  let text = '';
  for (let word = 1; text.length < characters; word += 1) {
    text += `word-${word}${word % 80 === 0 ? '\n\n' : word % 8 === 0 ? '\n' : ' '}`;
  }
  return text.slice(0, characters);
}
