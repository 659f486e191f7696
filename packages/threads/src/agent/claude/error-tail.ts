import { StringDecoder } from 'node:string_decoder';

/** Enough for the last stack trace, and for a post. */
const MAX_CHARACTERS = 4_000;
/** Shorter values would blank ordinary words. */
const SHORTEST_SECRET = 8;

/** The end of an error output, bounded. */
export class ErrorTail {
  readonly #secrets: readonly string[];
  readonly #decoder = new StringDecoder('utf8');
  #text = '';

  /** @param secrets Values that are never shown. */
  constructor(secrets: readonly string[]) {
    this.#secrets = secrets.filter((secret) => secret.length >= SHORTEST_SECRET);
  }

  push(chunk: Buffer): void {
    // Twice the bound is kept, so that a secret at the cut is whole when it is looked for.
    this.#text = (this.#text + this.#decoder.write(chunk)).slice(-2 * MAX_CHARACTERS);
  }

  toString(): string {
    let text = this.#text;
    for (const secret of this.#secrets) text = text.replaceAll(secret, '…');
    return text
      .replace(/\bsk-ant-[\w-]+/g, '…')
      .replace(/\b(Bearer)\s+\S+/gi, '$1 …')
      .slice(-MAX_CHARACTERS)
      .trim();
  }
}
