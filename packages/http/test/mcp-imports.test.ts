import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

test('what a stdio bundle imports has no web server, no database and no HTTP client in it', async () => {
  const { metafile } = await build({
    entryPoints: [fileURLToPath(new URL('../src/mcp/index.ts', import.meta.url))],
    bundle: true,
    platform: 'node',
    format: 'esm',
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  const inputs = Object.keys(metafile.inputs);
  expect(inputs.filter((path) => /node_modules\/(fastify|undici|kysely|pg|hono|@hono)\//.test(path))).toEqual(
    [],
  );
  expect(inputs.filter((path) => /packages\/(store|inbox|local-chat|postern)\//.test(path))).toEqual([]);
  expect(inputs.some((path) => path.endsWith('packages/http/src/server.ts'))).toBe(false);
});
