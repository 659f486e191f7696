import { execFile } from 'node:child_process';

const GIT_MS = 120_000;
const MOST_OUTPUT = 16 * 1_048_576;
/** What Git needs of the environment; a filter or helper that a repository names gets nothing else of the product's. */
const NAMES =
  /^(?:PATH|HOME|LANG|LC_.*|TZ|TMPDIR|TMP|TEMP|USER|LOGNAME|XDG_.*|USERPROFILE|APPDATA|SYSTEMROOT|PATHEXT)$/i;

/**
 * Output of a Git command without white space at its end, or null when it failed. Arguments are given as they are,
 * with no shell between; no hook or monitor of the repository is run.
 */
export function git(cwd: string, args: readonly string[]): Promise<string | null> {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => NAMES.test(name)));
  return new Promise((resolve) => {
    execFile(
      'git',
      ['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false', ...args],
      {
        cwd,
        timeout: GIT_MS,
        maxBuffer: MOST_OUTPUT,
        env: { ...env, GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0' },
        windowsHide: true,
      },
      (error, stdout) => resolve(error ? null : stdout.trimEnd()),
    );
  });
}
