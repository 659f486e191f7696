import { createHash } from 'node:crypto';
import { mkdir, readFile, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { MemoryPlace } from './entry.ts';

/**
 * Where the agent's program keeps what it notes by itself about a repository. By itself it has one folder for the
 * whole user; here each channel has its own, so that what is learnt in one is not told in another.
 */

/**
 * The folder for a channel and the repository that a path lies in (the path itself where there is none), made if it
 * is missing and only this user's. Worktrees of a repository share the folder.
 *
 * @param agentDir Folder of what agents may touch.
 */
export async function autoMemoryFolder(
  agentDir: string,
  { platformId, channelId }: MemoryPlace,
  path: string,
): Promise<string> {
  const repository = await repositoryOf(await realpath(path));
  const folder = join(agentDir, 'memory', named(platformId), named(channelId), named(repository));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** A name to be known by, and a mark that tells apart what has the same one. */
function named(whole: string): string {
  const name = basename(whole)
    .replaceAll(/[^A-Za-z0-9-]+/g, '_')
    .slice(0, 40);
  return `${name}-${createHash('sha256').update(whole).digest('hex').slice(0, 12)}`;
}

/** Folder of the repository, of a worktree that of the repository it belongs to. */
async function repositoryOf(path: string): Promise<string> {
  for (let folder = path; ; folder = dirname(folder)) {
    const repository = await repositoryAt(folder);
    if (repository !== null) return repository;
    if (dirname(folder) === folder) return path;
  }
}

async function repositoryAt(folder: string): Promise<string | null> {
  try {
    const link = await readFile(join(folder, '.git'), 'utf8');
    const [, ofWorktree] = /^gitdir: (.+?)[\\/]\.git[\\/]worktrees[\\/][^\\/\n]+\s*$/.exec(link) ?? [];
    return ofWorktree === undefined ? folder : await realpath(resolve(folder, ofWorktree));
  } catch (error) {
    // A folder is what a repository has there.
    return (error as NodeJS.ErrnoException).code === 'EISDIR' ? folder : null;
  }
}
