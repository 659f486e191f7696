/**
 * Relaxed canonicalisation of a body (RFC 6376 section 3.4.4): runs of white space become one space, none is left
 * at the end of a line, empty lines at the end go, and what is left ends with CRLF.
 */

const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;

/** White space that does not stay as it is. */
const LOOSE = /\t| {2}| \r\n/;

/** @param body with CRLF line breaks only. */
export function relaxBody(body: Uint8Array): Uint8Array {
  return isRelaxed(body) ? body : relax(body);
}

/** Most bodies that a newsletter is made of are; a look at a text takes a tenth of the time of the long way. */
function isRelaxed(body: Uint8Array): boolean {
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1');
  return text.length > 2 && text.endsWith('\r\n') && !text.endsWith('\r\n\r\n') && !LOOSE.test(text);
}

function relax(body: Uint8Array): Uint8Array {
  const relaxed = Buffer.allocUnsafe(body.length + 2);
  let length = 0;
  /** Length up to the last line that is not empty. */
  let content = 0;
  let spaced = false;
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at] as number;
    if (byte > SPACE) {
      if (spaced) {
        relaxed[length++] = SPACE;
        spaced = false;
      }
      relaxed[length++] = byte;
      content = length;
    } else if (byte === SPACE || byte === TAB) spaced = true;
    else if (byte === CR && body[at + 1] === LF) {
      relaxed[length++] = CR;
      relaxed[length++] = LF;
      spaced = false;
      at += 1;
    } else {
      if (spaced) relaxed[length++] = SPACE;
      spaced = false;
      relaxed[length++] = byte;
      content = length;
    }
  }
  if (content === 0) return relaxed.subarray(0, 0);
  relaxed[content] = CR;
  relaxed[content + 1] = LF;
  return relaxed.subarray(0, content + 2);
}
