import { constants, type Stats } from 'node:fs';
import { lstat, mkdir, mkdtemp, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { OutboundFile } from '../../connector.ts';

/** Messages copies what it sends in its own time; what is left after this was forgotten. */
const FORGOTTEN_MS = 60 * 60_000;
const LONGEST_NAME_BYTES = 200;
const FOLDER = 'postern';

/** A file that Messages is told to send: a copy in a folder of its own, which Messages may read. */
export interface StagedFile {
  readonly path: string;
  readonly name: string;
  readonly sizeBytes: number;
  /** Whether the path still names the copy that was made, and nothing else does. */
  isIntact(): Promise<boolean>;
  discard(): Promise<void>;
}

/**
 * Copies a file beneath the attachments of Messages, the one place that its sandbox lets it read without being
 * asked. The copy has a random folder that is open to its owner alone.
 *
 * @throws as the file system does, or when there are more bytes than the file says; nothing stays then.
 */
export async function stageFile(attachments: string, file: OutboundFile): Promise<StagedFile> {
  const root = join(attachments, FOLDER);
  await mkdir(root, { recursive: true, mode: 0o700 });
  if (!(await lstat(root)).isDirectory()) throw new Error(`${root} is no folder`);
  const folder = await mkdtemp(join(root, 'send-'));
  const discard = () => rm(folder, { recursive: true, force: true });
  try {
    const name = safeName(file.name);
    const path = join(folder, name);
    const made = await copy(file, path);
    return {
      path,
      name,
      sizeBytes: made.size,
      async isIntact() {
        const now = await lstat(path).catch(() => null);
        return (
          now?.isFile() === true &&
          now.dev === made.dev &&
          now.ino === made.ino &&
          now.nlink === 1 &&
          now.size === made.size &&
          now.mtimeMs === made.mtimeMs
        );
      },
      discard,
    };
  } catch (error) {
    await discard();
    throw error;
  }
}

async function copy(file: OutboundFile, path: string): Promise<Stats> {
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
  const handle = await open(path, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY, 0o600);
  try {
    let size = 0;
    for await (const chunk of await file.open()) {
      size += chunk.length;
      if (size > file.sizeBytes) throw new Error('the file has more bytes than it says');
      await handle.writeFile(chunk);
    }
    await handle.sync();
    return await handle.stat();
  } finally {
    await handle.close();
  }
}

/** Removes copies that earlier sends, or processes that died, have left. Never throws. */
export async function sweepStagedFiles(attachments: string, nowMs: number): Promise<void> {
  const root = join(attachments, FOLDER);
  const folders = await readdir(root, { withFileTypes: true }).catch(() => []);
  for (const folder of folders) {
    if (!folder.isDirectory() || !folder.name.startsWith('send-')) continue;
    const path = join(root, folder.name);
    const found = await lstat(path).catch(() => null);
    if (found && found.mtimeMs < nowMs - FORGOTTEN_MS)
      await rm(path, { recursive: true, force: true }).catch(() => {});
  }
}

/** A name for one file: no way to another folder, no hidden file, nothing that a terminal would act on. */
function safeName(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out.
  let safe = name.replaceAll(/[/\\:\u0000-\u001f\u007f]/g, '_').replace(/^\.+/, '') || 'attachment';
  while (Buffer.byteLength(safe) > LONGEST_NAME_BYTES) {
    const dot = safe.lastIndexOf('.');
    const extension = dot > 0 && safe.length - dot <= 16 ? safe.slice(dot) : '';
    const stem = [...safe.slice(0, safe.length - extension.length)];
    safe = stem.slice(0, -1).join('') + extension;
  }
  return safe;
}
