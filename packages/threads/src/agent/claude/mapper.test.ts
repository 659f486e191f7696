import { describe, expect, test } from 'vitest';
import type { AgentEvent } from '../agent.ts';
import { ClaudeEventMapper } from './mapper.ts';

/** What no recording holds: rare events, and older versions. */

const mapper = (resume = false) => new ClaudeEventMapper({ agentSessionId: 'session', resume });

function finished(...lines: object[]): Extract<AgentEvent, { type: 'turn_finished' }>[] {
  const reader = mapper();
  return lines.flatMap((line) => reader.map(line)).filter((event) => event.type === 'turn_finished');
}

describe('limits of the account', () => {
  test.each([
    ['allowed', 'allowed'],
    ['allowed_warning', 'warning'],
    ['rejected', 'rejected'],
  ])('%s', (status, state) => {
    const event = { type: 'rate_limited', state, resetsAtMs: 1_900_000_000_000 };
    const limit = { status, resetsAt: 1_900_000_000, rateLimitType: 'five_hour' };
    expect(mapper().map({ type: 'rate_limit_event', ...limit })).toEqual([event]);
    expect(mapper().map({ type: 'rate_limit_event', rate_limit_info: limit })).toEqual([event]);
  });
});

test('a change of the permission mode is told', () => {
  const line = { type: 'system', subtype: 'status', status: null, permissionMode: 'acceptEdits' };
  expect(mapper().map(line)).toEqual([{ type: 'permission_mode', mode: 'acceptEdits' }]);
});

test('a compaction that fails is told', () => {
  const line = { type: 'system', subtype: 'status', status: null, compact_result: 'failed' };
  expect(mapper().map(line)).toEqual([{ type: 'compacting', state: 'failed' }]);
});

test('an answer that stands in the result alone is told as text', () => {
  const result = { type: 'result', subtype: 'success', result: 'The answer.' };
  expect(mapper().map(result)).toMatchObject([
    { type: 'text', text: 'The answer.' },
    { type: 'turn_finished', outcome: 'success' },
  ]);
});

test('a turn that took too many steps says so', () => {
  expect(finished({ type: 'result', subtype: 'error_max_turns', is_error: true })).toMatchObject([
    { outcome: 'failed', errors: ['The agent reached the most turns it may take.'] },
  ]);
});

test('a blank block, a thought and a picture in a result are left out', () => {
  const content = [
    { type: 'text', text: '' },
    { type: 'thinking', thinking: 'hm' },
  ];
  expect(mapper().map({ type: 'assistant', message: { content } })).toEqual([]);
  const result = {
    type: 'tool_result',
    tool_use_id: 't',
    content: [{ type: 'image' }, { type: 'text', text: 'a' }],
  };
  expect(mapper().map({ type: 'user', message: { content: [result] } })).toMatchObject([{ text: 'a' }]);
});

describe('the cost of a turn, by a version that tells the total only', () => {
  const result = (total: number) => ({ type: 'result', subtype: 'success', total_cost_usd: total });

  test('is what the total grew by', () => {
    expect(finished(result(0.5), result(0.75)).map(({ costUsd }) => costUsd)).toEqual([0.5, 0.25]);
  });

  test('is not known for the first turn after a resume', () => {
    const reader = mapper(true);
    const costs = [0.5, 0.75].map((total) => reader.map(result(total))[0]);
    expect(costs).toMatchObject([{ costUsd: null }, { costUsd: 0.25 }]);
  });
});
