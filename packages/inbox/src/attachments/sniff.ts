import { fileTypeFromBuffer } from 'file-type';

/** How much of a file is looked at. */
export const SNIFF_BYTES = 4_100;

/**
 * The media type found in the first bytes of a file, never the one its sender claims. Text is told by being
 * UTF-8 without control characters; markup counts as plain text, so that nothing served can run in a page.
 */
export async function sniffMime(head: Uint8Array): Promise<string> {
  const found = await fileTypeFromBuffer(head);
  if (found) return found.mime;
  return head.length > 0 && isText(head) ? 'text/plain' : 'application/octet-stream';
}

function isText(head: Uint8Array): boolean {
  if (head.some((byte) => byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d && byte !== 0x0c))
    return false;
  try {
    // A character may be cut at the end of what was read; streaming leaves that open.
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    return true;
  } catch {
    return false;
  }
}
