import type { OutgoingMail, Reply, SendHooks, SendResult, Transport } from '../ports.ts';

export const OK: Reply = { code: 250, enhanced: '2.0.0', text: 'queued' };

/** What a fake server does with a mail; nothing said takes it. */
export type Behaviour = (
  mail: OutgoingMail,
  attempt: number,
) => Fault | undefined | Promise<Fault | undefined>;

export type Fault =
  | { readonly rcpt: Reply }
  | { readonly dot: Reply }
  | 'interrupted'
  /** The connection breaks while the mark is being written, before the last byte. */
  | 'interrupted_in_data'
  | 'unknown'
  | 'unreachable'
  | 'misconfigured'
  | 'no_smtputf8';

/** A transport that keeps what it was given, and asks its hooks as a real one does. */
export class FakeTransport implements Transport {
  readonly connections: number;
  readonly taken: OutgoingMail[] = [];
  /** Asked right before the last look. */
  beforeMail: ((mail: OutgoingMail) => void | Promise<void>) | undefined;
  /** Asked when a mail's last byte could leave. */
  beforeEnd: ((mail: OutgoingMail) => void | Promise<void>) | undefined;
  behaviour: Behaviour;
  readonly #attempts = new Map<string, number>();
  readonly #waiters = new Set<() => void>();

  constructor(behaviour: Behaviour = () => undefined, connections = 4) {
    this.behaviour = behaviour;
    this.connections = connections;
  }

  get recipients(): string[] {
    return this.taken.map((mail) => mail.to);
  }

  /** Resolves when so many were taken. */
  async until(count: number): Promise<void> {
    while (this.taken.length < count) {
      await new Promise<void>((resolve) => this.#waiters.add(resolve));
    }
  }

  async send(mail: OutgoingMail, hooks: SendHooks, signal: AbortSignal): Promise<SendResult> {
    const attempt = (this.#attempts.get(mail.to) ?? 0) + 1;
    this.#attempts.set(mail.to, attempt);
    const fault = await this.behaviour(mail, attempt);
    const detail = 'as the test wants it';
    if (fault === 'unreachable' || fault === 'misconfigured') return { kind: fault, detail };
    if (fault === 'no_smtputf8') return { kind: 'unsupported', what: 'smtputf8', detail };
    await this.beforeMail?.(mail);
    if (!(await hooks.beforeMail().catch(() => false))) return { kind: 'held' };
    if (typeof fault === 'object' && 'rcpt' in fault)
      return { kind: 'refused', reply: fault.rcpt, stage: 'rcpt' };
    if (fault === 'interrupted') return { kind: 'interrupted', detail };
    if (fault === 'interrupted_in_data') {
      void hooks.beforeEnd().catch(() => false);
      return { kind: 'interrupted', detail };
    }
    await this.beforeEnd?.(mail);
    if (!(await hooks.beforeEnd().catch(() => false))) return { kind: 'held' };
    if (fault === 'unknown') return { kind: 'unknown', detail };
    if (fault && 'dot' in fault) return { kind: 'refused', reply: fault.dot, stage: 'dot' };
    if (signal.aborted) return { kind: 'unknown', detail: 'stopped' };
    this.taken.push(mail);
    for (const wake of this.#waiters) wake();
    this.#waiters.clear();
    return { kind: 'accepted', reply: OK };
  }

  async close(): Promise<void> {}
}
