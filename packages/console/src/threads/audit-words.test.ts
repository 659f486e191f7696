import { expect, test } from 'vitest';
import { actionText, actorText, detailsOf } from './audit-words.ts';

test('a tool of the agent’s own is told without what goes without saying, and its hash apart', () => {
  const details = { toolUseId: 'toolu_01', input_hash: 'ab12', isSubagent: false };
  expect(detailsOf({ details })).toEqual({
    told: [],
    marks: [
      { label: 'use of the tool', text: 'toolu_01' },
      { label: 'hash of the input', text: 'ab12' },
    ],
  });
  expect(detailsOf({ details: { isSubagent: true } }).told).toEqual([
    { label: 'by a subagent', text: 'yes' },
  ]);
});

test('a decision is told in words', () => {
  const details = { question: 'qst_1', title: 'Bash', decision: 'always', via: 'reaction' };
  expect(detailsOf({ details }).told).toEqual([
    { label: 'title', text: 'Bash' },
    { label: 'decision', text: 'allowed for the whole session' },
    { label: 'how', text: 'by a reaction' },
  ]);
});

test('a choice is told by its number', () => {
  expect(detailsOf({ details: { decision: 'option_2' } }).told).toEqual([
    { label: 'decision', text: 'option 2' },
  ]);
});

test('what people wrote stays as they wrote it', () => {
  const details = {
    reason: 'stopped by @olga',
    text: 'we_deploy onTuesdays',
    bytes: 2048,
    event: 'not_saved',
  };
  expect(detailsOf({ details }).told.map(({ text }) => text)).toEqual([
    'stopped by @olga',
    'we_deploy onTuesdays',
    '2.0 kB',
    'not saved',
  ]);
});

test.each([
  [{ actor: 'agent', actor_name: null }, 'the agent'],
  [{ actor: 'system', actor_name: null }, 'Postern'],
  [{ actor: 'console:admin', actor_name: null }, 'admin'],
  [{ actor: 'U021', actor_name: 'alan' }, 'alan'],
  [{ actor: 'U021', actor_name: null }, 'U021'],
])('who did it is told as people know them: %j', (line, text) => {
  expect(actorText(line)).toBe(text);
});

test('an action that is not known yet is told by its name', () => {
  expect([actionText('session_paused'), actionText('some_newThing')]).toEqual([
    'Session paused',
    'some new thing',
  ]);
});
