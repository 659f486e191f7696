import { expect, test } from 'vitest';
import { tokenIn } from './login.tsx';

test.each([
  ['http://127.0.0.1:8080/console/login#token=abc-_1', 'abc-_1'],
  ['  #token=abc ', 'abc'],
  ['abc', 'abc'],
  ['#token=a%2Bb', 'a+b'],
])('%s holds the token %s', (pasted, token) => {
  expect(tokenIn(pasted)).toBe(token);
});

test.each(['', 'http://127.0.0.1:8080/console/login', 'two words', '#other=1'])(
  '“%s” holds none',
  (pasted) => {
    expect(tokenIn(pasted)).toBeNull();
  },
);
