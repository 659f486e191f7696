import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build, type Metafile } from 'esbuild';
import { describe, expect, test } from 'vitest';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** All that a file imports, straight or through others, as a bundle would hold it. */
async function graphOf(entryPoints: string[]): Promise<Metafile> {
  const { metafile } = await build({
    entryPoints,
    bundle: true,
    platform: 'node',
    format: 'esm',
    outdir: here('unused'),
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  return metafile;
}

const operationFiles = (await readdir(here('../operations')))
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && name !== 'index.ts')
  .map((name) => here(`../operations/${name}`));

const entries: [string, string[]][] = [
  ['the stdio server', [here('index.ts')]],
  ...operationFiles.map((file): [string, string[]] => [file.split('/').slice(-2).join('/'), [file]]),
];

describe('what it imports, straight or through others', () => {
  test('there are operations to look at', () => {
    expect(operationFiles.length).toBeGreaterThanOrEqual(20);
  });

  test.each(entries)('%s: no database, web server, HTTP client or platform', async (_name, entryPoints) => {
    const { inputs } = await graphOf(entryPoints);
    const files = Object.keys(inputs);
    expect(files.length).toBeGreaterThan(3);
    expect(
      files.filter((path) =>
        /node_modules\/(kysely|pg|pg-[a-z]+|fastify|@fastify|undici|discord\.js|@discordjs)\//.test(path),
      ),
    ).toEqual([]);
    expect(files.filter((path) => /packages\/(store|local-chat|postern)\//.test(path))).toEqual([]);
    expect(
      files.filter((path) =>
        /packages\/inbox\/src\/(connectors|messages|send|webhooks|attachments)\//.test(path),
      ),
    ).toEqual([]);
    const builtins = Object.values(inputs).flatMap((input) => input.imports.map(({ path }) => path));
    expect(
      builtins.filter((path) => /^(node:)?(sqlite|child_process|worker_threads|cluster|dgram)$/.test(path)),
    ).toEqual([]);
  });
});
