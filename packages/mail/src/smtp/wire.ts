import type { Duplex } from 'node:stream';
import { type Reply, ReplyReader, SmtpProtocolError } from './reply.ts';

/**
 * One connection as a queue: commands go out, and for each a reply is awaited, in order (RFC 2920 section 3.1).
 * Knows nothing of mail.
 */

interface Expectation {
  readonly milliseconds: number;
  readonly name: string;
  /** May answer `hold`: nothing more is read, and what was read is discarded, until the stream is replaced. */
  answer(reply: Reply): 'hold' | undefined;
  /** Called when the connection ends first. */
  fail?(end: WireEnd): void;
}

/** Why a connection came to its end, in words for logs and reports. */
export interface WireEnd {
  readonly text: string;
  readonly error?: Error;
}

/** The connection ended while a command waited for its reply. */
export class WireEndedError extends Error {
  override readonly name = 'WireEndedError';

  constructor({ text, error }: WireEnd) {
    super(text, error === undefined ? undefined : { cause: error });
  }
}

export class Wire {
  #socket: Duplex;
  readonly #reader = new ReplyReader();
  readonly #expected: Expectation[] = [];
  readonly #onEnd: (end: WireEnd) => void;
  #timer: NodeJS.Timeout | undefined;
  /** When the timer wakes up, and when the awaited reply is late: never, while none is awaited. */
  #wakesAt = 0;
  #lateAt = Number.POSITIVE_INFINITY;
  #ended = false;
  /** The server has said that it closes; nothing more is written. */
  #closing = false;

  /** @param onEnd is called once, when no further reply will come; replies that were awaited are not answered. */
  constructor(socket: Duplex, onEnd: (end: WireEnd) => void) {
    this.#socket = socket;
    this.#onEnd = onEnd;
    this.#attach(socket);
  }

  /** Whether nothing can be written any more. */
  get ended(): boolean {
    return this.#ended || this.#closing;
  }

  /** Awaits one more reply. The time runs from when it is the next one to come. */
  expect(name: string, milliseconds: number, answer: (reply: Reply) => void): void {
    this.#expect({
      name,
      milliseconds,
      answer(reply) {
        answer(reply);
        return undefined;
      },
    });
  }

  /** Starts the time of the awaited reply anew, with another length. */
  extend(milliseconds: number): void {
    if (this.#expected.length > 0) this.#startTimer(milliseconds);
  }

  /** @param onFlushed is called when all of it was handed to the operating system. */
  write(bytes: Uint8Array | string, onFlushed?: () => void): void {
    if (this.ended) return;
    this.#socket.write(bytes, (error) => {
      if (error == null && !this.#ended) onFlushed?.();
    });
  }

  /**
   * One command (none when the line is empty) and its reply.
   *
   * @param holdOn the code after which nothing more is read until {@link replace}.
   * @throws WireEndedError when the connection ends first.
   */
  command(name: string, line: string, milliseconds: number, holdOn?: number): Promise<Reply> {
    return new Promise((resolve, reject) => {
      if (this.ended) {
        reject(new WireEndedError({ text: 'The connection is closed' }));
        return;
      }
      this.#expect({
        name,
        milliseconds,
        answer(reply) {
          resolve(reply);
          return reply.code === holdOn ? 'hold' : undefined;
        },
        fail: (end) => reject(new WireEndedError(end)),
      });
      if (line !== '') this.write(`${line}\r\n`);
    });
  }

  /** The stream below, for one over it (TLS). */
  get stream(): Duplex {
    return this.#socket;
  }

  /** Goes on over another stream. */
  replace(stream: Duplex): void {
    this.#socket = stream;
    this.#attach(stream);
  }

  /** Ends the connection at once. */
  end(text: string, error?: Error): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#detach();
    this.#socket.destroy();
    const end: WireEnd = error === undefined ? { text } : { text, error };
    for (const expectation of this.#expected.splice(0)) expectation.fail?.(end);
    this.#onEnd(end);
  }

  readonly #receive = (chunk: Buffer): void => {
    let replies: Reply[];
    try {
      replies = this.#reader.push(chunk);
    } catch (error) {
      const fault = error instanceof Error ? error : new SmtpProtocolError(String(error));
      this.end(fault.message, fault);
      return;
    }
    for (const reply of replies) {
      if (this.#ended) return;
      const expectation = this.#expected.shift();
      if (expectation === undefined) {
        this.end(
          reply.code === 421 ? `The server is closing: ${reply.text}` : 'A reply came that nothing asked for',
        );
        return;
      }
      if (this.#expected.length > 0) this.#startTimer();
      else this.#lateAt = Number.POSITIVE_INFINITY;
      // 421 may answer any command, and means that the server closes (RFC 5321 section 3.8).
      this.#closing = reply.code === 421;
      if (expectation.answer(reply) === 'hold') {
        // Whatever else came with it was not under the protection that comes next (RFC 3207 section 6).
        this.#reader.discard();
        this.#detach();
        return;
      }
      if (this.#closing) this.end(`The server is closing: ${reply.text}`);
    }
  };

  readonly #close = (): void => this.end('The server closed the connection');

  readonly #fail = (error: Error): void => this.end(`The connection broke: ${error.message}`, error);

  #expect(expectation: Expectation): void {
    this.#expected.push(expectation);
    if (this.#expected.length === 1) this.#startTimer();
  }

  /** A timer that is to fire earlier looks again then: five replies a mail would else set and clear as many. */
  #startTimer(milliseconds = this.#expected[0]?.milliseconds ?? 0): void {
    this.#lateAt = performance.now() + milliseconds;
    if (this.#timer !== undefined && this.#wakesAt <= this.#lateAt) return;
    clearTimeout(this.#timer);
    this.#wakeIn(milliseconds);
  }

  #wakeIn(milliseconds: number): void {
    this.#wakesAt = performance.now() + milliseconds;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      const left = this.#lateAt - performance.now();
      if (left <= 0) this.end(`No reply to ${this.#expected[0]?.name ?? 'a command'} in time`);
      else if (left < Number.POSITIVE_INFINITY) this.#wakeIn(Math.ceil(left));
    }, milliseconds);
  }

  #attach(socket: Duplex): void {
    socket.on('data', this.#receive);
    socket.on('end', this.#close);
    socket.on('close', this.#close);
    socket.on('error', this.#fail);
  }

  #detach(): void {
    this.#socket.off('data', this.#receive);
    this.#socket.off('end', this.#close);
    this.#socket.off('close', this.#close);
    this.#socket.off('error', this.#fail);
    this.#socket.pause();
    // An error may still come, and one that nobody listens to would end the process.
    this.#socket.on('error', ignore);
  }
}

function ignore(): void {}
