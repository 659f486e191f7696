import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { parse as parseToml } from 'smol-toml';
import { parse as parseYaml } from 'yaml';
import * as z from 'zod';
import { Refusal } from '../secrets/data-folder.ts';

/** Entries one file may hold; the allowlist is written by hand. */
const MOST_ENTRIES = 10_000;

const id = z.string('must be a text; put it in quotes, since long numbers lose digits').min(1).max(512);

const entrySchema = z.strictObject({
  source: id,
  sender_id: id,
  display_name: z.string().min(1).max(256).optional(),
  person_id: id.optional(),
});

export type FileEntry = z.output<typeof entrySchema>;

/**
 * Reads the entries of a TOML or YAML file: a list, alone or under the one key of the file
 * (`[[entries]]`, `entries:`).
 *
 * @throws Refusal naming the file, the entry and what is wrong; the file is taken whole or not at all.
 */
export function readAllowlistFile(path: string, name: string): FileEntry[] {
  const refuse = (message: string) => new Refusal(`${name}: ${message}`);
  const list = listIn(parseFile(path, refuse));
  if (list === null)
    throw refuse('found no list of entries; accepted: entries, each with source and sender_id');
  if (list.length > MOST_ENTRIES)
    throw refuse(`found ${list.length} entries; accepted: at most ${MOST_ENTRIES}`);
  return list.map((entry, index) => {
    const checked = entrySchema.safeParse(entry);
    if (checked.success) return checked.data;
    const [issue] = checked.error.issues;
    throw refuse(`entry ${index + 1}: ${[issue?.path.join('.'), issue?.message].filter(Boolean).join(': ')}`);
  });
}

function parseFile(path: string, refuse: (message: string) => Refusal): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw refuse(`cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  const parsers: Readonly<Record<string, (text: string) => unknown>> = {
    '.toml': parseToml,
    '.yaml': parseYaml,
    '.yml': parseYaml,
  };
  const parser = parsers[extname(path).toLowerCase()];
  if (parser === undefined) throw refuse('the name must end in .toml, .yaml or .yml');
  try {
    return parser(text);
  } catch (error) {
    throw refuse(`cannot be parsed: ${(error as Error).message.split('\n')[0]}`);
  }
}

function listIn(document: unknown): readonly unknown[] | null {
  if (Array.isArray(document)) return document;
  if (typeof document !== 'object' || document === null) return null;
  const values = Object.values(document);
  return values.length === 1 && Array.isArray(values[0]) ? values[0] : null;
}
