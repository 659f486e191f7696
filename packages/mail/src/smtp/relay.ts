import type { Clock, Random } from '@postern/kit';
import { connectSmtp, SmtpConnectError, type SmtpConnectFault, type SmtpOptions } from './connect.ts';
import type { SendOutcome } from './outcome.ts';
import type { OutgoingMail, SmtpSession } from './session.ts';

/** One relay of a pool: its connections, its limits, and how it is doing. */

export interface RelayOptions extends Omit<SmtpOptions, 'name' | 'signal'> {
  /** For logs and health; `host:port` by default. */
  readonly id?: string | undefined;
  /** 0 by default. Relays of a higher number are used while all of the lower ones are down. */
  readonly priority?: number | undefined;
  /** Most connections at a time; 10 by default. */
  readonly connections?: number | undefined;
  /** A connection is closed and replaced after so many messages; 1,000 by default. */
  readonly messagesPerConnection?: number | undefined;
  /** Most messages begun in a second; no limit by default. */
  readonly ratePerSecond?: number | undefined;
}

export interface RelayHealth {
  readonly id: string;
  /** `up` while it is not known to be down. */
  readonly state: 'up' | 'down';
  readonly connections: number;
  /** Messages it has and has not answered for. */
  readonly pending: number;
  /** Failures to connect since it last worked, and when it is tried again (milliseconds since the epoch). */
  readonly failures: number;
  readonly retryAt: number | null;
  readonly lastFault: SmtpConnectFault | null;
  readonly lastError: string | null;
}

/** How a pool treats connections. Times in milliseconds. */
export interface RelayPolicy {
  readonly name: string;
  readonly clock: Clock;
  readonly random: Random;
  /** A connection without mail is closed after so long. */
  readonly idle: number;
  /** The first wait after a failure; each further one doubles it up to the longest. */
  readonly firstBackoff: number;
  readonly longestBackoff: number;
}

interface Connection {
  readonly session: SmtpSession;
  /** Messages handed to it so far. */
  used: number;
  stopIdling: AbortController | undefined;
}

const DEFAULT_CONNECTIONS = 10;
const DEFAULT_MESSAGES_PER_CONNECTION = 1_000;
/** With pipelining the envelope of a second message can go out with the end of the first. */
const PIPELINED_DEPTH = 2;

export class Relay {
  readonly id: string;
  readonly priority: number;
  readonly #options: RelayOptions;
  readonly #policy: RelayPolicy;
  readonly #onChange: () => void;
  readonly #connections = new Set<Connection>();
  readonly #rate: TokenBucket | undefined;
  #connecting = 0;
  #failures = 0;
  #blockedUntil = 0;
  #fault: SmtpConnectFault | null = null;
  #error: string | null = null;
  readonly #stop = new AbortController();

  /** @param onChange is called when it may take mail again, or has gone down. */
  constructor(options: RelayOptions, policy: RelayPolicy, onChange: () => void) {
    this.id = options.id ?? `${options.host}:${options.port}`;
    this.priority = options.priority ?? 0;
    this.#options = options;
    this.#policy = policy;
    this.#onChange = onChange;
    if (options.ratePerSecond !== undefined) {
      this.#rate = new TokenBucket(options.ratePerSecond, () => this.#now());
    }
  }

  get up(): boolean {
    return this.#connections.size > 0 || this.#failures === 0;
  }

  get connecting(): number {
    return this.#connecting;
  }

  get fault(): SmtpConnectFault | null {
    return this.#fault;
  }

  get error(): string | null {
    return this.#error;
  }

  /** The most messages it works on at a time. */
  get capacity(): number {
    return this.#limit * PIPELINED_DEPTH;
  }

