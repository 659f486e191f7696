/**
 * A JSON value as its text, where it is too large to be parsed and written again on the event loop: a text travels
 * between threads many times faster than the objects in it. Whoever makes one answers for what is in it.
 */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** The value; takes as long as its size says. */
  parse(): unknown {
    return JSON.parse(this.text);
  }
}
