import type { NewAttachment } from '../api/local.ts';
import type { OutgoingFile } from './outbox.ts';

/** Turns a picked file into what the API takes. */
export function encodeFile(file: File): Promise<NewAttachment> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onerror = () => reject(new Error(`“${file.name}” can’t be read any more. Add it again.`));
    reader.onload = () => {
      const url = String(reader.result);
      const data = url.slice(url.indexOf(',') + 1);
      resolve({ name: file.name, mime: file.type || 'application/octet-stream', data });
    };
    reader.readAsDataURL(file);
  });
}

let lastKey = 0;

/** Gives picked, pasted or dropped files an identity; a pasted picture gets a name that tells what it is. */
export function outgoingFiles(files: Iterable<File>): readonly OutgoingFile[] {
  return [...files].map((file) => {
    lastKey += 1;
    return { key: `file-${lastKey}`, file };
  });
}

/** Pictures that are safe and sensible to show in place; SVG is a document and stays a download. */
export function isPicture(mime: string): boolean {
  return /^image\/(png|jpeg|gif|webp|avif|bmp)$/.test(mime);
}

/** The chat's own bounds, so that a file which would be refused is not read and sent first. */
const MAX_FILES = 10;
const MAX_FILE_BYTES = 25 * 1_048_576;
/** What fits into one request once it is base64. */
const MAX_TOGETHER_BYTES = 29 * 1_048_576;

/** Why these files can't be added, or null. */
export function refusedFiles(present: readonly OutgoingFile[], added: readonly File[]): string | null {
  if (present.length + added.length > MAX_FILES) return `A message takes at most ${MAX_FILES} files.`;
  const big = added.find((file) => file.size > MAX_FILE_BYTES);
  if (big !== undefined) return `“${big.name}” is too big: a file may have up to 25 MB.`;
  const together = [...present.map(({ file }) => file), ...added].reduce((sum, file) => sum + file.size, 0);
  return together > MAX_TOGETHER_BYTES ? 'Together these files are too big for one message.' : null;
}
