import { needsSmtpUtf8 } from '../addresses.ts';
import type { Capabilities } from './capabilities.ts';
import { isPath, mailCommand, rcptCommand } from './commands.ts';
import { type PreparedData, prepareData } from './data.ts';
import type { LossStage, ReplyStage, SendOutcome } from './outcome.ts';
import type { Reply } from './reply.ts';
import type { SmtpTimeouts } from './timeouts.ts';
import type { Wire, WireEnd } from './wire.ts';

/**
 * Mail transactions over one connection, one recipient each. With PIPELINING (RFC 2920) the envelope is one write,
 * and the envelope of the next message travels with the end of the one before it, so a busy session needs one round
 * trip for a message. Without it every command waits for its reply.
 */

export interface OutgoingMail {
  /** Return path, `local@domain`; empty for the null sender. */
  readonly from: string;
  /** `local@domain` */
  readonly to: string;
  /** The whole message, CRLF only, not dot-stuffed. */
  readonly data: Uint8Array | readonly Uint8Array[];
  /** Whether a header field holds UTF-8; addresses are looked at anyway. */
  readonly utf8?: boolean | undefined;
  /**
   * The last word, at once before MAIL FROM leaves: on `false` the message is not sent. Must neither wait nor throw.
   */
  readonly beforeMail?: (() => boolean) | undefined;
  /** Called when the message with its final dot leaves: from then on a loss leaves it unknown whether it arrived. */
  readonly onDataSent?: (() => void) | undefined;
  /**
   * Holds back the final dot: asked when the message leaves, and only on `true` does the dot follow, so the caller can
   * put on record that the message is about to be accepted. On `false`, or when it rejects, the connection is closed,
   * as SMTP knows no other way to withdraw a message, and the outcome is `cancelled`.
   */
  readonly beforeEnd?: (() => Promise<boolean>) | undefined;
}

export interface SmtpSession {
  readonly capabilities: Capabilities;
  /** Whether it runs under TLS. */
  readonly secure: boolean;
  /** Whether it takes more mail. */
  readonly open: boolean;
  /** How many messages it has and has not answered for. */
  readonly pending: number;
  /** Resolves with the reason when the connection has ended. */
  readonly ended: Promise<string>;
  /** Sends one message. Never rejects; a second one may be handed over while the first is under way. */
  send(mail: OutgoingMail): Promise<SendOutcome>;
  /** Answers for the messages it has, then says QUIT. Takes no more mail from now on. */
  quit(): Promise<void>;
  /** Closes at once. */
  destroy(): void;
}

interface Transaction {
  readonly mail: OutgoingMail;
  readonly data: PreparedData;
  readonly utf8: boolean;
  settle(outcome: SendOutcome): void;
  /** The first reply that refused it. */
  refusal: SendOutcome | undefined;
  mailAccepted: boolean;
  /** Where a loss would find it. */
  loss: LossStage;
}

/** Up to this size the end of a message and the next envelope share a write; larger ones go in blocks. */
const BLOCK_OCTETS = 65_536;
const NO_OCTETS = new Uint8Array(0);

export class Session implements SmtpSession {
  readonly capabilities: Capabilities;
  readonly secure: boolean;
  readonly ended: Promise<string>;
  readonly #wire: Wire;
  readonly #timeouts: SmtpTimeouts;
  readonly #waiting: Transaction[] = [];
  /** Its envelope is under way. */
  #envelope: Transaction | undefined;
  /** Its message is under way, or sent and not answered. */
  #message: Transaction | undefined;
  /** Whether the server is in the middle of a transaction that failed. */
  #needsReset = false;
  #quitting = false;
  #quitSaid = false;
  #resolveEnded: (reason: string) => void = () => undefined;

  constructor(options: { wire: Wire; capabilities: Capabilities; secure: boolean; timeouts: SmtpTimeouts }) {
    this.#wire = options.wire;
    this.capabilities = options.capabilities;
    this.secure = options.secure;
    this.#timeouts = options.timeouts;
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
  }

  get open(): boolean {
    return !this.#wire.ended && !this.#quitting;
  }

  get pending(): number {
    return this.#waiting.length + (this.#envelope ? 1 : 0) + (this.#message ? 1 : 0);
  }