  /** Milliseconds until it may be tried again; 0 for now. */
  get wait(): number {
    return Math.max(0, this.#blockedUntil - this.#now());
  }

  /** Whether one more connection may be opened; only one at a time while it is not known to work. */
  get mayConnect(): boolean {
    if (this.#stop.signal.aborted || this.wait > 0) return false;
    const standing = this.#connections.size + this.#connecting;
    return this.#failures > 0 ? this.#connecting === 0 : standing < this.#limit;
  }

  get health(): RelayHealth {
    let pending = 0;
    for (const { session } of this.#connections) pending += session.pending;
    return {
      id: this.id,
      state: this.up ? 'up' : 'down',
      connections: this.#connections.size,
      pending,
      failures: this.#failures,
      retryAt: this.#failures > 0 ? this.#blockedUntil : null,
      lastFault: this.#fault,
      lastError: this.#error,
    };
  }

  /**
   * Hands over one message, if a connection has room: first to one without mail, and, if `overlap`, to one whose
   * current message it can follow at once.
   */
  send(mail: OutgoingMail, overlap: boolean): Promise<SendOutcome> | undefined {
    const connection = this.#room(overlap);
    if (connection === undefined || this.#rate?.take() === false) return undefined;
    connection.used += 1;
    connection.stopIdling?.abort();
    connection.stopIdling = undefined;
    const sent = connection.session.send(mail);
    // It still counts as a connection until it is closed, or the relay would see more than the limit.
    if (connection.used >= this.#messagesPerConnection) void connection.session.quit();
    return sent.then((outcome) => {
      this.#afterSend(connection, outcome);
      return outcome;
    });
  }

  /** Milliseconds until its rate allows the next message. */
  get rateWait(): number {
    return this.#rate?.wait ?? 0;
  }

  /** Opens one connection in the background. */
  connect(): void {
    this.#connecting += 1;
    connectSmtp({ ...this.#options, name: this.#policy.name, signal: this.#stop.signal }).then(
      (session) => {
        this.#connecting -= 1;
        this.#failures = 0;
        this.#fault = null;
        this.#error = null;
        this.#adopt(session);
      },
      (error: unknown) => {
        this.#connecting -= 1;
        this.#failed(error);
        this.#onChange();
      },
    );
  }

  /** Takes no more mail, and resolves when all it has is answered for. */
  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all(Array.from(this.#connections, ({ session }) => session.quit()));
  }

  get #limit(): number {
    return this.#options.connections ?? DEFAULT_CONNECTIONS;
  }

  get #messagesPerConnection(): number {
    return this.#options.messagesPerConnection ?? DEFAULT_MESSAGES_PER_CONNECTION;
  }

  #now(): number {
    return this.#policy.clock.nowMicroseconds() / 1_000;
  }

  #room(overlap: boolean): Connection | undefined {
    let second: Connection | undefined;
    for (const connection of this.#connections) {
      const { session } = connection;
      if (!session.open) continue;
      if (session.pending === 0) return connection;
      const deep = session.capabilities.pipelining && session.pending < PIPELINED_DEPTH;
      if (overlap && deep) second ??= connection;
    }
    return second;
  }

  #adopt(session: SmtpSession): void {
    if (this.#stop.signal.aborted) {
      void session.quit();
      return;
    }
    const connection: Connection = { session, used: 0, stopIdling: undefined };
    this.#connections.add(connection);
    void session.ended.then(() => {
      connection.stopIdling?.abort();
      this.#connections.delete(connection);
      this.#onChange();
    });
    this.#onChange();
    this.#idle(connection);
  }

  #afterSend(connection: Connection, outcome: SendOutcome): void {
    // A server that turns mail away for now is left in peace for a while; the connections that stand may go on.
    if (outcome.kind === 'reply' && outcome.code === 421) this.#backOff('rejected', `421 ${outcome.text}`);
    this.#idle(connection);
  }

  #idle(connection: Connection): void {
    const { session } = connection;
    if (!session.open || session.pending > 0 || connection.stopIdling !== undefined) return;
    const stop = new AbortController();
    connection.stopIdling = stop;
    void this.#policy.clock.sleep(this.#policy.idle, stop.signal).then(() => {
      if (!stop.signal.aborted) void session.quit();
    });
  }

  #failed(error: unknown): void {
    const fault = error instanceof SmtpConnectError ? error.fault : 'unreachable';
    this.#backOff(fault, error instanceof Error ? error.message : String(error));
  }

  /** Failures that come together, as of several connections at once, count as one. */
  #backOff(fault: SmtpConnectFault, error: string): void {
    this.#fault = fault;
    this.#error = error;
    if (this.wait > 0 && this.#failures > 0) return;
    this.#failures += 1;
    const { firstBackoff, longestBackoff, random } = this.#policy;
    const wait = Math.min(longestBackoff, firstBackoff * 2 ** (this.#failures - 1));
    const [chance = 0] = random.bytes(1);
    this.#blockedUntil = this.#now() + wait * (0.75 + chance / 1_024);
  }
}

/** Tokens that come back with time; a tenth of a second's worth may be saved up. */
class TokenBucket {
  readonly #perMillisecond: number;
  readonly #burst: number;
  readonly #now: () => number;
  #tokens: number;
  #at: number;

  constructor(perSecond: number, now: () => number) {
    this.#perMillisecond = perSecond / 1_000;
    this.#burst = Math.max(1, perSecond / 10);
    this.#now = now;
    this.#tokens = this.#burst;
    this.#at = now();
  }

  take(): boolean {
    this.#refill();
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  get wait(): number {
    this.#refill();
    return this.#tokens >= 1 ? 0 : Math.ceil((1 - this.#tokens) / this.#perMillisecond);
  }

  #refill(): void {
    const now = this.#now();
    // A clock that was set back gives nothing and takes nothing.
    const passed = Math.max(0, now - this.#at);
    this.#tokens = Math.min(this.#burst, this.#tokens + passed * this.#perMillisecond);
    this.#at = now;
  }
}
