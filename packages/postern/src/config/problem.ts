/** One thing that is wrong with the configuration; `message` is one line and holds no secret. */
export interface ConfigProblem {
  /** Where it stands: `postern.yaml:12`, `environment` or `command line`. */
  readonly place: string;
  /** The name its place knows it by: a dotted path, a variable or a flag. */
  readonly key: string;
  readonly message: string;
  /** What to do about it, where that is something else than to correct or remove it. */
  readonly fix?: string;
}

/** What stops the start. The message is one line: the first problem, and how many more there are. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    const [first, ...rest] = problems;
    const more = rest.length === 0 ? '' : ` (and ${rest.length} more: postern config check lists them)`;
    super(`${first === undefined ? 'the configuration is not valid' : describeProblem(first)}${more}`);
    this.problems = problems;
  }
}

/** `postern.yaml:12: port: found "http"; accepted: a whole number from 0 to 65535` */
export function describeProblem(problem: ConfigProblem): string {
  return `${problem.place}: ${problem.key === '' ? '' : `${problem.key}: `}${problem.message}`;
}

/** The usual form of a problem's message. */
export function foundAndAccepted(found: string, accepted: string): string {
  return `found ${found}; accepted: ${accepted}`;
}
