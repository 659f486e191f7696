import { readFileSync } from 'node:fs';
import * as z from 'zod';

const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

/** Version of this installation, as package.json has it. */
export const version = z.object({ version: z.string() }).parse(manifest).version;
