/** The commands of an envelope (RFC 5321 section 4.1.1), each with its CRLF. */

const PATH = /^(?:"(?:[^"\\]|\\[ -~])*"|[^\s"<>()\\,;:@[\]]+)@[^\s<>"@]+$/;

/** Whether an address can stand between the angle brackets of an envelope command without changing it. */
export function isPath(address: string): boolean {
  return address.length <= 320 && !/\p{Cc}/u.test(address) && PATH.test(address);
}

export interface MailParameters {
  /** Octets (RFC 1870); absent when the server does not offer SIZE. */
  readonly size?: number | undefined;
  /** RFC 6152 */
  readonly eightBit: boolean;
  /** RFC 6531, which has 8BITMIME go with it. */
  readonly utf8: boolean;
}

export function mailCommand(from: string, { size, eightBit, utf8 }: MailParameters): string {
  let command = `MAIL FROM:<${from}>`;
  if (size !== undefined) command += ` SIZE=${size}`;
  if (eightBit) command += ' BODY=8BITMIME';
  if (utf8) command += ' SMTPUTF8';
  return `${command}\r\n`;
}

export function rcptCommand(to: string): string {
  return `RCPT TO:<${to}>\r\n`;
}
