/**
 * Whether the agent is at work. A turn begins with a message of ours or by itself, when something in the
 * background is done; several messages may go into one turn.
 */
export class Turns {
  /** Messages written that no finished turn was about. */
  readonly #open = new Set<string>();
  readonly #taken = new Set<string>();
  #isRunning = false;
  #finished: PromiseWithResolvers<void> | null = null;

  get isMidTurn(): boolean {
    return this.#isRunning || this.#open.size > 0;
  }

  sent(uuid: string): void {
    this.#open.add(uuid);
  }

  begun(): void {
    this.#isRunning = true;
  }

  /** The agent has a message in its history. False when it said so before, or does not have it from us. */
  taken(uuid: string): boolean {
    if (!this.#open.has(uuid) || this.#taken.has(uuid)) return false;
    this.#taken.add(uuid);
    return true;
  }

  /** The agent is done with a message, whatever came of it. */
  closed(uuid: string): void {
    this.#open.delete(uuid);
    this.#taken.delete(uuid);
  }

  /** Whatever was taken has been dealt with. */
  finished(): void {
    this.#isRunning = false;
    for (const uuid of this.#taken) this.closed(uuid);
    this.#finished?.resolve();
    this.#finished = null;
  }

  /** Resolves when the running turn, or the next one, has finished. */
  untilFinished(): Promise<void> {
    this.#finished ??= Promise.withResolvers();
    return this.#finished.promise;
  }
}
