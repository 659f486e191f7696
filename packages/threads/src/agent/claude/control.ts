import type { Clock } from '@postern/kit';
import * as shapes from './shapes.ts';

/** Requests to the CLI over its own input, and their answers. */
export class ControlRequests {
  readonly #clock: Clock;
  readonly #write: (line: object) => Promise<void>;
  readonly #pending = new Map<string, (isDone: boolean) => void>();
  #count = 0;

  constructor(clock: Clock, write: (line: object) => Promise<void>) {
    this.#clock = clock;
    this.#write = write;
  }

  /** Whether the CLI says within the deadline that it did it. */
  async request(subtype: string, deadlineMs: number): Promise<boolean> {
    this.#count += 1;
    const id = `postern-${this.#count}`;
    const late = new AbortController();
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#pending.set(id, resolve);
    void this.#clock.sleep(deadlineMs, late.signal).then(() => resolve(false));
    try {
      await this.#write({ type: 'control_request', request_id: id, request: { subtype } });
      return await promise;
    } catch {
      return false;
    } finally {
      late.abort();
      this.#pending.delete(id);
    }
  }

  /** An answer of the CLI's. */
  answered(line: unknown): void {
    const answer = shapes.controlResponse.safeParse(line).data?.response;
    if (answer) this.#pending.get(answer.request_id)?.(answer.subtype === 'success');
  }

  /** The CLI asks for something. Nothing it could ask for is offered, and without an answer it would wait. */
  async refuse(line: unknown): Promise<void> {
    const id = shapes.controlRequest.safeParse(line).data?.request_id;
    if (id === undefined) return;
    await this.#write({
      type: 'control_response',
      response: { subtype: 'error', request_id: id, error: 'not supported' },
    }).catch(() => undefined);
  }
}
