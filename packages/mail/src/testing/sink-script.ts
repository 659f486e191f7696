/** What a scripted SMTP server can be told to do, and when. */

export type SinkStage =
  | 'connect'
  | 'ehlo'
  | 'starttls'
  | 'auth'
  | 'mail'
  | 'rcpt'
  | 'data'
  /** Octets of a message have come and its end has not. */
  | 'body'
  /** The final dot has come. */
  | 'dot'
  | 'rset'
  | 'quit';

/** The moment at which the server asks its script what to do. */
export interface SinkMoment {
  readonly stage: SinkStage;
  /** Number of the connection, from 1. */
  readonly connection: number;
  /** Number of the transaction on this connection, from 1 with its MAIL. */
  readonly transaction: number;
  /** The command line; empty for connect, body and dot. */
  readonly line: string;
  /** The envelope so far. */
  readonly from: string;
  readonly to: readonly string[];
  /** Octets of the message so far. */
  readonly octets: number;
}

export interface SinkAction {
  /** In place of the usual reply: `550 5.1.1 no such user`; lines of their own for a long one, CRLF is added. */
  readonly reply?: string;
  /** Octets in place of a reply, as they are. */
  readonly raw?: string;
  /** No reply at all. */
  readonly silent?: boolean;
  /** Closes after the reply, if there is one; `reset` sends a TCP reset. */
  readonly drop?: boolean | 'reset';
  /** Reads nothing more. */
  readonly hang?: boolean;
  /** At `dot`: whether the message counts as received. By default it does if the reply is 2xx. */
  readonly take?: boolean;
}

/** Returns nothing for the usual behaviour; a string is its reply. */
export type SinkScript = (moment: SinkMoment) => SinkAction | string | undefined;
