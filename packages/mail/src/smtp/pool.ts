import { type Clock, type Random, systemClock, systemRandom } from '@postern/kit';
import { assertEhloName, type SmtpConnectFault } from './connect.ts';
import type { SendOutcome } from './outcome.ts';
import { Relay, type RelayHealth, type RelayOptions } from './relay.ts';
import type { OutgoingMail } from './session.ts';

/**
 * Several relays as one: connections are opened as mail asks for them and kept, mail goes to the next relay while
 * one is down, and a message that a connection lost before its DATA goes over another.
 */

export interface SmtpPoolOptions {
  readonly relays: readonly RelayOptions[];
  /** What EHLO says. */
  readonly name: string;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Milliseconds after which a connection without mail is closed; 30,000 by default. */
  readonly idle?: number;
  /** Waits of a relay that cannot be reached, in milliseconds: 1,000, doubled each time up to 30,000, by default. */
  readonly firstBackoff?: number;
  readonly longestBackoff?: number;
  /** How many messages may wait for a connection; as many as all connections work on, by default. */
  readonly queue?: number;
}

export type PoolOutcome =
  | (SendOutcome & { readonly relay: string })
  | {
      /** No relay could be asked; nothing was sent, and nothing is said of the message. */
      readonly kind: 'unavailable';
      readonly fault: SmtpConnectFault | 'closed';
      readonly text: string;
      /** When it makes sense to try again. */
      readonly retryAfterMilliseconds: number;
    };

export interface SmtpPool {
  /**
   * Sends one message. `beforeMail` may be asked more than once, each time before a MAIL FROM.
   *
   * @throws RangeError (rejects) when {@link free} is 0.
   */
  send(mail: OutgoingMail): Promise<PoolOutcome>;
  /** How many messages it takes now. */
  readonly free: number;
  /** Resolves as soon as it takes one. */
  untilFree(): Promise<void>;
  health(): RelayHealth[];
  /** Answers for the messages on their way, sends no other, and closes all connections. */
  close(): Promise<void>;
}

interface Waiting {
  readonly mail: OutgoingMail;
  tries: number;
  settle(outcome: PoolOutcome): void;
}

/** How often one message is begun over connections that are lost, or closed by the server, before its DATA. */
const MAX_TRIES = 3;

export function smtpPool(options: SmtpPoolOptions): SmtpPool {
  return new Pool(options);
}

class Pool implements SmtpPool {
  readonly #clock: Clock;
  readonly #relays: readonly Relay[];
  /** Groups of one priority, the first first. */
  readonly #tiers: readonly (readonly Relay[])[];
  readonly #queue: Waiting[] = [];
  readonly #capacity: number;
  readonly #freeWaiters: (() => void)[] = [];
  /** Messages that were taken and are not answered for. */
  #taken = 0;
  #closed = false;
  #wakeAt = Number.POSITIVE_INFINITY;
  readonly #stop = new AbortController();

