import { expect, test } from 'vitest';
import { matchingPeople, mentionAt } from './mentions.tsx';

test('a mention begins at an @ that begins a word', () => {
  expect(mentionAt('hi @to', 6)).toEqual({ text: 'to', from: 3, to: 6 });
  expect(mentionAt('@', 1)).toEqual({ text: '', from: 0, to: 1 });
  expect(mentionAt('me@to', 5)).toBeNull();
  expect(mentionAt('@to you', 7)).toBeNull();
});

test('people are found by id or name, and the agent is always among them', () => {
  const people = [
    { id: 'tomas', name: 'Tomás Rivera' },
    { id: 'x1', name: 'Tom' },
  ];
  expect(matchingPeople(people, 'tom').map(({ id }) => id)).toEqual(['tomas', 'x1']);
  expect(matchingPeople(people, 'pos').map(({ id }) => id)).toEqual(['postern']);
});
