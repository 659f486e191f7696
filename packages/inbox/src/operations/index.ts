import { readdir } from 'node:fs/promises';
import type { Operation } from '@postern/kit';
import type { InboxContext, InboxRights } from '../context.ts';
import type { InboxCode } from '../errors.ts';

export type InboxOperation = Operation<InboxContext, InboxRights, InboxCode>;

/**
 * Every operation of this folder, by name: a new one is found by its file alone. The bundle of the stdio
 * server has this module replaced by plain imports of the same files.
 */
async function discover(): Promise<InboxOperation[]> {
  const found: InboxOperation[] = [];
  for (const file of (await readdir(import.meta.dirname)).sort()) {
    if (!file.endsWith('.ts') || file.endsWith('.test.ts') || file === 'index.ts') continue;
    const module: Record<string, unknown> = await import(new URL(file, import.meta.url).href);
    const operations = Object.values(module).filter(isOperation);
    if (operations.length !== 1) throw new Error(`${file} must export exactly one operation`);
    found.push(...operations);
  }
  return found.sort((one, other) => (one.name < other.name ? -1 : 1));
}

function isOperation(value: unknown): value is InboxOperation {
  return (
    typeof value === 'object' && value !== null && 'handle' in value && 'http' in value && 'rights' in value
  );
}

export const inboxOperations: readonly InboxOperation[] = await discover();
