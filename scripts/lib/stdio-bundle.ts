import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { BuildOptions, Plugin } from 'esbuild';
import { root } from './paths.ts';
import { staticOperations } from './static-operations.ts';

const INBOX = join(root, 'packages/inbox');
const THREADS = join(root, 'packages/threads');

/**
 * Bundles the inbox's stdio MCP server into one file, which starts in a fraction of the time the sources take.
 *
 * @throws Error when there are no sources, or they don't bundle.
 */
export async function bundleStdio(): Promise<void> {
  await bundle(INBOX, { plugins: [staticOperations()] });
}

/**
 * Bundles the stdio MCP server of agent sessions likewise. What it loads only where it stands alone, with libraries
 * of chat platforms and a database, is left to the sources.
 *
 * @throws Error when there are no sources, or they don't bundle.
 */
export async function bundleThreadsStdio(): Promise<void> {
  await bundle(THREADS, { plugins: [standaloneFromSources()] });
}

function standaloneFromSources(): Plugin {
  return {
    name: 'standalone-from-sources',
    setup(build) {
      build.onResolve({ filter: /^\.\/standalone\/backend\.ts$/ }, () => ({
        path: '../src/stdio/standalone/backend.ts',
        external: true,
      }));
    },
  };
}

/** From `src/stdio/index.ts` of a package to its `dist/stdio.js`. */
async function bundle(folder: string, options: BuildOptions): Promise<void> {
  const entry = join(folder, 'src/stdio/index.ts');
  if (!existsSync(entry)) throw new Error(`${entry} does not exist: there is nothing to bundle`);
  const { build } = await import('esbuild');
  await build({
    entryPoints: { stdio: entry },
    outdir: join(folder, 'dist'),
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    legalComments: 'none',
    logLevel: 'warning',
    banner: {
      // Some libraries in it are CommonJS and ask for Node's own modules by require.
      js: "import { createRequire as bundleRequire } from 'node:module'; const require = bundleRequire(import.meta.url);",
    },
    ...options,
  });
}
