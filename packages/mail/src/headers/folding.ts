import { HeaderError } from './values.ts';

/**
 * Folding (RFC 5322 sections 2.1.1 and 2.2.3): lines of at most 76 wherever a break is possible. 78 is the rule,
 * and 76 that of lines with encoded words (RFC 2047 section 2).
 */

export const FOLDED_LINE = 76;
const HARD_LINE = 998;

/** Lays out one field: name, then words with one space before each, broken before a word that would not fit. */
export class FieldWriter {
  readonly #name: string;
  #text: string;
  #column: number;

  constructor(name: string) {
    this.#name = name;
    this.#text = `${name}:`;
    this.#column = name.length + 1;
  }

  /** Places left on the open line for a word, the space before it taken off. */
  get space(): number {
    return FOLDED_LINE - this.#column - 1;
  }

  /**
   * Adds a word that stays in one piece, on the open line where it fits and else on one of its own. A word that fits
   * in no folded line stays beside the field's name: a break would not help it.
   *
   * @throws HeaderError when the word is longer than any line may be.
   */
  word(word: string): void {
    const width = octets(word);
    const bare = this.#column === this.#name.length + 1;
    if (this.#column + 1 + width > FOLDED_LINE) {
      const alone = 1 + width;
      if (alone > HARD_LINE) throw new HeaderError(this.#name, 'too_long');
      if (!bare || alone <= FOLDED_LINE || this.#column + alone > HARD_LINE) this.breakLine();
    }
    this.#text += ` ${word}`;
    this.#column += 1 + width;
  }

  /** Breaks the line here, before a space that comes next. */
  breakLine(): void {
    this.#text += '\r\n';
    this.#column = 0;
  }

  /** The field, with its last CRLF. */
  end(): string {
    return `${this.#text}\r\n`;
  }
}

/** Lines are limited in octets; a field of an SMTPUTF8 message may hold UTF-8 (RFC 6532). */
function octets(word: string): number {
  return /^[ -~]*$/.test(word) ? word.length : Buffer.byteLength(word);
}
