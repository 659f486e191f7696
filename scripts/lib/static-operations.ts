import { readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Plugin } from 'esbuild';

const DISCOVERY = /^export const (\w+)[^=]*=\s*await discoverOperations\b/m;

/**
 * The sources find operations by looking into their folder; a bundle has no folder, so a module that looks is
 * replaced by plain imports of the same files, with the same outcome.
 *
 * @param onFolder Is told each folder that was looked into, and the names of all that is there.
 */
export function staticOperations(
  onFolder: (folder: string, names: readonly string[]) => void = () => {},
): Plugin {
  return {
    name: 'static-operations',
    setup(build) {
      build.onLoad({ filter: /[\\/]src[\\/]operations[\\/]index\.ts$/ }, ({ path }) => {
        const [, constant] = DISCOVERY.exec(readFileSync(path, 'utf8')) ?? [];
        // The other services name their operations one by one.
        if (constant === undefined) return undefined;
        const folder = dirname(path);
        const names = readdirSync(folder).sort();
        onFolder(folder, names);
        const files = names.filter(
          (file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && file !== 'index.ts',
        );
        if (files.length === 0) return { errors: [{ text: `${folder} holds no operations` }] };
        return {
          contents: importing(files, constant),
          loader: 'ts',
          resolveDir: folder,
          watchDirs: [folder],
        };
      });
    },
  };
}

function importing(files: readonly string[], constant: string): string {
  const imports = files.map((file, index) => `import * as module${index} from './${file}';`);
  const modules = files.map((_, index) => `module${index}`).join(', ');
  return `${imports.join('\n')}
export const ${constant} = [${modules}]
  .flatMap((module) => Object.values(module))
  .filter((value) => typeof value === 'object' && value !== null && 'handle' in value && 'http' in value)
  .sort((one, other) => (one.name < other.name ? -1 : 1));
`;
}
