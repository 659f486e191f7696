import * as z from 'zod';

/** What a backup says about itself: its last entry, so that a cut archive has none. */

export const MANIFEST = 'manifest.json';
export const DATABASE = 'database/postern.db';
export const SECRETS = 'secrets/';
export const BLOBS = 'blobs/';
export const AUDIT = 'audit/';

/** The files an archive may hold; nothing else is ever written by a restore. */
const ENTRY_NAME =
  /^(?:database\/postern\.db|secrets\/[a-z][a-z-]{0,40}|blobs\/[0-9a-f]{2}\/[A-Za-z0-9_-]{1,128}|audit\/[A-Za-z0-9][A-Za-z0-9_-]{0,63}\.jsonl)$/;

export const FORMAT = 1;

export const manifestSchema = z.strictObject({
  format: z.int(),
  /** Version of Postern that wrote it. */
  version: z.string(),
  created_at: z.string(),
  /** On PostgreSQL the database and the attachments are not in the archive. */
  engine: z.enum(['sqlite', 'postgres']),
  files: z.array(
    z.strictObject({
      name: z.string().regex(ENTRY_NAME),
      size: z.int().min(0),
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
    }),
  ),
});

export type Manifest = z.output<typeof manifestSchema>;

export function isEntryName(name: string): boolean {
  return ENTRY_NAME.test(name);
}
