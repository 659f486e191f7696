import type { Readable, Writable } from 'node:stream';
import {
  type JSONRPCMessage,
  ReadBuffer,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/server';
import { packArguments } from './arguments.ts';

/** The largest message in bytes; a longer line closes the connection. */
const MAX_MESSAGE_BYTES = 10 * 1024 * 1024;

/**
 * JSON-RPC lines over two streams. The SDK's own transport drops the calls that still run when the input
 * ends; this one can be waited for, so that `printf … | server` answers, and a message that was being sent
 * as the client left is not lost half-way.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport['onmessage']>;

  /** Resolves when the connection is closed, by whomever. */
  readonly closed: Promise<void>;

  readonly #input: Readable;
  readonly #output: Writable;
  readonly #lines = new ReadBuffer({ maxBufferSize: MAX_MESSAGE_BYTES });
  readonly #unanswered = new Set<string | number>();
  readonly #waiting: (() => void)[] = [];
  readonly #resolveClosed: () => void;
  #closed = false;

  constructor(input: Readable, output: Writable) {
    this.#input = input;
    this.#output = output;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.closed = promise;
    this.#resolveClosed = resolve;
  }

  async start(): Promise<void> {
    this.#input.on('data', this.#read).on('error', this.#fail);
    this.#output.on('error', this.#fail);
  }

  /** Resolves when every request that was read has been answered, or the connection is closed. */
  async answered(): Promise<void> {
    while (this.#unanswered.size > 0 && !this.#closed)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#closed) return;
    if (!('method' in message) && message.id !== undefined) this.#settle(message.id);
    if (!this.#output.write(serializeMessage(message))) {
      await new Promise<void>((resolve) => this.#output.once('drain', resolve).once('close', resolve));
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#input.off('data', this.#read);
    this.#lines.clear();
    this.#wake();
    this.onclose?.();
    this.#resolveClosed();
  }

  readonly #read = (chunk: Buffer): void => {
    try {
      this.#lines.append(chunk);
    } catch (error) {
      this.#fail(error as Error);
      return;
    }
    for (;;) {
      try {
        const message = this.#lines.readMessage();
        if (message === null) return;
        this.#deliver(message);
      } catch (error) {
        // A line that is no JSON-RPC message; the next one may be.
        this.onerror?.(error as Error);
      }
    }
  };

  #deliver(message: JSONRPCMessage): void {
    if ('method' in message && 'id' in message) this.#unanswered.add(message.id);
    if ('method' in message && message.method === 'notifications/cancelled') {
      const cancelled = message.params?.requestId;
      if (typeof cancelled === 'string' || typeof cancelled === 'number') this.#settle(cancelled);
    }
    this.onmessage?.(packArguments(message) as JSONRPCMessage);
  }

  /** A broken pipe, or a line without end: nothing more can be said on this connection. */
  readonly #fail = (error: Error): void => {
    if (this.#closed) return;
    this.onerror?.(error);
    void this.close();
  };

  #settle(id: string | number): void {
    this.#unanswered.delete(id);
    if (this.#unanswered.size === 0) this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
