import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Every operation of a folder, by name: a new one is found by its file alone. Tests and the index itself are
 * passed over. The caller names the type, since only its own files are read.
 *
 * @throws Error naming the file that does not export exactly one operation.
 */
export async function discoverOperations<Found extends { readonly name: string }>(
  folder: string,
): Promise<Found[]> {
  const found: Found[] = [];
  for (const file of (await readdir(folder)).sort()) {
    if (!file.endsWith('.ts') || file.endsWith('.test.ts') || file === 'index.ts') continue;
    const module: Record<string, unknown> = await import(pathToFileURL(join(folder, file)).href);
    const operations = Object.values(module).filter((value): value is Found => isOperation(value));
    if (operations.length !== 1) throw new Error(`${file} must export exactly one operation`);
    found.push(...operations);
  }
  return found.sort((one, other) => (one.name < other.name ? -1 : 1));
}

function isOperation(value: unknown): boolean {
  return (
    typeof value === 'object' && value !== null && 'handle' in value && 'http' in value && 'rights' in value
  );
}
