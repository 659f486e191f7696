import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface ScriptedClaude extends AsyncDisposable {
  /** For CLAUDE_PATH. */
  readonly path: string;
  /** Where it keeps its sessions, so that they can be resumed. */
  readonly stateDir: string;
}

/**
 * Installs the scripted CLI: an executable that behaves as Claude Code does towards the bot, and whose turns do
 * what the `[[…]]` in the messages say (see directives.ts).
 */
export async function scriptedClaude(): Promise<ScriptedClaude> {
  const folder = await mkdtemp(join(tmpdir(), 'scripted-claude-'));
  const program = fileURLToPath(new URL('./program.ts', import.meta.url));
  const stateDir = join(folder, 'sessions');
  const path = join(folder, 'claude');
  // A launcher, since the node that PATH leads to need not be the one that runs the tests.
  await writeFile(
    path,
    `#!/bin/sh\nexec ${[process.execPath, program, stateDir].map(quoted).join(' ')} "$@"\n`,
  );
  await chmod(path, 0o755);
  return { path, stateDir, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
