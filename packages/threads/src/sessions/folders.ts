import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, relative, resolve } from 'node:path';
import type { ThreadsConfig } from '../config.ts';

/** Whether a path is a folder or lies below it; both absolute and free of links. */
export function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === '' || (!way.startsWith('..') && !isAbsolute(way));
}

/**
 * The folder that `!cd` means, free of links: below `workingDir` or one of `allowedDirs`, and no part of what is
 * denied. Relative paths start in the session's folder.
 */
export async function allowedFolder(
  config: Pick<ThreadsConfig, 'workingDir' | 'allowedDirs'>,
  deniedPaths: readonly string[],
  from: string,
  path: string,
): Promise<{ readonly folder: string } | { readonly reason: string }> {
  const wanted = await real(resolve(from, path));
  if (wanted === null) return { reason: 'There is no such folder.' };
  const roots = await Promise.all([config.workingDir, ...config.allowedDirs].map(real));
  if (!roots.some((root) => root !== null && isWithin(wanted, root))) {
    return { reason: 'That folder is outside of where sessions may work (workingDir and allowedDirs).' };
  }
  const denied = await Promise.all(deniedPaths.map(real));
  if (denied.some((folder) => folder !== null && isWithin(wanted, folder))) {
    return { reason: 'That folder is the product’s own.' };
  }
  if (!(await stat(wanted)).isDirectory()) return { reason: 'That is not a folder.' };
  return { folder: wanted };
}

async function real(path: string): Promise<string | null> {
  try {
    return await realpath(path);
  } catch {
    return null;
  }
}
