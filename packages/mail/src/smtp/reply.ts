/** Replies (RFC 5321 section 4.2), read from bytes as they come. */

export interface Reply {
  readonly code: number;
  /** Enhanced status code (RFC 2034), if its class is that of the code. */
  readonly enhanced: string | null;
  /** The lines' texts in one, without enhanced codes and controls. */
  readonly text: string;
  /** The lines' texts as they came. */
  readonly lines: readonly string[];
}

/** A server that does not speak SMTP. The connection cannot be used further. */
export class SmtpProtocolError extends Error {
  override readonly name = 'SmtpProtocolError';
}

/** RFC 5321 section 4.5.3.1.5 says 512; some say more in one line. */
const MAX_LINE_OCTETS = 2_048;
const MAX_LINES = 100;

const LF = 0x0a;
const CR = 0x0d;
const LINE = /^([2-5][0-9]{2})(?:([ -])(.*))?$/s;
const ENHANCED = /^([245]\.[0-9]{1,3}\.[0-9]{1,3})(?: |$)/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: controls are what it takes out
const CONTROLS = /[\u0000-\u001f\u007f-\u009f]+/g;

/** Splits a server's bytes into replies; holds back what is not complete. */
export class ReplyReader {
  #rest: Buffer | undefined;
  #lines: string[] = [];
  #code = '';

  /** @throws SmtpProtocolError on anything that is no reply, or passes the bounds. */
  push(chunk: Buffer): Reply[] {
    const replies: Reply[] = [];
    const bytes = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk]);
    let start = 0;
    for (let end = bytes.indexOf(LF); end !== -1; end = bytes.indexOf(LF, start)) {
      if (end - start > MAX_LINE_OCTETS) throw new SmtpProtocolError('A reply line is too long');
      // A lone LF is taken for a line break, as nothing else can be meant here.
      const lineEnd = end > start && bytes[end - 1] === CR ? end - 1 : end;
      const reply = this.#line(bytes.toString('utf8', start, lineEnd));
      if (reply !== undefined) replies.push(reply);
      start = end + 1;
    }
    if (bytes.length - start > MAX_LINE_OCTETS) throw new SmtpProtocolError('A reply line is too long');
    this.#rest = start === bytes.length ? undefined : bytes.subarray(start);
    return replies;
  }

  /** Forgets all that was read and not yet given out. */
  discard(): void {
    this.#rest = undefined;
    this.#lines = [];
    this.#code = '';
  }

  #line(line: string): Reply | undefined {
    const match = LINE.exec(line);
    if (match === null) throw new SmtpProtocolError('A line is no SMTP reply');
    const [, code = '', separator = ' ', text = ''] = match;
    if (this.#lines.length > 0 && code !== this.#code) {
      throw new SmtpProtocolError('The lines of a reply have different codes');
    }
    this.#code = code;
    this.#lines.push(text);
    if (this.#lines.length > MAX_LINES) throw new SmtpProtocolError('A reply has too many lines');
    if (separator === '-') return undefined;
    const lines = this.#lines;
    this.#lines = [];
    return readReply(Number(code), lines);
  }
}

function readReply(code: number, lines: readonly string[]): Reply {
  const found = ENHANCED.exec(lines[0] ?? '')?.[1];
  const enhanced = found !== undefined && Number(found[0]) === Math.floor(code / 100) ? found : null;
  const texts = lines.map((line) => line.replace(ENHANCED, '').replace(CONTROLS, ' ').trim());
  return { code, enhanced, text: texts.filter((text) => text !== '').join(' '), lines };
}
