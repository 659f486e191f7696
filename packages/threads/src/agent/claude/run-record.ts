import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { endLeftovers, isRunning, wasStartedWith } from './leftovers.ts';

/**
 * Which agents run, on disk: a hub that is killed leaves them behind, at work on a session that the next start
 * resumes. So each launch is on record beside its private files, and whoever starts next ends what is left.
 */

const RECORD = 'process.json';
const FOLDER = /^run-/;

const recordSchema = z.object({
  /** Process that launched it. */
  hub: z.int().positive(),
  /** Process group of the agent; null between its launch and its first moment. */
  group: z.int().positive().nullable(),
  /** The launch's mark in the environment of all it starts. */
  run: z.string(),
});

type RunRecord = z.output<typeof recordSchema>;

/** @param privatePath A file of the launch; the record lies beside it and goes with it. */
export async function recordRun(privatePath: string, run: string, group: number | null): Promise<void> {
  const record: RunRecord = { hub: process.pid, group, run };
  await writeFile(join(dirname(privatePath), RECORD), JSON.stringify(record), { mode: 0o600 });
}

/**
 * Ends agents whose hub is gone, with all they have started, and removes their files.
 *
 * @param privateName Name of the private file that stands in an agent's command line, by which it is known.
 * @returns how many launches were cleared away.
 */
export async function sweepRuns(filesDir: string, privateName: string): Promise<number> {
  const names = await readdir(filesDir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  let swept = 0;
  for (const name of names.filter((one) => FOLDER.test(one))) {
    const folder = join(filesDir, name);
    const record = await readRecord(folder);
    // Another hub on the same folder is at work with it.
    if (record !== null && record.hub !== process.pid && isRunning(record.hub)) continue;
    if (record !== null) {
      // A number may have gone to a stranger's process; one that was started with our file is ours.
      const isOurs = record.group !== null && wasStartedWith(record.group, join(folder, privateName));
      endLeftovers(isOurs ? record.group : null, record.run);
    }
    await rm(folder, { recursive: true, force: true });
    swept += 1;
  }
  return swept;
}

async function readRecord(folder: string): Promise<RunRecord | null> {
  try {
    const parsed = recordSchema.safeParse(JSON.parse(await readFile(join(folder, RECORD), 'utf8')));
    return parsed.success ? parsed.data : null;
  } catch {
    // None was written, or not to its end: then nothing was launched.
    return null;
  }
}
