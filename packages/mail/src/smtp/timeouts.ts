/** How long the client waits, in milliseconds. The defaults are RFC 5321 section 4.5.3.2's, where it has one. */

export interface SmtpTimeouts {
  /** Until the connection stands, name look-up included. */
  readonly connect: number;
  readonly greeting: number;
  /** EHLO, HELO, STARTTLS with the handshake, AUTH, RSET. */
  readonly command: number;
  readonly mail: number;
  readonly rcpt: number;
  /** From DATA to its 354. */
  readonly data: number;
  /** For one block of the message to leave. */
  readonly block: number;
  /** From the final dot to its reply. Short ones make copies: a slow server may still have taken the message. */
  readonly dot: number;
  readonly quit: number;
}

const MINUTE = 60_000;

export const DEFAULT_TIMEOUTS: SmtpTimeouts = {
  connect: 30_000,
  greeting: 5 * MINUTE,
  command: 5 * MINUTE,
  mail: 5 * MINUTE,
  rcpt: 5 * MINUTE,
  data: 2 * MINUTE,
  block: 3 * MINUTE,
  dot: 10 * MINUTE,
  quit: 5_000,
};
