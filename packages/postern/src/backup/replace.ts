import { existsSync, readdirSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Refusal } from '../secrets/data-folder.ts';

/** Puts unpacked files into the place of what a data folder holds. */

const UNFINISHED = 'restore.unfinished';
/** Files that only say who holds the folder. */
const RUN_FILES = /^(?:lock\.sqlite.*|postern\.pid.*|postern\.url.*|\.restoring-\d+)$/;
/** What a restore replaces. */
const STATE = /^(?:postern\.db.*|secrets|blobs|audit)$/;

/** What the folder holds, beside run files and empty folders. */
export function contentOf(dataDir: string): string[] {
  return readdirSync(dataDir, { withFileTypes: true })
    .filter((entry) => !RUN_FILES.test(entry.name) && !entry.name.startsWith('replaced-'))
    .filter((entry) => !entry.isDirectory() || readdirSync(join(dataDir, entry.name)).length > 0)
    .map((entry) => entry.name);
}

/** Whether a restore was cut short while it put things in place. */
export function isRestoreUnfinished(dataDir: string): boolean {
  return existsSync(join(dataDir, UNFINISHED));
}

/** @throws Refusal when a restore into this folder was cut short. */
export function refuseUnfinishedRestore(dataDir: string): void {
  if (!isRestoreUnfinished(dataDir)) return;
  throw new Refusal(
    `a restore into ${dataDir} was cut short; run postern restore FILE --force again. What was there before is in its replaced-… folder`,
  );
}

/**
 * Moves the present state into `replaced-<stamp>` and the unpacked state to its place. Renames only, so it is
 * quick; a crash between them leaves a mark that the next start refuses.
 *
 * @returns the folder with what was replaced, or null when there was nothing.
 */
export async function replaceState(dataDir: string, unpacked: string, stamp: string): Promise<string | null> {
  const mark = join(dataDir, UNFINISHED);
  await writeFile(mark, '', { mode: 0o600 });
  const present = readdirSync(dataDir).filter((name) => STATE.test(name));
  const aside = join(dataDir, `replaced-${stamp}`);
  await mkdir(aside, { recursive: true, mode: 0o700 });
  for (const name of present) await rename(join(dataDir, name), join(aside, name));
  for (const name of readdirSync(unpacked)) await rename(join(unpacked, name), join(dataDir, name));
  await rm(mark);
  if (contentOf(aside).length > 0) return aside;
  await rm(aside, { recursive: true });
  return null;
}
