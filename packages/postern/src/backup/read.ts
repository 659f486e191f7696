import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createGunzip } from 'node:zlib';
import { Refusal } from '../secrets/data-folder.ts';
import { FORMAT, isEntryName, MANIFEST, type Manifest, manifestSchema } from './manifest.ts';
import { readTar, TarError } from './tar.ts';

/** A manifest names each file in about 150 bytes; more than this is no manifest. */
const LARGEST_MANIFEST = 256 * 1_048_576;

/**
 * Unpacks an archive into an empty folder and verifies every file against the manifest.
 *
 * @throws Refusal when it is no whole, undamaged backup that this version understands; the folder may then
 * hold some of it.
 */
export async function unpackBackup(archive: string, folder: string): Promise<Manifest> {
  const found = new Map<string, { size: number; sha256: string }>();
  let manifest: Manifest | null = null;
  try {
    const bytes = createReadStream(archive);
    // An error of the file does not reach the other end of a pipe by itself.
    const unzipped = bytes.pipe(createGunzip());
    bytes.once('error', (error) => unzipped.destroy(error));
    for await (const entry of readTar(unzipped)) {
      if (entry.name === MANIFEST) {
        manifest = await readManifest(entry.content, entry.size);
      } else if (!isEntryName(entry.name) || found.has(entry.name)) {
        throw new TarError(`the archive holds an entry that no backup has: ${JSON.stringify(entry.name)}`);
      } else {
        found.set(entry.name, {
          size: entry.size,
          sha256: await writeEntry(join(folder, entry.name), entry.content),
        });
      }
    }
  } catch (error) {
    throw asRefusal(error, archive);
  }
  if (manifest === null) throw new Refusal(`${archive} has no manifest: it is cut short, or no backup`);
  if (manifest.format !== FORMAT) {
    throw new Refusal(
      `${archive} was written by Postern ${manifest.version} in a form that this version does not read`,
    );
  }
  for (const { name, size, sha256 } of manifest.files) {
    const file = found.get(name);
    if (file?.size !== size || file.sha256 !== sha256)
      throw new Refusal(`${archive} is damaged: ${name} is not as it was saved`);
    found.delete(name);
  }
  if (found.size > 0)
    throw new Refusal(`${archive} is damaged: it holds files that its manifest does not name`);
  return manifest;
}

async function writeEntry(path: string, content: AsyncIterable<Uint8Array>): Promise<string> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const hash = createHash('sha256');
  const handle = await open(path, 'wx', 0o600);
  try {
    for await (const chunk of content) {
      hash.update(chunk);
      await handle.writeFile(chunk);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  return hash.digest('hex');
}

async function readManifest(content: AsyncIterable<Uint8Array>, size: number): Promise<Manifest> {
  if (size > LARGEST_MANIFEST) throw new TarError('the manifest is too large');
  const chunks: Uint8Array[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return manifestSchema.parse(JSON.parse(Buffer.concat(chunks).toString()));
}

function asRefusal(error: unknown, archive: string): Refusal {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return new Refusal(`${archive} does not exist`);
  if (code === 'ENOSPC') return new Refusal('the disk of the data folder is full');
  if (code?.startsWith('Z_')) return new Refusal(`${archive} is damaged, or no backup (${code})`);
  return new Refusal(`${archive} cannot be read: ${message.split('\n')[0]}`);
}
