import { fileTypeFromBuffer } from 'file-type';

/** Bytes of a file's start that are looked at. */
export const SNIFFED_BYTES = 4_100;

const UNKNOWN = 'application/octet-stream';
const PLAIN = 'text/plain';

/** Text formats that are told apart only by what the sender says. */
const TEXTUAL =
  /^(?:text\/.+|application\/(?:(?:[\w.-]+\+)?(?:json|xml|yaml)|javascript|x-sh|sql|toml|x-ndjson)|image\/svg\+xml)$/;

/** Families whose formats all have a mark that would have been seen. */
const MARKED = /^(?:(?:image|audio|video|font|multipart)\/.*|application\/(?:pdf|zip|gzip))$/;

/**
 * The media type of a file by its first bytes. What the sender says counts only where bytes don't tell: to
 * name the kind of a text, and for binary formats that have no mark.
 */
export async function sniffMime(head: Uint8Array, declared: string): Promise<string> {
  const seen = await marked(head);
  const said = (declared.split(';')[0] ?? '').trim().toLowerCase();
  // XML is seen for every dialect of it, and SVG is one.
  if (seen !== undefined && !(seen.mime === 'application/xml' && TEXTUAL.test(said))) return seen.mime;
  if (isText(head)) return TEXTUAL.test(said) ? said : PLAIN;
  return TEXTUAL.test(said) || MARKED.test(said) ? UNKNOWN : said;
}

/** What the marks of the format say, if any. Broken files can break the reader of marks. */
async function marked(head: Uint8Array) {
  try {
    return await fileTypeFromBuffer(head);
  } catch {
    return undefined;
  }
}

function isText(head: Uint8Array): boolean {
  try {
    // With `stream` a character cut at the end of the head is no error.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    return !hasControls(text);
  } catch {
    return false;
  }
}

function hasControls(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    // Tab to carriage return and escape (colours of a terminal) are found in text.
    if (unit < 0x20 && !(unit >= 0x09 && unit <= 0x0d) && unit !== 0x1b) return true;
  }
  return false;
}
