/**
 * Hands values to a consumer one at a time, and makes the producer wait while too many lie about. Between them
 * the producer may go on, so what it reads for other purposes is not held up by a slow consumer.
 */
export class EventQueue<Value> {
  readonly #capacity: number;
  readonly #consume: (value: Value) => Promise<void>;
  readonly #values: Value[] = [];
  #pump: Promise<void> | null = null;
  #hasRoom: PromiseWithResolvers<void> | null = null;

  /** @param consume Must not reject. */
  constructor(capacity: number, consume: (value: Value) => Promise<void>) {
    this.#capacity = capacity;
    this.#consume = consume;
  }

  get isFull(): boolean {
    return this.#values.length >= this.#capacity;
  }

  /** Resolves once there is room for the next one. */
  async push(value: Value): Promise<void> {
    this.#values.push(value);
    this.#pump ??= this.#run();
    while (this.isFull) {
      this.#hasRoom ??= Promise.withResolvers();
      await this.#hasRoom.promise;
    }
  }

  /** Resolves when all that was pushed has been consumed. */
  async drained(): Promise<void> {
    while (this.#pump !== null) await this.#pump;
  }

  async #run(): Promise<void> {
    // The first value is consumed in a turn of its own: whoever pushed it is not in the middle of a step.
    await Promise.resolve();
    while (this.#values.length > 0) {
      const [value] = this.#values.splice(0, 1) as [Value];
      await this.#consume(value);
      if (!this.isFull) {
        this.#hasRoom?.resolve();
        this.#hasRoom = null;
      }
    }
    this.#pump = null;
  }
}
