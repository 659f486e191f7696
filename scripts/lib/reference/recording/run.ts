import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startVitest } from 'vitest/node';
import { root } from '../../paths.ts';
import type { RecordedExample } from '../examples.ts';
import { RECORDING_FILE } from './variable.ts';

export interface Recording {
  readonly examples: readonly RecordedExample[];
  /** A line for each call that failed. */
  readonly faults: readonly string[];
}

/** Makes the example calls of all services. The benches they are made on belong to the test runner, so it makes them. */
export async function recordExamples(): Promise<Recording> {
  const folder = mkdtempSync(join(tmpdir(), 'postern-docs-'));
  const file = join(folder, 'examples.json');
  try {
    const runner = await startVitest('test', [], {
      root,
      config: false,
      watch: false,
      include: ['scripts/lib/reference/recording/*.recording.ts'],
      testTimeout: 60_000,
      env: { [RECORDING_FILE]: file },
      reporters: ['dot'],
    });
    const faults = runner.state
      .getTestModules()
      .flatMap((module) => [
        ...module.errors().map(({ message }) => message),
        ...[...module.children.allTests('failed')].map(
          (test) => `${test.name}: ${test.result().errors?.[0]?.message ?? 'failed'}`,
        ),
      ]);
    await runner.close();
    const examples = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [];
    return { examples, faults };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
