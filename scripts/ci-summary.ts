import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The last line of CI: `node scripts/ci-summary.ts <reports> <step>:<ok|failed>…`, where a step that is a test
 * suite has left vitest's JSON report as `<reports>/<step>.json`. Exits with 1 when anything failed.
 */

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** The part of vitest's JSON report that is read here. */
export interface SuiteReport {
  readonly testResults: readonly {
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string }[];
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

function readOutcome(reports: string, argument: string): StepOutcome {
  const [name = '', outcome] = argument.split(':');
  const file = join(reports, `${name}.json`);
  const report = readReport(file);
  return { isOk: outcome === 'ok' && (report !== null || !SUITES.has(name)), report };
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
  const { passed, failed, skipped } = sumUp(outcomes.map((outcome) => readOutcome(reports, outcome)));
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  process.exitCode = failed === 0 && outcomes.length > 0 ? 0 : 1;
}
