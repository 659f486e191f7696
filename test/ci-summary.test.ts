import { expect, test } from 'vitest';
import { type SuiteReport, sumUp } from '../scripts/ci-summary.ts';

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
