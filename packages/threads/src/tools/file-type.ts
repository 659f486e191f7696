/** What a file is, told by its first bytes and never by its name. */

/** As many bytes as the signatures need. */
export const SIGNATURE_BYTES = 4_100;

const OTHER = 'application/octet-stream';

/** The MIME type of a file that begins with the bytes: by signature, else text where it reads as UTF-8. */
export async function sniffMime(head: Uint8Array): Promise<string> {
  const { fileTypeFromBuffer } = await import('file-type');
  const found = await fileTypeFromBuffer(head);
  if (found !== undefined) return found.mime;
  return isText(head) ? 'text/plain' : OTHER;
}

function isText(head: Uint8Array): boolean {
  if (head.includes(0)) return false;
  try {
    // What is cut off at the end may be the first half of a character.
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    return true;
  } catch {
    return false;
  }
}
