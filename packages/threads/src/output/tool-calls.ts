import type { AgentEvent } from '../agent/agent.ts';
import { fenced } from './markup.ts';
import { toolName } from './tool-line.ts';

/** What is kept of the calls of one session, so that people can ask for their details. */
const MOST_CALLS = 300;
const MOST_CHARACTERS = 1_000_000;
/** Longest part of a result that is kept and shown. */
const LONGEST_RESULT = 8_000;

interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** Whole, as text. */
  readonly input: string;
  readonly language: string;
  /** The line it has in the thread. */
  readonly line: string;
  result: string | null;
  postId: string | null;
}

/** The newest tool calls with their inputs and results, and the posts in which their lines stand. */
export class ToolCalls {
  readonly #calls = new Map<string, ToolCall>();
  #characters = 0;

  add({ id, name, input }: Extract<AgentEvent, { type: 'tool_use' }>, line: string): void {
    const { command } = input;
    const isCommand = name === 'Bash' && typeof command === 'string';
    const text = isCommand ? command : JSON.stringify(input, null, 2);
    const language = isCommand ? 'sh' : 'json';
    this.#calls.set(id, { id, name, input: text, language, line, result: null, postId: null });
    this.#characters += text.length;
    for (const [oldest, call] of this.#calls) {
      if (this.#calls.size <= MOST_CALLS && this.#characters <= MOST_CHARACTERS) break;
      this.#calls.delete(oldest);
      this.#characters -= sizeOf(call);
    }
  }

  name(id: string): string | null {
    return this.#calls.get(id)?.name ?? null;
  }

  ended(id: string, text: string): void {
    const call = this.#calls.get(id);
    if (call === undefined || call.result !== null) return;
    call.result = text.length > LONGEST_RESULT ? `${text.slice(0, LONGEST_RESULT)}…` : text;
    this.#characters += call.result.length;
  }

  /** Notes in which post the calls' lines have come to stand. */
  posted(posts: readonly { readonly ref: { readonly postId: string }; readonly markdown: string }[]): void {
    // From the newest on: all before the first one that has its place already have theirs too.
    for (const call of [...this.#calls.values()].reverse()) {
      const post = posts.find(({ markdown }) => markdown.includes(call.line));
      if (post === undefined && call.postId !== null) break;
      if (post !== undefined) call.postId = post.ref.postId;
    }
  }

  /** Inputs and results of the calls whose lines stand in a post; empty when none does, or all are forgotten. */
  details(postId: string): string {
    return [...this.#calls.values()]
      .filter((call) => call.postId === postId)
      .map(({ name, input, language, result }) =>
        [
          `**${toolName(name)}**`,
          fenced(input, language),
          ...(result === null || result.trim() === '' ? [] : [fenced(result)]),
        ].join('\n'),
      )
      .join('\n\n');
  }
}

function sizeOf({ input, result }: ToolCall): number {
  return input.length + (result?.length ?? 0);
}
