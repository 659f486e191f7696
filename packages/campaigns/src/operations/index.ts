import { readdir } from 'node:fs/promises';
import type { ProblemCode } from '@postern/http';
import type { Operation } from '@postern/kit';
import type { CampaignsContext, CampaignsRights } from '../context.ts';

export type CampaignsOperation = Operation<CampaignsContext, CampaignsRights, ProblemCode>;

/** Every operation of this folder, by name: a new one is found by its file alone. */
async function discover(): Promise<CampaignsOperation[]> {
  const found: CampaignsOperation[] = [];
  for (const file of (await readdir(import.meta.dirname)).sort()) {
    if (!file.endsWith('.ts') || file.endsWith('.test.ts') || file === 'index.ts') continue;
    const module: Record<string, unknown> = await import(new URL(file, import.meta.url).href);
    const operations = Object.values(module).filter(isOperation);
    if (operations.length !== 1) throw new Error(`${file} must export exactly one operation`);
    found.push(...operations);
  }
  return found.sort((one, other) => (one.name < other.name ? -1 : 1));
}

function isOperation(value: unknown): value is CampaignsOperation {
  return (
    typeof value === 'object' && value !== null && 'handle' in value && 'http' in value && 'rights' in value
  );
}

export const campaignsOperations: readonly CampaignsOperation[] = await discover();
