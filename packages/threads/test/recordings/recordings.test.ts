import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { AgentEvent } from '../../src/agent/agent.ts';
import { ClaudeEventMapper } from '../../src/agent/claude/mapper.ts';

/** What the real CLI wrote (see record.ts), read as the driver reads it. */

const SESSION = '00000000-0000-4000-8000-000000000003';

function linesOf(name: string): unknown[] {
  const text = readFileSync(join(import.meta.dirname, `${name}.jsonl`), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

function eventsOf(name: string, options: { resume?: boolean } = {}): AgentEvent[] {
  const mapper = new ClaudeEventMapper({ agentSessionId: SESSION, resume: options.resume ?? false });
  return linesOf(name).flatMap((line) => mapper.map(line));
}

/** An event as a short line. */
function inShort(event: AgentEvent): string {
  const of = 'parentToolUseId' in event && event.parentToolUseId !== null ? 'subagent ' : '';
  switch (event.type) {
    case 'ready':
      return `ready ${event.bridge}`;
    case 'text':
      return `${of}text ${event.text}`;
    case 'tool_use':
      return `${of}${event.name}`;
    case 'tool_result':
      return `${of}${event.isError ? 'error' : 'result'}`;
    case 'turn_finished':
      return `${event.outcome} ${event.costUsd?.toFixed(4)} ${event.errors.join(' ')}`.trim();
    case 'retrying':
      return `retrying ${event.attempt}/${event.maxRetries} ${event.status}`;
    case 'compacting':
      return `compacting ${event.state}`;
    default:
      return event.type;
  }
}

const hello = ['ready connected', 'taken'];

const expected: Record<string, string[]> = {
  tools: [
    ...hello,
    'text I write the file and look at another.',
    ...['Write', 'Read', 'result', 'error', 'Bash', 'result'],
    ...['text Done.', 'success 0.0024'],
  ],
  denied: [...hello, 'Bash', 'error', 'text I leave it.', 'success 0.0016'],
  queued: [
    ...[...hello, 'text The first answer.', 'success 0.0008'],
    ...[...hello, 'text The second answer.', 'success 0.0008'],
  ],
  'interrupt-answer': [
    ...[...hello, 'text Partial words, enough of them that several pieces of the stream are need'],
    'interrupted 0.0009',
    ...[...hello, 'text As you like.', 'success 0.0008'],
  ],
  'interrupt-permission': [...hello, 'Bash', 'error', 'interrupted 0.0008'],
  'task-list': [
    ...[...hello, 'TaskCreate', 'TaskCreate', 'result', 'result', 'TaskUpdate', 'result', 'TaskUpdate'],
    ...['result', 'TaskUpdate', 'result', 'text All done.', 'success 0.0040'],
  ],
  'todo-list': [
    ...[...hello, 'TodoWrite', 'result', 'TodoWrite', 'result', 'text All done.', 'success 0.0024'],
  ],
  subagent: [
    ...[...hello, 'text I send somebody.', 'Task', 'subagent Read', 'subagent error', 'result'],
    ...['text There was nothing.', 'success 0.0032'],
  ],
  'background-subagent': [
    ...[...hello, 'Task', 'text Somebody is on it.', 'success 0.0016'],
    'subagent text There is nothing.',
    'result',
    ...['ready connected', 'text Nothing was found.', 'success 0.0016'],
  ],
  'api-errors': [
    ...['ready connected', 'retrying 1/10 529', 'taken', 'text There I am again.', 'success 0.0008'],
    ...[...hello, 'failed 0.0000 Failed to authenticate. API Error: 403 Your account does not have access.'],
  ],
  'slash-commands': [
    ...[...hello, 'text Hello.', 'success 0.0008'],
    ...['compacting started', 'compacting finished', ...hello, 'taken', 'success 0.0008'],
    ...['ready connected', expect.stringContaining('text Estimated cost'), 'taken', 'success 0.0000'],
    ...['session_changed', ...hello, 'success 0.0000'],
    ...[...hello, 'text Anew.', 'success 0.0008'],
  ],
  question: [...hello, 'AskUserQuestion', 'result', 'text I choose myself.', 'success 0.0016'],
  resumed: [...hello, 'text Hello again.', 'success 0.0008'],
  'unknown-session': [],
  'no-tools-server': ['ready failed', 'taken', 'text I make it.', 'Bash', 'error'],
};

describe('a recorded stream', () => {
  test.each(Object.entries(expected))('%s is told once and in order', (name, lines) => {
    const resume = name === 'resumed' || name === 'unknown-session';
    expect(eventsOf(name, { resume }).map(inShort)).toEqual(lines);
  });

  test('of each kind is looked at', () => {
    const recorded = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.jsonl'));
    expect(recorded.map((name) => name.replace('.jsonl', '')).sort()).toEqual(Object.keys(expected).sort());
  });

  test('may lose any of its fields and breaks nothing', () => {
    for (const name of Object.keys(expected)) {
      for (const line of linesOf(name)) {
        for (const damaged of damagedOf(line)) {
          const mapper = new ClaudeEventMapper({ agentSessionId: SESSION, resume: false });
          expect(() => mapper.map(damaged)).not.toThrow();
        }
      }
    }
  });
});

/** The value with each of its fields, at any depth, left out or replaced by something else. */
function damagedOf(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const put = (replacement: unknown) =>
      Array.isArray(value) ? value.with(Number(key), replacement) : { ...value, [key]: replacement };
    return [undefined, null, 7, 'words', [], {}, ...damagedOf(inner)].map(put);
  });
}
