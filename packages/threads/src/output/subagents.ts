import type { AgentEvent } from '../agent/agent.ts';
import { oneLine, plain } from './markup.ts';

const LONGEST_TITLE = 120;

interface Subagent {
  readonly title: string;
  uses: number;
  state: 'running' | 'done' | 'failed';
}

/** Subagents that were sent out one after another, shown in one post with a line and a count for each. */
export class SubagentGroup {
  readonly #subagents = new Map<string, Subagent>();

  add({ id, input }: Extract<AgentEvent, { type: 'tool_use' }>): void {
    const { description, prompt, subagent_type } = input;
    const words = [description, prompt].find((text) => typeof text === 'string' && text.trim() !== '');
    const kind = typeof subagent_type === 'string' ? ` (${oneLine(subagent_type, 40)})` : '';
    const title = plain(`${oneLine(String(words ?? 'Subagent'), LONGEST_TITLE)}${kind}`);
    this.#subagents.set(id, { title, uses: 0, state: 'running' });
  }

  get size(): number {
    return this.#subagents.size;
  }

  has(toolUseId: string): boolean {
    return this.#subagents.has(toolUseId);
  }

  used(toolUseId: string): void {
    const subagent = this.#subagents.get(toolUseId);
    if (subagent) subagent.uses += 1;
  }

  ended(toolUseId: string, isError: boolean): void {
    const subagent = this.#subagents.get(toolUseId);
    if (subagent) subagent.state = isError ? 'failed' : 'done';
  }

  /** Whatever runs has ended with the agent itself. */
  abandon(): void {
    for (const subagent of this.#subagents.values())
      if (subagent.state === 'running') subagent.state = 'failed';
  }

  markdown(): string {
    return [...this.#subagents.values()].map(lineOf).join('\n');
  }
}

function lineOf({ title, uses, state }: Subagent): string {
  const count = uses === 0 ? '' : ` · ${uses} tool ${uses === 1 ? 'call' : 'calls'}`;
  return `- 🤖 ${title}${count}${{ running: '', done: ' ✓', failed: ' ✗' }[state]}`;
}
