/** What a server offers in its answer to EHLO (RFC 5321 section 4.1.1.1). */

export interface Capabilities {
  readonly pipelining: boolean;
  readonly startTls: boolean;
  readonly smtpUtf8: boolean;
  readonly eightBitMime: boolean;
  /** Largest message in octets; null when none is told, or any is taken. */
  readonly size: number | null;
  /** Mechanisms in upper case; empty when AUTH is not offered. */
  readonly auth: readonly string[];
}

/** Of a server that only knows HELO. */
export const NO_CAPABILITIES: Capabilities = {
  pipelining: false,
  startTls: false,
  smtpUtf8: false,
  eightBitMime: false,
  size: null,
  auth: [],
};

/** @param lines of the reply to EHLO; the first is a greeting. */
export function parseCapabilities(lines: readonly string[]): Capabilities {
  const offered = new Map<string, string>();
  const auth: string[] = [];
  for (const line of lines.slice(1)) {
    // `AUTH=LOGIN` is how servers of the last century spell it.
    const [keyword = '', ...words] = line.trim().split(/[ =]+/);
    if (keyword.toUpperCase() === 'AUTH') auth.push(...words.map((word) => word.toUpperCase()));
    else offered.set(keyword.toUpperCase(), words.join(' '));
  }
  const size = Number.parseInt(offered.get('SIZE') ?? '', 10);
  return {
    pipelining: offered.has('PIPELINING'),
    startTls: offered.has('STARTTLS'),
    smtpUtf8: offered.has('SMTPUTF8'),
    eightBitMime: offered.has('8BITMIME'),
    size: Number.isSafeInteger(size) && size > 0 ? size : null,
    auth: [...new Set(auth)],
  };
}
