import type { Socket } from 'node:net';

/**
 * The server side of SMTP, as little of it as takes in what comes back (RFC 5321, section 4.5.1): no relaying, no
 * authentication, bounded in every direction.
 */

export interface SessionRules {
  readonly hostName: string;
  /** Whether a recipient is one of ours. */
  accepts(address: string): boolean;
  /** Takes a message for good; a rejection asks the client to come again. */
  take(message: Buffer, to: readonly string[]): Promise<void>;
  /** How long a session may take in all; a quarter of an hour unless given. */
  readonly longestMs?: number;
}

const LONGEST_LINE = 2_048;
const LARGEST_MESSAGE = 10_485_760;
const MOST_RECIPIENTS = 100;
const MOST_MESSAGES = 100;
const MOST_FAULTS = 20;
const IDLE_MS = 60_000;
/** Whoever sends an octet a minute is never idle, and would keep a place for ever. */
const LONGEST_MS = 900_000;

const END_OF_DATA = Buffer.from('\r\n.\r\n');

/** Serves one connection until it ends. */
export function serveSession(socket: Socket, rules: SessionRules): void {
  new Session(socket, rules);
}

class Session {
  readonly #socket: Socket;
  readonly #rules: SessionRules;
  /** What was received and not read yet. */
  #rest: Buffer = Buffer.alloc(0);
  /** Pieces of a message; null outside of DATA. */
  #data: { pieces: Buffer[]; octets: number; tail: Buffer } | null = null;
  #hasGreeted = false;
  #hasSender = false;
  #recipients: string[] = [];
  #messages = 0;
  #faults = 0;
  /** What comes while a message is being taken waits. */
  #isBusy = false;

