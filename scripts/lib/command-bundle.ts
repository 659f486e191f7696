import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, join, relative, sep } from 'node:path';
import type { BuildOptions, Metafile, OutputFile, Plugin } from 'esbuild';
import { root } from './paths.ts';
import { staticOperations } from './static-operations.ts';

const FOLDER = join(root, 'packages/postern/dist');
/** What bin/postern.js compares with what is there before it takes the bundle. */
const MADE_OF = 'made-of.json';
const SOURCE = /[\\/]packages[\\/][^\\/]+[\\/]src[\\/].*\.ts$/;
/** They ask for files beside their own, or for one instance of themselves. */
const NEVER_BUNDLED = /^pino(?:-pretty)?$/;
/** Drivers of others that may be installed beside them; each is asked for under `try`. */
const OPTIONAL = ['pg-native', 'bufferutil', 'utf-8-validate'];

/** What a bundle was made of; the paths are relative to the checkout. */
interface MadeOf {
  /** Path, size in bytes, and last change in whole seconds, which is all that archives keep. */
  readonly files: readonly (readonly [path: string, size: number, second: number])[];
  /** Folders whose files were looked for, with the names found. */
  readonly folders: readonly (readonly [path: string, names: readonly string[]])[];
  /** Names of the bundle's own files. */
  readonly outputs: readonly string[];
}

/**
 * Bundles the `postern` command, the hub included: two thousand modules one by one take most of a second to find
 * and read. Commands stay apart, each with what it alone needs, and packages that are imported when they are needed
 * stay where they are. Worker threads run from the sources.
 *
 * @throws Error when the sources don't bundle.
 */
export async function bundleCommand(): Promise<void> {
  const { made, files } = await buildCommand();
  replace(made, files);
}

/** The bundle, not written anywhere. @throws Error when the sources don't bundle. */
export async function buildCommand(): Promise<{ made: MadeOf; files: OutputFile[]; metafile: Metafile }> {
  const stamps = new Map<string, readonly [string, number, number]>();
  const folders: [string, readonly string[]][] = [];
  const stamp = (path: string): void => {
    const { size, mtimeMs } = statSync(path);
    stamps.set(path, [fromRoot(path), size, Math.floor(mtimeMs / 1_000)]);
  };
  const { build } = await import('esbuild');
  const { outputFiles, metafile } = await build({
    ...options,
    write: false,
    metafile: true,
    plugins: [
      staticOperations((folder, names) => folders.push([fromRoot(folder), names])),
      sourcesInPlace(stamp),
      packagesInPlace(),
      lazyBuiltins(),
    ],
  });
  const manifests = readdirSync(join(root, 'packages')).map((name) => `packages/${name}/package.json`);
  for (const input of [...Object.keys(metafile.inputs), ...manifests, 'package-lock.json']) {
    const path = join(root, input);
    if (/^packages\/(?!.*node_modules)|^package-lock\.json$/.test(input) && !stamps.has(path)) stamp(path);
  }
  const outputs = outputFiles.map(({ path }) => basename(path));
  return { made: { files: [...stamps.values()], folders, outputs }, files: outputFiles, metafile };
}

const options = {
  absWorkingDir: root,
  entryPoints: { main: join(root, 'packages/postern/src/cli/main.ts') },
  outdir: FOLDER,
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  external: OPTIONAL,
  legalComments: 'none',
  logLevel: 'warning',
  banner: {
    // Some libraries in it are CommonJS and ask for Node's own modules by require.
    js: "import { createRequire as bundleRequire } from 'node:module'; const require = bundleRequire(import.meta.url);",
  },
} as const satisfies BuildOptions;

/**
 * The new files beside those of the bundle before, which a process that runs may still load from; older ones go. The
 * list of what it was made of comes last: without it, or with the old one, the sources are run.
 */
function replace(made: MadeOf, files: readonly OutputFile[]): void {
  mkdirSync(FOLDER, { recursive: true });
  const kept = new Set([...made.outputs, ...outputsBefore(), MADE_OF]);
  for (const { path, contents } of files) put(path, contents);
  put(join(FOLDER, MADE_OF), JSON.stringify(made));
  for (const name of readdirSync(FOLDER)) {
    if (!kept.has(name)) rmSync(join(FOLDER, name), { recursive: true });
  }
}

function put(path: string, contents: string | Uint8Array): void {
  writeFileSync(`${path}.new`, contents);
  renameSync(`${path}.new`, path);
}

function outputsBefore(): readonly string[] {
  try {
    return (JSON.parse(readFileSync(join(FOLDER, MADE_OF), 'utf8')) as MadeOf).outputs;
  } catch {
    return [];
  }
}

/** What sources find from their own place (assets, programs of threads) they find from the bundle too. */
function sourcesInPlace(onFile: (path: string) => void): Plugin {
  return {
    name: 'sources-in-place',
    setup(build) {
      build.onLoad({ filter: SOURCE }, ({ path }) => {
        onFile(path);
        const place = `new URL(${JSON.stringify(fromBundle(path))}, import.meta.url).href`;
        return { contents: readFileSync(path, 'utf8').replaceAll('import.meta.url', place), loader: 'ts' };
      });
    },
  };
}

/** Packages that are loaded when they are needed are so from the bundle, by the path their importer finds them at. */
function packagesInPlace(): Plugin {
  const SEEN = Symbol('seen');
  return {
    name: 'packages-in-place',
    setup(build) {
      build.onResolve({ filter: /^[^./]/ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
        if (pluginData === SEEN || isBuiltin(path) || path.startsWith('@postern/')) return undefined;
        const isLazy = kind === 'dynamic-import' && SOURCE.test(importer);
        if (!isLazy && !NEVER_BUNDLED.test(path)) return undefined;
        const found = await build.resolve(path, { kind, importer, resolveDir, pluginData: SEEN });
        return found.errors.length > 0 ? found : { path: fromBundle(found.path), external: true };
      });
    },
  };
}

/** To import these by name asks for all they export, and so for Node's fetch, which takes longer than all the rest. */
function lazyBuiltins(): Plugin {
  return {
    name: 'lazy-builtins',
    setup(build) {
      build.onResolve({ filter: /^(?:node:)?https?$/ }, ({ path, kind }) =>
        kind === 'import-statement' ? { path, namespace: 'lazy-builtin' } : undefined,
      );
      build.onLoad({ filter: /./, namespace: 'lazy-builtin' }, ({ path }) => ({
        contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
      }));
    },
  };
}

function fromRoot(path: string): string {
  return relative(root, path).replaceAll(sep, '/');
}

/** As an import in the bundle names it. */
function fromBundle(path: string): string {
  const place = relative(FOLDER, path).replaceAll(sep, '/');
  return place.startsWith('.') ? place : `./${place}`;
}
