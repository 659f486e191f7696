import type { StoreLog } from '../store.ts';

interface Notification {
  readonly channel: string;
  readonly payload: string;
}

/**
 * Sends notifications in the background, many in one statement: while one is under way the next ones
 * gather, and equal ones become one. What fails is dropped with a warning, as they are but hints.
 */
export class Notifier {
  readonly #send: (sql: string, parameters: unknown[]) => Promise<void>;
  readonly #log: StoreLog | undefined;
  #waiting = new Map<string, Notification>();
  #sending: Promise<void> | undefined;

  constructor(send: (sql: string, parameters: unknown[]) => Promise<void>, log: StoreLog | undefined) {
    this.#send = send;
    this.#log = log;
  }

  add(channel: string, payload: string): void {
    this.#waiting.set(`${channel} ${payload}`, { channel, payload });
    this.#sending ??= this.#sendAll();
  }

  /** Resolves when all that was added has been sent. */
  async idle(): Promise<void> {
    await this.#sending;
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.size > 0) {
      const batch = [...this.#waiting.values()];
      this.#waiting = new Map();
      try {
        await this.#send(
          'SELECT pg_notify(channel, payload) FROM unnest($1::text[], $2::text[]) AS n(channel, payload)',
          [batch.map((one) => one.channel), batch.map((one) => one.payload)],
        );
      } catch (error) {
        this.#log?.warn({ err: error }, 'a notification could not be sent');
      }
    }
    this.#sending = undefined;
  }
}