  send(mail: OutgoingMail): Promise<SendOutcome> {
    const checked = this.#check(mail);
    if ('kind' in checked) return Promise.resolve(checked);
    return new Promise((settle) => {
      this.#waiting.push({
        mail,
        ...checked,
        settle,
        refusal: undefined,
        mailAccepted: false,
        loss: 'before_data',
      });
      this.#advance();
    });
  }

  async quit(): Promise<void> {
    this.#quitting = true;
    this.#advance();
    await this.ended;
  }

  destroy(): void {
    this.#wire.end('The session was closed');
  }

  /** The wire calls it when the connection has ended: every message gets its answer. */
  wireEnded({ text }: WireEnd): void {
    const unanswered = [this.#message, this.#envelope, ...this.#waiting.splice(0)];
    this.#message = undefined;
    this.#envelope = undefined;
    for (const transaction of unanswered) {
      transaction?.settle(transaction.refusal ?? { kind: 'lost', stage: transaction.loss, text });
    }
    this.#resolveEnded(text);
  }

  /** What this server could not take is refused before it is asked. */
  #check(mail: OutgoingMail): SendOutcome | { data: PreparedData; utf8: boolean } {
    if (!this.open) return { kind: 'lost', stage: 'before_data', text: 'The session is closed' };
    if (!isPath(mail.to)) return refused(553, '5.1.3', 'The address of the recipient is malformed');
    if (mail.from !== '' && !isPath(mail.from)) return refused(553, '5.1.7', 'The return path is malformed');
    const data = prepareData(mail.data);
    if (data === undefined) return refused(554, '5.6.0', 'The message has line breaks that are not CRLF');
    const { smtpUtf8, eightBitMime, size } = this.capabilities;
    const utf8 = mail.utf8 === true || needsSmtpUtf8(mail.from) || needsSmtpUtf8(mail.to);
    if (utf8 && !smtpUtf8)
      return refused(553, '5.6.7', 'The server does not offer SMTPUTF8, and the address needs it');
    if (!data.ascii && !utf8 && !eightBitMime) {
      return refused(554, '5.6.3', 'The server does not offer 8BITMIME, and the message needs it');
    }
    if (size !== null && data.size > size) {
      return refused(552, '5.3.4', `The message has ${data.size} octets, and the server takes ${size}`);
    }
    return { data, utf8 };
  }

  /** Writes the next envelope, if the session is at a point where one may go. */
  #advance(): void {
    const commands = this.#nextEnvelope();
    if (commands !== '') this.#wire.write(commands);
  }

  /** Begins the next transaction and gives the commands to write for it; empty when none may begin now. */
  #nextEnvelope(): string {
    const { pipelining } = this.capabilities;
    if (this.#wire.ended || this.#envelope !== undefined) return '';
    // In the middle of a message every octet is taken for a part of it.
    if (this.#message !== undefined && (!pipelining || this.#message.loss === 'in_data')) return '';
    const next = this.#nextAllowed();
    if (next === undefined) return this.#nextQuit();
    this.#envelope = next;
    let commands = '';
    if (this.#needsReset) {
      this.#needsReset = false;
      commands = 'RSET\r\n';
      this.#wire.expect('RSET', this.#timeouts.command, (reply) => {
        if (reply.code !== 250) this.#wire.end(`RSET was refused: ${reply.code} ${reply.text}`);
        else if (!pipelining) this.#wire.write(this.#mail(next));
      });
      if (!pipelining) return commands;
    }
    commands += this.#mail(next);
    if (pipelining) commands += this.#rcpt(next) + this.#data(next);
    return commands;
  }

  #nextAllowed(): Transaction | undefined {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      if (next.mail.beforeMail?.() !== false) return next;
      next.settle({ kind: 'cancelled' });
    }
    return undefined;
  }

  #nextQuit(): string {
    if (!this.#quitting || this.#quitSaid || this.#message !== undefined) return '';
    this.#quitSaid = true;
    this.#wire.expect('QUIT', this.#timeouts.quit, () => this.#wire.end('The session was closed'));
    return 'QUIT\r\n';
  }

  #mail(transaction: Transaction): string {
    this.#wire.expect('MAIL', this.#timeouts.mail, (reply) => {
      transaction.mailAccepted = isPositive(reply);
      this.#envelopeReply(transaction, 'mail', reply);
      if (!this.capabilities.pipelining) this.#continue(transaction, () => this.#rcpt(transaction));
    });
    const { mail, data, utf8 } = transaction;
    return mailCommand(mail.from, {
      size: this.capabilities.size === null ? undefined : data.size,
      eightBit: !data.ascii && this.capabilities.eightBitMime,
      utf8,
    });
  }

  #rcpt(transaction: Transaction): string {
    this.#wire.expect('RCPT', this.#timeouts.rcpt, (reply) => {
      this.#envelopeReply(transaction, 'rcpt', reply);
      if (!this.capabilities.pipelining) this.#continue(transaction, () => this.#data(transaction));
    });
    return rcptCommand(transaction.mail.to);
  }

  #data(transaction: Transaction): string {
    this.#wire.expect('DATA', this.#timeouts.data, (reply) => this.#dataReply(transaction, reply));
    return 'DATA\r\n';
  }

  /** Without pipelining: the next command, or the end of a transaction that was refused. */
  #continue(transaction: Transaction, next: () => string): void {
    if (transaction.refusal === undefined) this.#wire.write(next());
    else this.#endRefused(transaction);
  }

  #envelopeReply(transaction: Transaction, stage: ReplyStage, reply: Reply): void {
    if (reply.code >= 400) transaction.refusal ??= replied(stage, reply);
    else if (!isPositive(reply))
      this.#wire.end(`An impossible reply to ${stage.toUpperCase()}: ${reply.code}`);
  }

  #dataReply(transaction: Transaction, reply: Reply): void {
    if (reply.code === 354) {
      if (transaction.refusal === undefined) this.#sendMessage(transaction);
      else this.#sendNothing(transaction);
    } else if (reply.code >= 400) {
      transaction.refusal ??= replied('data', reply);
      this.#endRefused(transaction);
    } else this.#wire.end(`An impossible reply to DATA: ${reply.code}`);
  }

  #endRefused(transaction: Transaction): void {
    this.#needsReset = transaction.mailAccepted;
    this.#envelope = undefined;
    if (transaction.refusal !== undefined) transaction.settle(transaction.refusal);
    this.#advance();
  }

  /**
   * The server refused the recipient and still says 354: a message without octets ends the transaction, and its
   * reply, whatever it is, changes nothing (RFC 2920 section 3.1).
   */
  #sendNothing(transaction: Transaction): void {
    this.#envelope = undefined;
    this.#wire.expect('the end of the data', this.#timeouts.dot, () => this.#advance());
    if (transaction.refusal !== undefined) transaction.settle(transaction.refusal);
    this.#wire.write(`.\r\n${this.capabilities.pipelining ? this.#nextEnvelope() : ''}`);
  }

  #sendMessage(transaction: Transaction): void {
    this.#envelope = undefined;
    this.#message = transaction;
    const { mail, data } = transaction;
    const apart = mail.beforeEnd !== undefined || data.bytes.length > BLOCK_OCTETS;
    this.#wire.expect('the data', apart ? this.#timeouts.block : this.#timeouts.dot, (reply) =>
      this.#dotReply(transaction, reply),
    );
    if (!apart) {
      this.#sendEnd(transaction, data.bytes);
      return;
    }
    transaction.loss = 'in_data';
    // An error of the caller's is its own to tell.
    const allowed = mail.beforeEnd?.().catch(() => false) ?? true;
    void Promise.all([allowed, this.#sendBlocks(transaction)]).then(([goes]) => {
      if (this.#message !== transaction) return;
      if (goes) this.#sendEnd(transaction, NO_OCTETS);
      else this.#withdraw(transaction);
    });
  }

  /** The last octets of a message, its dot, and the next envelope. */
  #sendEnd(transaction: Transaction, rest: Uint8Array): void {
    transaction.mail.onDataSent?.();
    transaction.loss = 'after_dot';
    this.#wire.extend(this.#timeouts.dot);
    const next = this.capabilities.pipelining ? this.#nextEnvelope() : '';
    this.#wire.write(joined(rest, `.\r\n${next}`));
  }

  #withdraw(transaction: Transaction): void {
    this.#message = undefined;
    transaction.settle({ kind: 'cancelled' });
    this.#wire.end('A message was withdrawn before its end');
  }

  /** Block by block, so that a large message shows that it moves; resolves when the last one is on its way. */
  #sendBlocks(transaction: Transaction): Promise<void> {
    const { bytes } = transaction.data;
    return new Promise((resolve) => {
      const next = (from: number): void => {
        if (this.#message !== transaction) return;
        this.#wire.extend(this.#timeouts.block);
        const to = from + BLOCK_OCTETS;
        if (to < bytes.length) this.#wire.write(bytes.subarray(from, to), () => next(to));
        else {
          this.#wire.write(bytes.subarray(from));
          resolve();
        }
      };
      next(0);
    });
  }

  #dotReply(transaction: Transaction, reply: Reply): void {
    this.#message = undefined;
    if (reply.code < 400 && !isPositive(reply)) {
      // The wire's end would find no message to answer for.
      transaction.settle({
        kind: 'lost',
        stage: transaction.loss,
        text: `An impossible reply: ${reply.code}`,
      });
      this.#wire.end(`An impossible reply to the end of the data: ${reply.code}`);
      return;
    }
    transaction.settle(replied('dot', reply));
    // A reply that comes before the end of the message leaves the server in the middle of it.
    if (transaction.loss === 'in_data') this.#wire.end('The server answered before the end of the message');
    else this.#advance();
  }
}

function replied(stage: ReplyStage, { code, enhanced, text }: Reply): SendOutcome {
  return { kind: 'reply', stage, code, enhanced, text };
}

function refused(code: number, enhanced: string, text: string): SendOutcome {
  return { kind: 'refused', code, enhanced, text };
}

function isPositive({ code }: Reply): boolean {
  return code >= 200 && code < 300;
}

function joined(bytes: Uint8Array, tail: string): Buffer {
  const tailOctets = Buffer.byteLength(tail);
  const all = Buffer.allocUnsafe(bytes.length + tailOctets);
  all.set(bytes);
  all.write(tail, bytes.length);
  return all;
}
