import { isBuiltin } from 'node:module';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** One of these is started for each session, so it must not bring along what only the bot needs. */
test('the server loads no database, web server or chat platform unless it stands alone', async () => {
  const { metafile } = await build({
    entryPoints: [here('index.ts')],
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    outdir: here('unused'),
    write: false,
    metafile: true,
    external: ['@slack/*', 'kysely', 'pg', 'ws', 'file-type', 'fastify', '@fastify/*', 'undici'],
    logLevel: 'silent',
  });
  const files = new Set<string>();
  const libraries = new Set<string>();
  const visit = (name: string) => {
    const output = metafile.outputs[name];
    for (const input of Object.keys(output?.inputs ?? {})) files.add(input);
    for (const { path, kind, external } of output?.imports ?? []) {
      if (kind !== 'import-statement') continue;
      if (external === true) libraries.add(path);
      else visit(path);
    }
  };
  const start = Object.entries(metafile.outputs).find(([, { entryPoint }]) =>
    entryPoint?.endsWith('index.ts'),
  );
  visit(start?.[0] ?? '');
  expect(files.size).toBeGreaterThan(30);
  const own = [...files].filter((path) => /(?:^|\/)packages\//.test(path) || path.startsWith('src/'));
  expect(own.filter((path) => /packages\/(store|local-chat|inbox|postern)\//.test(path))).toEqual([]);
  expect(own.filter((path) => BOT_ONLY.test(path))).toEqual([]);
  expect([...libraries].filter((name) => !isBuiltin(name) || SLOW.test(name))).toEqual([]);
});

const BOT_ONLY =
  /\/threads\/src\/((stdio\/standalone|sessions|agent|output|operations|platforms\/\w+)\/|questions\/questions\.ts)/;
/** Modules of Node that cost the start time or memory. */
const SLOW = /^(node:)?(net|tls|http|https|sqlite|child_process|worker_threads|cluster|dgram)$/;