  constructor(socket: Socket, rules: SessionRules) {
    this.#socket = socket;
    this.#rules = rules;
    socket.setTimeout(IDLE_MS, () => this.#end('421 4.4.2 Nothing came for too long'));
    const tooLong = setTimeout(
      () => this.#end('421 4.4.2 This took too long'),
      rules.longestMs ?? LONGEST_MS,
    );
    socket.on('close', () => clearTimeout(tooLong));
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    this.#say(`220 ${rules.hostName} ESMTP`);
  }

  #receive(chunk: Buffer): void {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    if (this.#isBusy) {
      this.#socket.pause();
      return;
    }
    this.#read();
  }

  #read(): void {
    while (this.#rest.length > 0 && !this.#isBusy && !this.#socket.destroyed) {
      const isMore = this.#data === null ? this.#readLine() : this.#readData();
      if (!isMore) return;
    }
  }

  #readLine(): boolean {
    const end = this.#rest.indexOf('\r\n');
    if (end === -1) {
      if (this.#rest.length > LONGEST_LINE) this.#end('500 5.5.2 The line is too long');
      return false;
    }
    const line = this.#rest.toString('utf8', 0, end);
    this.#rest = this.#rest.subarray(end + 2);
    if (end > LONGEST_LINE) this.#answer('500 5.5.2 The line is too long');
    else this.#command(line);
    return true;
  }

  #command(line: string): void {
    const [, verb = '', argument = ''] = /^(\S*) ?(.*)$/.exec(line) ?? [];
    this.#answer(this.#replyTo(verb.toUpperCase(), argument));
  }

  #replyTo(verb: string, argument: string): string {
    switch (verb) {
      case 'EHLO':
        this.#greet();
        return `250-${this.#rules.hostName}\r\n250-PIPELINING\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n250 SIZE ${LARGEST_MESSAGE}`;
      case 'HELO':
        this.#greet();
        return `250 ${this.#rules.hostName}`;
      case 'MAIL':
        return this.#mail(argument);
      case 'RCPT':
        return this.#rcpt(argument);
      case 'DATA':
        return this.#startData();
      case 'RSET':
        this.#reset();
        return '250 2.0.0 ok';
      case 'NOOP':
        return '250 2.0.0 ok';
      case 'VRFY':
        return '252 2.1.5 Send it, and see';
      case 'QUIT':
        return '221 2.0.0 bye';
      default:
        return '500 5.5.2 unknown command';
    }
  }

  #greet(): void {
    this.#hasGreeted = true;
    this.#reset();
  }

  #mail(argument: string): string {
    if (!this.#hasGreeted) return '503 5.5.1 EHLO first';
    if (this.#hasSender) return '503 5.5.1 a message is under way already';
    if (!/^FROM:\s*<[^<>]*>/i.test(argument)) return '501 5.5.4 FROM:<address> is what comes here';
    if (this.#messages >= MOST_MESSAGES) return '421 4.5.3 Enough for one connection';
    this.#hasSender = true;
    return '250 2.1.0 ok';
  }

  #rcpt(argument: string): string {
    if (!this.#hasSender) return '503 5.5.1 MAIL first';
    const address = /^TO:\s*<([^<>\s]+)>/i.exec(argument)?.[1];
    if (address === undefined) return '501 5.5.4 TO:<address> is what comes here';
    if (this.#recipients.length >= MOST_RECIPIENTS) return '452 4.5.3 too many recipients';
    if (!this.#rules.accepts(address)) return '550 5.1.1 Nobody of that name takes mail here';
    this.#recipients.push(address);
    return '250 2.1.5 ok';
  }

  #startData(): string {
    if (this.#recipients.length === 0) return '503 5.5.1 RCPT first';
    // The line break before the first line is that of the command.
    this.#data = { pieces: [], octets: 0, tail: Buffer.from('\r\n') };
    return '354 go on, and end with a dot';
  }

  /** Looks for the end in what came, and in what is left of the piece before. */
  #readData(): boolean {
    const data = this.#data;
    if (data === null) return true;
    const window = Buffer.concat([data.tail, this.#rest]);
    const end = window.indexOf(END_OF_DATA);
    // The end may have begun in the piece before, whose last octets are then none of the message.
    data.octets += end === -1 ? this.#rest.length : end + 2 - data.tail.length;
    if (data.octets <= LARGEST_MESSAGE) data.pieces.push(this.#rest);
    if (end === -1) {
      data.tail = window.subarray(Math.max(0, window.length - END_OF_DATA.length + 1));
      this.#rest = Buffer.alloc(0);
      return false;
    }
    this.#rest = window.subarray(end + END_OF_DATA.length);
    this.#data = null;
    void this.#finishData(data);
    return true;
  }

  async #finishData({ pieces, octets }: { pieces: Buffer[]; octets: number }): Promise<void> {
    const to = this.#recipients;
    this.#reset();
    this.#messages += 1;
    if (octets > LARGEST_MESSAGE) {
      this.#say('552 5.3.4 The message is too large');
      return;
    }
    this.#isBusy = true;
    try {
      await this.#rules.take(unstuffed(Buffer.concat(pieces).subarray(0, octets)), to);
      this.#say('250 2.0.0 taken');
    } catch {
      this.#say('451 4.3.0 Not now; come again later');
    } finally {
      this.#isBusy = false;
      this.#socket.resume();
      this.#read();
    }
  }

  #reset(): void {
    this.#hasSender = false;
    this.#recipients = [];
  }

  #answer(reply: string): void {
    if (/^[45]/.test(reply)) this.#faults += 1;
    if (this.#faults > MOST_FAULTS) this.#end('421 4.7.0 Too many errors');
    else if (/^(?:221|421)/.test(reply)) this.#end(reply);
    else this.#say(reply);
  }

  #say(reply: string): void {
    if (!this.#socket.destroyed) this.#socket.write(`${reply}\r\n`);
  }

  #end(reply: string): void {
    if (!this.#socket.destroyed) this.#socket.end(`${reply}\r\n`);
    this.#rest = Buffer.alloc(0);
    // Whoever does not close after this has had its time.
    this.#socket.setTimeout(1_000, () => this.#socket.destroy());
  }
}

/** Takes the dots away that the client put before lines beginning with one. */
function unstuffed(message: Buffer): Buffer {
  if (!message.includes('\r\n..') && message[0] !== 0x2e) return message;
  const text = message.toString('latin1').replace(/^\./, '').replaceAll('\r\n..', '\r\n.');
  return Buffer.from(text, 'latin1');
}
