/**
 * How far something was read, by id. The value stays behind the newest ids by some, because events come now and then
 * in another order than their ids: what is read from here on again is known by its id, and what was passed is not lost.
 */
export class Position {
  #passed: bigint;
  readonly #recent: bigint[] = [];
  readonly #overlap: number;

  constructor(passed: bigint, overlap: number) {
    this.#passed = passed;
    this.#overlap = overlap;
  }

  get value(): bigint {
    return this.#passed;
  }

  add(id: bigint): void {
    if (id <= this.#passed || this.#recent.includes(id)) return;
    const at = this.#recent.findLastIndex((other) => other < id) + 1;
    this.#recent.splice(at, 0, id);
    const oldest = this.#recent.length > this.#overlap ? this.#recent.shift() : undefined;
    if (oldest !== undefined) this.#passed = oldest;
  }
}
