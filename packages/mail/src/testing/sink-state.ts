import type { SinkScript } from './sink-script.ts';

export interface SinkExtensions {
  readonly pipelining: boolean;
  readonly startTls: boolean;
  readonly smtpUtf8: boolean;
  readonly eightBitMime: boolean;
  readonly enhancedStatusCodes: boolean;
  readonly size: number | null;
  /** Credentials that AUTH PLAIN and LOGIN take; null for no AUTH. */
  readonly auth: { readonly user: string; readonly password: string } | null;
}

export interface SinkMessage {
  readonly connection: number;
  readonly from: string;
  readonly to: readonly string[];
  /** The whole MAIL command, with its parameters. */
  readonly mailCommand: string;
  /** As it was before dot-stuffing; empty when it is no longer kept. */
  readonly data: Buffer;
}

/** What connections share with their server. */
export interface SinkState {
  readonly extensions: SinkExtensions;
  readonly delay: number;
  readonly splitReplies: number;
  script: SinkScript | undefined;
  received(message: SinkMessage, octets: number): void;
  command(connection: number, line: string): void;
  /** Whether the octets of messages are wanted at all. */
  readonly keeps: boolean;
}
