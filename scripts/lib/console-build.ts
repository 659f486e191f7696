import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { filesBelow, root } from './paths.ts';

const PACKAGE = join(root, 'packages/console');
const PAGE = join(PACKAGE, 'dist/index.html');
const STAMP = join(root, '.cache/console-build');
/** What the build is made from, beside the folders `src` and `public`. */
const INPUTS = ['index.html', 'package.json', 'tsconfig.json', 'vite.config.ts'];

/**
 * Builds the web page with Vite, unless the last build was made from the same sources.
 *
 * @returns whether anything was built.
 * @throws Error when there are no sources, or they don't build.
 */
export async function buildConsole(): Promise<boolean> {
  if (!existsSync(join(PACKAGE, 'index.html'))) throw new Error(`${PACKAGE} has no index.html to build`);
  const stamp = hashOfSources();
  if (existsSync(PAGE) && existsSync(STAMP) && readFileSync(STAMP, 'utf8') === stamp) return false;
  const { build } = await import('vite');
  await build({ root: PACKAGE, configFile: join(PACKAGE, 'vite.config.ts'), logLevel: 'warn' });
  mkdirSync(dirname(STAMP), { recursive: true });
  writeFileSync(STAMP, stamp);
  return true;
}

function hashOfSources(): string {
  const hash = createHash('sha256');
  const files = [
    ...INPUTS.map((name) => join(PACKAGE, name)),
    ...filesBelow(join(PACKAGE, 'src')),
    ...filesBelow(join(PACKAGE, 'public')),
    // The versions of everything the build uses.
    join(root, 'package-lock.json'),
  ];
  for (const file of files.filter((path) => existsSync(path))) {
    hash
      .update(`${relative(root, file)}\0`)
      .update(readFileSync(file))
      .update('\0');
  }
  return hash.digest('hex');
}
