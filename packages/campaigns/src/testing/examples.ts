import { readdir } from 'node:fs/promises';
import type { ProjectTable } from '../tables.ts';
import type { CampaignsBench } from './bench.ts';

/**
 * One real call of each operation. The contract test makes it over REST and as a tool, in both protocol eras, and
 * compares; the reference pages show it. An area's examples stand in a file of their own under `examples/`, which is
 * found by itself.
 */

export interface Stage extends CampaignsBench {
  /** The project the call is made in. */
  readonly project: ProjectTable;
}

export interface Example {
  /** `admin` where an API key of the project with every scope is not enough. */
  readonly caller?: 'admin';
  /** Makes what the call needs, and gives its arguments without project_id and confirm. */
  arrange(stage: Stage): Promise<Record<string, unknown>> | Record<string, unknown>;
}

export type Examples = Readonly<Record<string, Example>>;

async function discover(): Promise<Examples> {
  const folder = new URL('examples/', import.meta.url);
  const found: Record<string, Example> = {};
  for (const file of (await readdir(folder)).sort()) {
    const { examples }: { examples?: Examples } = await import(new URL(file, folder).href);
    if (examples === undefined) throw new Error(`${file} must export examples`);
    for (const [name, example] of Object.entries(examples)) {
      if (Object.hasOwn(found, name)) throw new Error(`${file} has one more example of ${name}`);
      found[name] = example;
    }
  }
  return found;
}

export const examples: Examples = await discover();
