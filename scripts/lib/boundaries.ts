import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { filesBelow, root } from './paths.ts';

/** The arrows between packages, as the architecture draws them: who may import whom. */

const ARROWS: Readonly<Record<string, readonly string[]>> = {
  kit: [],
  store: ['kit'],
  http: ['kit', 'store'],
  'local-chat': ['kit', 'store', 'http'],
  inbox: ['kit', 'store', 'http'],
  mail: ['kit'],
  campaigns: ['kit', 'store', 'http', 'mail'],
  threads: ['kit', 'store', 'http'],
  console: ['kit'],
  postern: ['kit', 'store', 'http', 'local-chat', 'inbox', 'mail', 'campaigns', 'threads', 'console'],
};

/** Tests may put more together than the product does: real services instead of doubles. */
const TEST = /\.test\.tsx?$|[\\/](?:test|testing)[\\/]/;

const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*['"]([^'"]+)['"]/g;

/** Imports that break an arrow, or reach into another package past its exports; a line each. */
export function boundaryFaults(): string[] {
  return filesBelow(join(root, 'packages'))
    .filter((file) => /\.tsx?$/.test(file) && !/[\\/](?:node_modules|dist)[\\/]/.test(file))
    .flatMap(faultsOf);
}

function faultsOf(file: string): string[] {
  const [, owner = ''] = relative(root, file).split(sep);
  const allowed = ARROWS[owner];
  const place = relative(root, file);
  if (allowed === undefined)
    return [`${place}: the package ${owner} has no arrows in scripts/lib/boundaries.ts`];
  const faults: string[] = [];
  for (const [, target = ''] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
    if (target.startsWith('.')) {
      const inside = resolve(dirname(file), target).startsWith(join(root, 'packages', owner) + sep);
      if (!inside && !TEST.test(file))
        faults.push(`${place}: ${target} leaves the package; import the other one by name`);
      continue;
    }
    const imported = /^@postern\/([^/]+)/.exec(target)?.[1];
    if (imported === undefined || imported === owner || allowed.includes(imported) || TEST.test(file))
      continue;
    faults.push(
      `${place}: ${owner} must not import ${imported} (it may import ${allowed.join(', ') || 'no other package'})`,
    );
  }
  return faults;
}
