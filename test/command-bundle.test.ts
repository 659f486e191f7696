import { createHash } from 'node:crypto';
import type { Metafile } from 'esbuild';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildCommand } from '../scripts/lib/command-bundle.ts';

/** What a part of the command loads before it can run: its own modules and packages, without what it imports later. */

const HEAVY =
  /node_modules\/(fastify|kysely|pg|@modelcontextprotocol\/[^/]+|undici|mjml|liquidjs|discord\.js|@slack\/[^/]+|html-to-text|imapflow|ws|pino)\//;
const SERVICES =
  /packages\/(campaigns|inbox|threads|local-chat|http)\/src\/(?!config\.ts|connectors\/imessage\/settings\.ts)/;

let bundle: Awaited<ReturnType<typeof buildCommand>>;
beforeAll(async () => {
  bundle = await buildCommand();
});

/** Sources in the file that holds `entry`, and in all that it imports at once. */
function loadedWith(entry: string, { outputs }: Metafile): string[] {
  const [first] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === entry) ?? [];
  if (first === undefined) throw new Error(`${entry} has no file of its own in the bundle`);
  const files = new Set([first]);
  for (const file of files) {
    for (const { path, kind, external } of outputs[file]?.imports ?? []) {
      if (kind === 'import-statement' && external !== true) files.add(path);
    }
  }
  return [...files].flatMap((file) => Object.keys(outputs[file]?.inputs ?? {}));
}

const command = (name: string) => `packages/postern/src/cli/commands/${name}.ts`;

test('help and version load no package at all but for checks of values', () => {
  const loaded = loadedWith('packages/postern/src/cli/main.ts', bundle.metafile);
  expect(loaded).toContain('packages/postern/src/cli/commands.ts');
  expect(loaded.filter((path) => path.includes('node_modules/') && !path.includes('/zod/'))).toEqual([]);
  expect(loaded.filter((path) => SERVICES.test(path))).toEqual([]);
});

test('the configuration is read without any service', () => {
  const loaded = loadedWith('packages/postern/src/config/load.ts', bundle.metafile);
  expect(loaded).toContain('packages/threads/src/config.ts');
  expect(loaded.filter((path) => HEAVY.test(path) || SERVICES.test(path))).toEqual([]);
});

test.each(['keys', 'agents', 'allowlist', 'pairing', 'webhooks', 'login', 'config-check', 'agent-run'])(
  '%s asks a running server without loading one',
  (name) => {
    const loaded = loadedWith(command(name), bundle.metafile);
    expect(loaded).toContain(command(name));
    expect(loaded.filter((path) => HEAVY.test(path) || SERVICES.test(path))).toEqual([]);
  },
);

test('the hub loads the libraries of platforms, mail and templates when they are needed', () => {
  const loaded = loadedWith(command('serve'), bundle.metafile);
  expect(loaded.filter((path) => path.includes('node_modules/fastify/')).length).toBeGreaterThan(0);
  expect(
    loaded.filter((path) => /node_modules\/(mjml|discord\.js|@slack|imapflow|@discordjs)/.test(path)),
  ).toEqual([]);
  expect(loaded.filter((path) => path.startsWith('packages/threads/src/sessions/'))).toEqual([]);
});

describe('what the bundle says it was made of', () => {
  test('every source in it, the manifests, and the folders that operations are found in', () => {
    const sources = Object.keys(bundle.metafile.inputs).filter((path) =>
      /^packages\/[^/]+\/src\//.test(path),
    );
    const named = new Set(bundle.made.files.map(([path]) => path));
    expect(sources.length).toBeGreaterThan(500);
    expect(sources.filter((path) => !named.has(path))).toEqual([]);
    expect([...named]).toEqual(
      expect.arrayContaining([
        'package-lock.json',
        'packages/http/package.json',
        'packages/store/src/lock.ts',
      ]),
    );
    expect(bundle.made.folders.map(([path]) => path).sort()).toEqual([
      'packages/campaigns/src/operations',
      'packages/inbox/src/operations',
    ]);
  });

  test('the same sources make the same files', async () => {
    const again = await buildCommand();
    const digest = ({ files }: typeof bundle) =>
      files.map(({ path, contents }) => [path, createHash('sha256').update(contents).digest('hex')]);
    expect(digest(again)).toEqual(digest(bundle));
  });

  test('no file asks for where it lies, other than to name a source or a package', () => {
    for (const { path, text } of bundle.files) {
      const bare = text
        .replaceAll(/new URL\("\.\.\/[^"]+", import\.meta\.url\)/g, '')
        .replaceAll('bundleRequire(import.meta.url)', '');
      expect([path, /import\.meta\.(?:url|dirname|filename)|\b__dirname\b/.exec(bare)?.[0]]).toEqual([
        path,
        undefined,
      ]);
    }
  });
});
