import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readdirSync } from 'node:fs';
import { open, rename, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Clock, formatMicroseconds } from '@postern/kit';
import { connectStore } from '@postern/store';
import { auditFolder, blobsFolder, databaseFile, Refusal, secretsFolder } from '../secrets/data-folder.ts';
import { version } from '../version.ts';
import { openWorkshop, removeOldWorkshops } from './leftovers.ts';
import { AUDIT, BLOBS, DATABASE, FORMAT, isEntryName, MANIFEST, type Manifest, SECRETS } from './manifest.ts';
import { type TarEntry, writeTar } from './tar.ts';

export interface BackupOptions {
  readonly dataDir: string;
  /** Absolute path of the archive. */
  readonly target: string;
  /** Whether the database is the SQLite file of the data folder. */
  readonly engine: Manifest['engine'];
  readonly clock: Clock;
}

interface Source {
  readonly name: string;
  readonly path: string;
}

/**
 * Writes the archive in a folder beside its target and moves it there when it is whole. The database is copied first, as
 * it stood at one moment; attachments are stored before a message refers to them and never change, so every
 * one that the copy knows is still there or was deleted since.
 *
 * @throws Refusal when there is nothing to back up.
 */
export async function writeBackup({ dataDir, target, engine, clock }: BackupOptions): Promise<Manifest> {
  const files: Manifest['files'] = [];
  const createdAt = formatMicroseconds(clock.nowMicroseconds());
  await removeOldWorkshops(dirname(target));
  const workshop = await openWorkshop(dirname(target));
  // Beside the target, so that a rename puts it there; in the workshop, so that it never outlives a crash for long.
  const draft = join(workshop.path, 'archive');
  try {
    const sources = [
      ...(engine === 'sqlite' ? await copyDatabase(dataDir, workshop.path, clock) : []),
      ...filesBelow(secretsFolder(dataDir), SECRETS),
      ...(engine === 'sqlite' ? filesBelow(blobsFolder(dataDir), BLOBS) : []),
      ...filesBelow(auditFolder(dataDir), AUDIT),
    ];
    const manifest = (): Manifest => ({ format: FORMAT, version, created_at: createdAt, engine, files });
    const handle = await open(draft, 'wx', 0o600);
    try {
      const archive = Readable.from(writeTar(entries(sources, files, manifest)), { objectMode: false });
      await pipeline(archive, createGzip(), async (bytes) => {
        for await (const chunk of bytes) await handle.writeFile(chunk as Uint8Array);
      });
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, target);
    return manifest();
  } finally {
    await workshop.remove();
  }
}

async function copyDatabase(dataDir: string, workshop: string, clock: Clock): Promise<Source[]> {
  const file = databaseFile(dataDir);
  if (!existsSync(file)) throw new Refusal(`${dataDir} holds no database: there is nothing to back up`);
  const copy = join(workshop, 'postern.db');
  const store = await connectStore({ file, clock });
  try {
    await store.backup(copy);
  } finally {
    await store.close();
  }
  return [{ name: DATABASE, path: copy }];
}

/** Files of a folder as entries; drafts and strangers, whose names are not ours, are passed over. */
function filesBelow(folder: string, prefix: string): Source[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path, name: `${prefix}${relative(folder, path).split(sep).join('/')}` }))
    .filter(({ name }) => isEntryName(name));
}

async function* entries(
  sources: readonly Source[],
  files: Manifest['files'],
  manifest: () => Manifest,
): AsyncGenerator<TarEntry> {
  for (const { name, path } of sources) {
    const size = await sizeOf(path);
    // Deleted since the folder was read: its message's time was up.
    if (size === null) continue;
    const hash = createHash('sha256');
    async function* content(): AsyncGenerator<Uint8Array> {
      // A record that is written meanwhile has grown; what was there at first is whole by itself.
      const upTo = size === 0 ? Readable.from([]) : createReadStream(path, { end: (size as number) - 1 });
      for await (const chunk of upTo) {
        hash.update(chunk as Uint8Array);
        yield chunk as Uint8Array;
      }
      files.push({ name, size: size as number, sha256: hash.digest('hex') });
    }
    yield { name, size, content: content() };
  }
  const text = Buffer.from(`${JSON.stringify(manifest(), null, 2)}\n`);
  yield { name: MANIFEST, size: text.length, content: Readable.from([text]) };
}

async function sizeOf(path: string): Promise<number | null> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
