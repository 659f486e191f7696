import type { AgentEvent } from '../agent/agent.ts';
import { oneLine, plain } from './markup.ts';

const LONGEST_ERROR = 1_000;
/** The agent CLI names a command of its terminal, which does nothing here. */
const LOGIN_HELP =
  'That is done on the server, not here: whoever runs Postern logs in there with `claude`, or sets `ANTHROPIC_API_KEY` for it.';

/**
 * Sentences about how the agent fares. Each state is said once: a second retry or the same limit again says
 * nothing new.
 */
export class Notes {
  #isRetrying = false;
  #limit: 'allowed' | 'warning' | 'rejected' = 'allowed';
  #hasUsedTools = false;

  /** The sentence an event is worth, or null. */
  of(event: AgentEvent): string | null {
    switch (event.type) {
      case 'retrying':
        return this.#retrying(event);
      case 'rate_limited':
        return this.#limited(event);
      case 'compacting':
        return COMPACTING[event.state];
      case 'turn_finished':
        return this.#finished(event);
      case 'tool_use':
        this.#hasUsedTools = true;
        this.#isRetrying = false;
        return null;
      case 'text':
        this.#isRetrying = false;
        return null;
      default:
        return null;
    }
  }

  #retrying({ status }: Extract<AgentEvent, { type: 'retrying' }>): string | null {
    if (this.#isRetrying) return null;
    this.#isRetrying = true;
    return `⏳ The model does not answer${status === null ? '' : ` (${status})`}; it is asked again.`;
  }

  #limited({ state, resetsAtMs }: Extract<AgentEvent, { type: 'rate_limited' }>): string | null {
    if (state === this.#limit) return null;
    this.#limit = state;
    if (state === 'allowed') return null;
    const until = resetsAtMs === null ? '' : ` It is lifted at ${minute(resetsAtMs)}.`;
    return state === 'rejected'
      ? `⛔ The account has reached its usage limit.${until}`
      : `⚠️ The account is close to its usage limit.${until}`;
  }

  #finished(event: Extract<AgentEvent, { type: 'turn_finished' }>): string | null {
    const hasUsedTools = this.#hasUsedTools;
    this.#hasUsedTools = false;
    this.#isRetrying = false;
    if (event.outcome === 'interrupted') return '⏸️ Interrupted.';
    if (event.outcome === 'failed') {
      const errors = event.errors.map((error) => plain(oneLine(error, LONGEST_ERROR))).join(' ');
      const help = event.errors.some((error) => error.includes('/login')) ? `\n${LOGIN_HELP}` : '';
      return `⚠️ The turn failed: ${errors}${help}`;
    }
    const figures = figuresOf(event);
    return hasUsedTools && figures !== '' ? `✅ Done · ${figures}` : null;
  }
}

const COMPACTING = {
  started: null,
  finished: '🗜️ The conversation so far was summed up to make room.',
  failed: '⚠️ The conversation could not be summed up to make room.',
} as const;

function figuresOf({ durationMs, costUsd }: Extract<AgentEvent, { type: 'turn_finished' }>): string {
  return [
    ...(durationMs === null ? [] : [duration(durationMs)]),
    ...(costUsd === null || costUsd === 0 ? [] : [`$${costUsd.toFixed(costUsd < 1 ? 4 : 2)}`]),
  ].join(' · ');
}

function duration(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1_000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

function minute(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
