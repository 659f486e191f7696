import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { secureServerSide } from './certificate.ts';
import { SinkConnection } from './sink-connection.ts';
import type { SinkScript } from './sink-script.ts';
import type { SinkExtensions, SinkMessage, SinkState } from './sink-state.ts';

/** An SMTP server for tests and benchmarks: it takes everything, unless its script says otherwise. */

export interface SinkOptions {
  readonly host?: string;
  /** 0 (the default) for a free one. */
  readonly port?: number;
  /** What is offered, beside PIPELINING, 8BITMIME, SMTPUTF8 and ENHANCEDSTATUSCODES, which are unless switched off. */
  readonly extensions?: Partial<SinkExtensions>;
  /** TLS from the first byte. */
  readonly implicitTls?: boolean;
  /** Every reply leaves so many milliseconds after what it answers came: a server far away. */
  readonly delay?: number;
  /** How many messages are kept with their octets, the newest; all by default. Envelopes are kept always. */
  readonly keep?: number;
  /** Replies go out in packets of so many octets. */
  readonly splitReplies?: number;
  readonly script?: SinkScript;
}

export interface SmtpSink {
  readonly host: string;
  readonly port: number;
  /** How many messages were received. */
  readonly count: number;
  /** Octets of all of them. */
  readonly octets: number;
  readonly messages: readonly SinkMessage[];
  /** The commands of all connections in order, as `<connection>: <line>`. */
  readonly commands: readonly string[];
  /** Connections opened so far, and open now. */
  readonly connections: number;
  readonly openConnections: number;
  /** Replaces the script, from the next command on. */
  script: SinkScript | undefined;
  /** Resolves as soon as so many messages were received. */
  until(count: number): Promise<void>;
  /** Writes to every open connection, unasked. */
  say(line: string): void;
  /** Closes every open connection at once; the server goes on. */
  dropAll(): void;
  /** Closes the port too. */
  close(): Promise<void>;
}

const DEFAULT_EXTENSIONS: SinkExtensions = {
  pipelining: true,
  startTls: false,
  smtpUtf8: true,
  eightBitMime: true,
  enhancedStatusCodes: true,
  size: null,
  auth: null,
};

/** The newest command lines are kept, up to so many. */
const KEPT_COMMANDS = 10_000;

class Sink implements SmtpSink, SinkState {
  readonly extensions: SinkExtensions;
  readonly delay: number;
  readonly splitReplies: number;
  readonly keeps: boolean;
  readonly messages: SinkMessage[] = [];
  readonly commands: string[] = [];
  script: SinkScript | undefined;
  count = 0;
  octets = 0;
  connections = 0;
  host = '';
  port = 0;
  readonly #keep: number;
  readonly #open = new Map<SinkConnection, Socket>();
  readonly #waiting = new Set<{ readonly count: number; resolve(): void }>();
  readonly #server: Server;

  constructor(options: SinkOptions) {
    this.extensions = { ...DEFAULT_EXTENSIONS, ...options.extensions };
    this.delay = options.delay ?? 0;
    this.splitReplies = options.splitReplies ?? 0;
    this.script = options.script;
    this.#keep = options.keep ?? Number.POSITIVE_INFINITY;
    this.keeps = this.#keep > 0;
    this.#server = createServer({ noDelay: true }, (socket) => {
      socket.on('error', () => undefined);
      this.connections += 1;
      const stream = options.implicitTls === true ? secureServerSide(socket) : socket;
      const connection = new SinkConnection(this, stream, this.connections);
      this.#open.set(connection, socket);
      socket.on('close', () => this.#open.delete(connection));
    });
  }

  get openConnections(): number {
    return this.#open.size;
  }

  async listen(host: string, port: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, resolve);
    });
    this.host = host;
    this.port = (this.#server.address() as AddressInfo).port;
  }

  received(message: SinkMessage, octets: number): void {
    this.count += 1;
    this.octets += octets;
    this.messages.push(message);
    const dropped = this.messages.length - 1 - this.#keep;
    if (dropped >= 0) {
      const old = this.messages[dropped] as SinkMessage;
      this.messages[dropped] = { ...old, data: Buffer.alloc(0) };
    }
    for (const waiter of this.#waiting) if (this.count >= waiter.count) waiter.resolve();
  }

  command(connection: number, line: string): void {
    this.commands.push(`${connection}: ${line}`);
    if (this.commands.length > 2 * KEPT_COMMANDS) this.commands.splice(0, KEPT_COMMANDS);
  }

  until(count: number): Promise<void> {
    if (this.count >= count) return Promise.resolve();
    return new Promise((resolve) => {
      const waiter = {
        count,
        resolve: () => {
          this.#waiting.delete(waiter);
          resolve();
        },
      };
      this.#waiting.add(waiter);
    });
  }

  say(line: string): void {
    for (const connection of this.#open.keys()) connection.say(line);
  }

  dropAll(): void {
    for (const socket of this.#open.values()) socket.destroy();
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.dropAll();
    await closed;
  }
}

export async function startSmtpSink(options: SinkOptions = {}): Promise<SmtpSink> {
  const sink = new Sink(options);
  await sink.listen(options.host ?? '127.0.0.1', options.port ?? 0);
  return sink;
}
