import { HeaderError } from './values.ts';

/** One field, ready to be sent and to be signed. */
export class HeaderField {
  /** As written, `List-Id`. */
  readonly name: string;
  /** Lower case, for comparison. */
  readonly key: string;
  /** `Name: value` with folding and the last CRLF. */
  readonly text: string;
  #relaxed: string | undefined;

  /** @param text one whole field, as the writers in this folder give it. */
  constructor(text: string) {
    const colon = text.indexOf(':');
    if (colon < 1) throw new HeaderError('', 'field_name');
    this.name = text.slice(0, colon);
    this.key = this.name.toLowerCase();
    this.text = text;
  }

  /**
   * The field as DKIM's relaxed canonicalisation has it, with its CRLF (RFC 6376 section 3.4.2). Kept, as the fixed
   * fields of a campaign are signed once for every recipient.
   */
  get relaxed(): string {
    this.#relaxed ??= relaxField(this.text);
    return this.#relaxed;
  }
}

/** Relaxed canonicalisation of one field: name in lower case, unfolded, white space runs as one space, none at the ends. */
export function relaxField(text: string): string {
  const colon = text.indexOf(':');
  const name = text
    .slice(0, colon)
    .toLowerCase()
    .replace(/[ \t]+$/, '');
  const value = text.slice(colon + 1).replace(/\r\n(?=[ \t])/g, '');
  return `${name}:${value.replace(/[ \t]+/g, ' ').replace(/^ | ?(?:\r\n)?$/g, '')}\r\n`;
}
