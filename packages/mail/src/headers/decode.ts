import { decodeQuotedPrintable } from '../mime/qp.ts';

/** Reading field values as lenient as mail needs: encoded words of any charset the platform knows. */

const ENCODED_WORD = /=\?([^?\s*]+)(?:\*[^?\s]*)?\?([bq])\?([^?\s]*)\?=/gi;
const BETWEEN_WORDS = /(=\?[^?\s]+\?[bq]\?[^?\s]*\?=)\s+(?==\?[^?\s]+\?[bq]\?[^?\s]*\?=)/gi;

/**
 * Decodes the encoded words of an unfolded value. What cannot be decoded stays as it is. Never throws.
 *
 * Neighbours of one charset and encoding are joined before they are decoded, as some senders divide characters.
 */
export function decodeEncodedWords(value: string): string {
  const joined = value.replace(BETWEEN_WORDS, '$1');
  let decoded = '';
  let end = 0;
  let run: { charset: string; bytes: Buffer[] } | undefined;
  const flush = () => {
    if (run !== undefined) decoded += decodeCharset(Buffer.concat(run.bytes), run.charset);
    run = undefined;
  };
  for (const match of joined.matchAll(ENCODED_WORD)) {
    const [whole, charset = '', encoding = '', text = ''] = match;
    if (match.index > end) {
      flush();
      decoded += joined.slice(end, match.index);
    }
    if (run !== undefined && run.charset !== charset.toLowerCase()) flush();
    run ??= { charset: charset.toLowerCase(), bytes: [] };
    run.bytes.push(/b/i.test(encoding) ? Buffer.from(text, 'base64') : decodeQ(text));
    end = match.index + whole.length;
  }
  flush();
  return decoded + joined.slice(end);
}

function decodeQ(text: string): Buffer {
  // A space at the end would be void in quoted-printable, so underscores become =20 and not spaces.
  return decodeQuotedPrintable(Buffer.from(text.replaceAll('_', '=20'), 'latin1'));
}

/** Text of a charset by its MIME name; bytes of an unknown one are read as Latin-1. Never throws. */
export function decodeCharset(bytes: Uint8Array, charset: string): string {
  try {
    return new TextDecoder(charset === '' ? 'utf-8' : charset).decode(bytes);
  } catch {
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  }
}
