/** Base64 (RFC 2045 section 6.8) in lines, and a decoder that takes what mail really brings. */

const OCTETS_PER_LINE = 57;

/** Encodes in lines of 76 characters; every line, the last one too, ends with CRLF. Empty for no bytes. */
export function encodeBase64Lines(bytes: Uint8Array): string {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const lines: string[] = [];
  for (let at = 0; at < data.length; at += OCTETS_PER_LINE) {
    lines.push(data.toString('base64', at, Math.min(at + OCTETS_PER_LINE, data.length)), '\r\n');
  }
  return lines.join('');
}

/**
 * Decodes; characters outside the alphabet are skipped, missing padding is supplied, and padding in the middle
 * (parts glued together) does not end the data. Never throws.
 */
export function decodeBase64(encoded: Uint8Array): Buffer {
  const text = Buffer.from(encoded.buffer, encoded.byteOffset, encoded.byteLength).toString('latin1');
  const runs = text.replace(/[^A-Za-z0-9+/=]/g, '').split(/=+/);
  return Buffer.concat(runs.map((run) => Buffer.from(run, 'base64')));
}