  constructor(options: SmtpPoolOptions) {
    assertEhloName(options.name);
    if (options.relays.length === 0) throw new TypeError('A pool needs at least one relay');
    this.#clock = options.clock ?? systemClock;
    const policy = {
      name: options.name,
      clock: this.#clock,
      random: options.random ?? systemRandom,
      idle: options.idle ?? 30_000,
      firstBackoff: options.firstBackoff ?? 1_000,
      longestBackoff: options.longestBackoff ?? 30_000,
    };
    this.#relays = options.relays.map((relay) => new Relay(relay, policy, () => this.#advance()));
    const priorities = [...new Set(this.#relays.map(({ priority }) => priority))].sort((a, b) => a - b);
    this.#tiers = priorities.map((priority) => this.#relays.filter((relay) => relay.priority === priority));
    const working = this.#relays.reduce((sum, relay) => sum + relay.capacity, 0);
    this.#capacity = working + (options.queue ?? working);
  }

  get free(): number {
    return this.#closed ? 0 : Math.max(0, this.#capacity - this.#taken);
  }

  untilFree(): Promise<void> {
    if (this.free > 0 || this.#closed) return Promise.resolve();
    return new Promise((resolve) => this.#freeWaiters.push(resolve));
  }

  send(mail: OutgoingMail): Promise<PoolOutcome> {
    if (this.#closed) return Promise.resolve(unavailable('closed', 'The pool is closed', 0));
    if (this.free === 0) return Promise.reject(new RangeError('The pool has as many messages as it takes'));
    this.#taken += 1;
    return new Promise((resolve) => {
      const settle = (outcome: PoolOutcome) => {
        this.#taken -= 1;
        resolve(outcome);
        this.#freeWaiters.shift()?.();
      };
      this.#queue.push({ mail, tries: 0, settle });
      this.#advance();
    });
  }

  health(): RelayHealth[] {
    return this.#relays.map(({ health }) => health);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#stop.abort();
    this.#giveUp(unavailable('closed', 'The pool is closed', 0));
    await Promise.all(this.#relays.map((relay) => relay.close()));
    for (const wake of this.#freeWaiters.splice(0)) wake();
  }

  /** Moves what can be moved: called whenever a message, a connection or time has come. */
  #advance(): void {
    if (this.#queue.length === 0) return;
    for (const relay of this.#relays) if (!relay.up && relay.mayConnect) relay.connect();
    const tier = this.#tiers.find((relays) => relays.some(({ up }) => up));
    if (tier === undefined) {
      const connecting = this.#relays.some((relay) => relay.connecting > 0);
      if (!connecting) this.#giveUp(this.#unavailable());
      return;
    }
    const relays = tier.filter(({ up }) => up);
    while (this.#queue.length > 0) {
      if (this.#hand(relays, false) || this.#openOne(relays)) continue;
      const arriving = relays.reduce((sum, relay) => sum + relay.connecting, 0);
      if (this.#queue.length <= arriving || !this.#hand(relays, true)) break;
    }
    if (this.#queue.length > 0) this.#wakeForRate(relays);
  }

  /** Hands the first message to a relay with room. */
  #hand(relays: readonly Relay[], overlap: boolean): boolean {
    const [first] = this.#queue;
    if (first === undefined) return false;
    for (const relay of relays) {
      const sent = relay.send(first.mail, overlap);
      if (sent === undefined) continue;
      this.#queue.shift();
      first.tries += 1;
      void sent.then((outcome) => this.#answered(first, relay, outcome));
      return true;
    }
    return false;
  }

  /** Opens one more connection where mail waits that no opening one will take. */
  #openOne(relays: readonly Relay[]): boolean {
    const arriving = relays.reduce((sum, relay) => sum + relay.connecting, 0);
    if (arriving >= this.#queue.length) return false;
    const relay = relays
      .filter(({ mayConnect }) => mayConnect)
      .sort((a, b) => a.connecting - b.connecting)[0];
    relay?.connect();
    return relay !== undefined;
  }

  #answered(waiting: Waiting, relay: Relay, outcome: SendOutcome): void {
    const early =
      (outcome.kind === 'lost' && outcome.stage === 'before_data') ||
      (outcome.kind === 'reply' && outcome.code === 421 && outcome.stage !== 'dot');
    if (early && waiting.tries < MAX_TRIES && !this.#closed) this.#queue.unshift(waiting);
    else waiting.settle({ ...outcome, relay: relay.id });
    this.#advance();
  }

  #giveUp(outcome: PoolOutcome): void {
    for (const waiting of this.#queue.splice(0)) waiting.settle(outcome);
  }

  #unavailable(): PoolOutcome {
    const wait = Math.min(...this.#relays.map((relay) => relay.wait));
    const [first] = this.#relays;
    return unavailable(
      first?.fault ?? 'unreachable',
      first?.error ?? 'No relay can be reached',
      Math.ceil(wait),
    );
  }

  /** Comes back when the first rate limit allows another message. */
  #wakeForRate(relays: readonly Relay[]): void {
    const waits = relays.map(({ rateWait }) => rateWait).filter((wait) => wait > 0);
    if (waits.length === 0) return;
    const wait = Math.min(...waits);
    const at = this.#clock.nowMicroseconds() / 1_000 + wait;
    if (at >= this.#wakeAt) return;
    this.#wakeAt = at;
    void this.#clock.sleep(wait, this.#stop.signal).then(() => {
      this.#wakeAt = Number.POSITIVE_INFINITY;
      this.#advance();
    });
  }
}

function unavailable(
  fault: SmtpConnectFault | 'closed',
  text: string,
  retryAfterMilliseconds: number,
): PoolOutcome {
  return { kind: 'unavailable', fault, text, retryAfterMilliseconds };
}
