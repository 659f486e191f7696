import { inspect } from 'node:util';

const HIDDEN = '[secret]';

/**
 * A value that must not be shown. However it is printed (template, JSON, inspect, log serialiser) it reads
 * `[secret]`; only {@link Secret.reveal} gives the text.
 */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** The text itself; call it where it is used, and keep the result nowhere. */
  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return HIDDEN;
  }

  toJSON(): string {
    return HIDDEN;
  }

  [inspect.custom](): string {
    return HIDDEN;
  }
}
