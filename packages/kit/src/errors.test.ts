import { describe, expect, test } from 'vitest';
import { commonFailure, type ErrorDialect, Failure, failureFactory } from './errors.ts';

const catalogue = {
  BROKEN: { status: 422, summary: 'The input is broken.' },
  GONE: { status: 404, summary: 'There is no such thing.' },
  INTERNAL: { status: 500, summary: 'We failed.' },
} as const;
type Code = keyof typeof catalogue;
const failure = failureFactory<Code>(catalogue);

describe('Failure', () => {
  test('has its code, the status of the catalogue and safe defaults', () => {
    const error = failure('GONE', 'No such thing.');
    expect(error).toBeInstanceOf(Error);
    expect(error).toBeInstanceOf(Failure);
    expect(error).toMatchObject({
      name: 'Failure',
      code: 'GONE',
      status: 404,
      message: 'No such thing.',
      details: undefined,
      violations: [],
      headers: {},
      retryAfterSeconds: undefined,
    });
    expect('cause' in error).toBe(false);
  });

  test('takes another status and the extras', () => {
    const cause = new Error('behind it');
    const violations = [{ field: 'name', code: 'required', message: 'is required' }] as const;
    const error = failure('BROKEN', 'Not JSON.', {
      status: 400,
      details: { at: 3 },
      violations,
      retryAfterSeconds: 2,
      headers: { 'x-trace': '1' },
      cause,
    });
    expect(error).toMatchObject({ status: 400, details: { at: 3 }, violations, retryAfterSeconds: 2 });
    expect(error.headers).toEqual({ 'x-trace': '1' });
    expect(error.cause).toBe(cause);
  });

  test('knows only the codes of its catalogue', () => {
    // @ts-expect-error a code that is not in the catalogue
    expect(() => failure('OTHER', 'What?')).toThrow(TypeError);
  });
});

describe('commonFailure', () => {
  const common = {
    malformed: 'BROKEN',
    validation: 'BROKEN',
    unauthorized: 'GONE',
    forbidden: 'GONE',
    not_found: 'GONE',
    method_not_allowed: 'GONE',
    unsupported_media_type: 'BROKEN',
    too_large: 'BROKEN',
    rate_limited: 'BROKEN',
    internal: 'INTERNAL',
  } as const;
  const dialect: ErrorDialect = {
    catalogue,
    common,
    contentType: 'application/json',
    body: ({ code }) => ({ code }),
    schema: {},
    tool: ({ code }) => ({ text: code, structured: { code } }),
  };

  test('speaks the dialect, with its status', () => {
    for (const fault of Object.keys(common) as (keyof typeof common)[]) {
      const error = commonFailure(dialect, fault, 'Said so.');
      expect(error).toMatchObject({ code: common[fault], status: catalogue[common[fault]].status });
    }
    expect(commonFailure(dialect, 'malformed', 'Not JSON.', { status: 400 }).status).toBe(400);
  });

  test('is a 500 where the dialect names a code it does not define', () => {
    const broken = { ...dialect, common: { ...common, forbidden: 'UNDEFINED' } };
    expect(commonFailure(broken, 'forbidden', 'No.')).toMatchObject({ code: 'UNDEFINED', status: 500 });
  });
});
