import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The end of what CI prints: what failed, and the line of counts. `node scripts/ci-summary.ts <reports>
 * <step>:<ok|failed>…`, where a step has left its output as `<reports>/<step>.log`, and one that is a test
 * suite vitest's JSON report as `<reports>/<step>.json`. Exits with 1 when anything failed.
 */

/** Enough for an assertion with its difference and the place in the test, or for the end of a compiler's list. */
const SHOWN_LINES = 40;

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** The part of vitest's JSON report that is read here. */
export interface SuiteReport {
  readonly testResults: readonly {
    readonly status: string;
    /** The file. */
    readonly name?: string;
    /** Why the file could not be run; empty when it could. */
    readonly message?: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName?: string;
      readonly failureMessages?: readonly string[] | null;
    }[];
  }[];
}

export interface StepOutcome {
  readonly isOk: boolean;
  /** Null when the step is no suite, or did not come far enough to write one. */
  readonly report: SuiteReport | null;
}

const SUITES: ReadonlySet<string> = new Set(['test', 'external']);

/**
 * Adds up the suites. A file that failed as a whole counts as a failure, and so does a step that failed
 * without a failure in a report: the line never says that all is well when it is not.
 */
export function sumUp(steps: readonly StepOutcome[]): Counts {
  let passed = 0;
  let failed = 0;
  let skipped = 0;
  for (const { isOk, report } of steps) {
    let failedHere = 0;
    for (const { status, assertionResults } of report?.testResults ?? []) {
      const statuses = assertionResults.map((assertion) => assertion.status);
      const failures = statuses.filter((each) => each === 'failed').length;
      const passes = statuses.filter((each) => each === 'passed').length;
      passed += passes;
      skipped += statuses.length - passes - failures;
      failedHere += status === 'failed' ? Math.max(failures, 1) : failures;
    }
    failed += isOk ? failedHere : Math.max(failedHere, 1);
  }
  return { passed, failed, skipped };
}

/**
 * What failed, a paragraph each: the failed tests of the report, or else the end of the step's output, since an
 * error outside of a test (one that nobody caught, say) stands in no report.
 */
export function tellFailures(name: string, { isOk, report }: StepOutcome, output: string): string[] {
  const told: string[] = [];
  for (const file of report?.testResults ?? []) {
    const failed = file.assertionResults.filter(({ status }) => status === 'failed');
    for (const { fullName = '', failureMessages } of failed) {
      told.push(paragraph(`${name}: ${file.name ?? ''}: ${fullName}`, (failureMessages ?? []).join('\n')));
    }
    if (file.status === 'failed' && failed.length === 0) {
      told.push(paragraph(`${name}: ${file.name ?? ''}`, file.message ?? ''));
    }
  }
  if (told.length > 0 || isOk) return told;
  return [
    `failed, ${name}, the end of its output:\n${output.trimEnd().split('\n').slice(-SHOWN_LINES).join('\n')}\n`,
  ];
}

function paragraph(title: string, message: string): string {
  return `failed, ${title}\n${message.split('\n').slice(0, SHOWN_LINES).join('\n')}\n`;
}

function readOutput(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

function readOutcome(reports: string, argument: string): StepOutcome & { readonly name: string } {
  const [name = '', outcome] = argument.split(':');
  const file = join(reports, `${name}.json`);
  const report = readReport(file);
  return { name, isOk: outcome === 'ok' && (report !== null || !SUITES.has(name)), report };
}

function readReport(file: string): SuiteReport | null {
  if (!existsSync(file)) return null;
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as SuiteReport;
  } catch {
    // Cut short with its step, which has failed then.
    return null;
  }
}

if (import.meta.main) {
  const [reports = '', ...outcomes] = process.argv.slice(2);
  const steps = outcomes.map((outcome) => readOutcome(reports, outcome));
  for (const step of steps) {
    for (const told of tellFailures(step.name, step, readOutput(join(reports, `${step.name}.log`))))
      console.log(told);
  }
  const { passed, failed, skipped } = sumUp(steps);
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  process.exitCode = failed === 0 && outcomes.length > 0 ? 0 : 1;
}
