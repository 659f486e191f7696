import { expect, test } from 'vitest';
import { type SuiteReport, sumUp, tellFailures } from '../scripts/ci-summary.ts';

const report = (...files: [status: string, ...tests: string[]][]): SuiteReport => ({
  testResults: files.map(([status, ...tests]) => ({
    status,
    assertionResults: tests.map((each) => ({ status: each })),
  })),
});

const step = (isOk: boolean, suite: SuiteReport | null = null) => ({ isOk, report: suite });

test('suites are added up', () => {
  const first = report(['passed', 'passed', 'passed', 'skipped'], ['passed', 'passed', 'todo']);
  const second = report(['passed', 'passed', 'pending']);
  expect(sumUp([step(true), step(true, first), step(true, second)])).toEqual({
    passed: 4,
    failed: 0,
    skipped: 3,
  });
});

test('a failed test counts once, although its step fails with it', () => {
  expect(sumUp([step(false, report(['failed', 'passed', 'failed', 'failed']))])).toEqual({
    passed: 1,
    failed: 2,
    skipped: 0,
  });
});

test('a file that could not be loaded is a failure', () => {
  expect(sumUp([step(false, report(['failed'], ['passed', 'passed']))])).toEqual({
    passed: 1,
    failed: 1,
    skipped: 0,
  });
});

test('a step that fails without a failed test is a failure', () => {
  expect(sumUp([step(false), step(true, report(['passed', 'passed']))]).failed).toBe(1);
  expect(sumUp([step(false, report(['passed', 'passed']))])).toEqual({ passed: 1, failed: 1, skipped: 0 });
});

test('failed tests are told with their file, name and why', () => {
  const failed: SuiteReport = {
    testResults: [
      {
        status: 'failed',
        name: 'a.test.ts',
        message: '',
        assertionResults: [
          { status: 'passed', fullName: 'one' },
          { status: 'failed', fullName: 'two', failureMessages: ['expected 1 to be 2'] },
        ],
      },
      { status: 'failed', name: 'b.test.ts', message: 'no such module', assertionResults: [] },
    ],
  };
  expect(tellFailures('test', step(false, failed), 'much')).toEqual([
    'failed, test: a.test.ts: two\nexpected 1 to be 2\n',
    'failed, test: b.test.ts\nno such module\n',
  ]);
});

test('a step that failed without a failed test is told by the end of its output, a good one not at all', () => {
  const output = `${Array.from({ length: 60 }, (_, line) => `line ${line}`).join('\n')}\nUnhandled Error\n`;
  const [told = '', ...others] = tellFailures('test', step(false, report(['passed', 'passed'])), output);
  expect(others).toEqual([]);
  expect(told).toContain('Unhandled Error');
  expect(told).not.toContain('line 3\n');
  expect(tellFailures('test', step(true, report(['passed', 'passed'])), output)).toEqual([]);
});
