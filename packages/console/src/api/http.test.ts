import { expect, test } from 'vitest';
import { errorFrom } from './http.ts';

test('both dialects of the server give one kind of error', () => {
  const problem = errorFrom(404, {
    type: '/errors/not_found',
    title: 'Not found',
    code: 'not_found',
    detail: 'No channel x.',
  });
  expect(problem).toMatchObject({ status: 404, code: 'not_found', message: 'No channel x.' });
  const inbox = errorFrom(422, {
    error: { code: 'VALIDATION_FAILED', message: 'limit: too big', status: 422 },
  });
  expect(inbox).toMatchObject({ status: 422, code: 'VALIDATION_FAILED', message: 'limit: too big' });
});

test.each([null, 'text', [], { error: 7 }])(
  'a body of no dialect (%j) still makes a readable error',
  (body) => {
    expect(errorFrom(502, body)).toMatchObject({
      status: 502,
      code: null,
      message: 'The server answered 502.',
    });
  },
);
