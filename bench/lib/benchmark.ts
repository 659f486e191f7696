/** What a benchmark is. Each is one file beside `run.ts` that exports `benchmark`. */

export interface Benchmark {
  /** One line: what is measured beside what. */
  readonly shows: string;
  /** The process that runs it is ended after this long. */
  readonly deadlineSeconds: number;
  /** Bound of that process' JavaScript heap. */
  readonly heapMegabytes: number;
  run(context: BenchmarkContext): Promise<Report>;
}

export interface BenchmarkContext {
  /** Fewer and smaller rounds: shows that it works, not how fast it is. */
  readonly quick: boolean;
  /** Also what takes minutes by itself. */
  readonly full: boolean;
  /** Empty, and removed after the run. */
  readonly folder: string;
  /** Takes what has to be stopped or closed when the run ends, however it ends. */
  readonly stack: AsyncDisposableStack;
  /** Tells whoever waits how far it is. */
  say(line: string): void;
}

export interface Table {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
}

/** A bound that a contract sets, and what was found. */
export interface Target {
  readonly what: string;
  readonly found: number;
  readonly atMost: number;
}

export interface Report {
  readonly tables: readonly Table[];
  readonly targets: readonly Target[];
  /** Everything that was measured, by round, for whoever wants to count anew. */
  readonly rounds: unknown;
}
