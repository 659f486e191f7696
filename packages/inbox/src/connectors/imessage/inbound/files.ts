import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { openAllowedFile } from '../../../attachments/local-file.ts';
import type { InboundAttachment } from '../../connector.ts';
import type { AttachmentRow } from '../database/rows.ts';

/** Numbers of `transfer_state`; others are steps on the way. */
const FINISHED = 5;
const FAILED = new Set([6, 8]);
const UNSEEN_SUFFIX = '.pluginPayloadAttachment';
/** A bound for the guard of files alone; what is kept is bounded by the sink. */
const LARGEST_FILE = 100 * 1_073_741_824;

export interface MessageFile {
  readonly guid: string;
  readonly name: string;
  readonly mime: string | null;
  readonly sizeBytes: number;
  readonly state: 'ready' | 'coming' | 'failed';
  readonly attachment: InboundAttachment;
}

/** The folder of all attachments: beside the database, as on a Mac. */
export function attachmentsFolder(chatDb: string): string {
  return join(dirname(chatDb), 'Attachments');
}

/** Files that people see; what belongs to the picture of a link or an app is passed over. */
export function filesOf(rows: readonly AttachmentRow[], chatDb: string): MessageFile[] {
  return rows
    .filter((row) => !row.hidden && !(row.name ?? row.filename ?? '').endsWith(UNSEEN_SUFFIX))
    .map((row) => fileOf(row, chatDb));
}

/** Files that a message names and Messages has not written down yet; only their number is beyond doubt. */
export function unwrittenFiles(named: readonly string[], rows: readonly AttachmentRow[]): MessageFile[] {
  const known = new Set(rows.map(({ guid }) => guid));
  const count = Math.max(0, named.length - rows.length);
  return named
    .filter((guid) => !known.has(guid))
    .slice(0, count)
    .map((guid) => {
      const name = 'attachment';
      const open = () => Promise.reject(new Error('Messages has no file for the attachment'));
      return {
        guid,
        name,
        mime: null,
        sizeBytes: 0,
        state: 'coming',
        attachment: { name, sizeBytes: 0, open },
      };
    });
}

function fileOf(row: AttachmentRow, chatDb: string): MessageFile {
  const path = row.filename === null ? null : pathOf(row.filename, chatDb);
  const name = row.name || (path === null ? 'attachment' : basename(path));
  return {
    guid: row.guid,
    name,
    mime: row.mime,
    sizeBytes: row.sizeBytes,
    state: stateOf(row, path),
    attachment: {
      name,
      sizeBytes: row.sizeBytes,
      async open() {
        if (path === null) throw new Error('Messages has no file for the attachment');
        return bytesOf(path, attachmentsFolder(chatDb));
      },
    },
  };
}

function stateOf(row: AttachmentRow, path: string | null): MessageFile['state'] {
  if (row.state === FINISHED || row.state === null) return 'ready';
  if (FAILED.has(row.state)) return 'failed';
  // Rows of some versions never say that they are finished.
  return path !== null && row.sizeBytes > 0 && sizeOf(path) === row.sizeBytes ? 'ready' : 'coming';
}

function sizeOf(path: string): number | null {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isFile() ? found.size : null;
}

/** `~/Library/Messages/…`, as the database has it, beside the database that was opened. */
function pathOf(filename: string, chatDb: string): string | null {
  const inMessages = /^~\/Library\/Messages\/(.+)$/s.exec(filename);
  if (inMessages?.[1] !== undefined) return join(dirname(chatDb), inMessages[1]);
  if (filename.startsWith('~/')) return join(homedir(), filename.slice(2));
  return isAbsolute(filename) ? filename : null;
}

/**
 * A path in the database is no promise: the file has to lie in the folder of attachments when all links are
 * followed, be a regular file with one name, and is read from the descriptor that was looked at.
 */
async function* bytesOf(path: string, folder: string): AsyncGenerator<Uint8Array> {
  const { handle } = await openAllowedFile(path, 'attachment', {
    allowedDirs: [folder],
    maxBytes: LARGEST_FILE,
  });
  try {
    yield* handle.createReadStream({ autoClose: false });
  } finally {
    await handle.close();
  }
}
