/** Text that is HTML already, and isn't escaped again where a value would be. Compares as its text. */
export class Markup {
  readonly #html: string;

  constructor(html: string) {
    this.#html = html;
  }

  toString(): string {
    return this.#html;
  }

  equals(other: unknown): boolean {
    return this.#html === stringify(other);
  }

  gt(other: unknown): boolean {
    return this.#html > stringify(other);
  }

  geq(other: unknown): boolean {
    return this.#html >= stringify(other);
  }

  lt(other: unknown): boolean {
    return this.#html < stringify(other);
  }

  leq(other: unknown): boolean {
    return this.#html <= stringify(other);
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Nearly no value has any of these, and asking costs less than replacing. */
const UNFIT = /[&<>"'\p{Cc}]/u;
/** Controls that are no white space; HTML allows none of them. */
const CONTROLS = /(?![\t\n\r\u0085])\p{Cc}/gu;

/** A value made fit for HTML, in elements and in quoted attributes; {@link Markup} stays as it is. */
export function escapeHtml(value: unknown): string {
  if (value instanceof Markup) return value.toString();
  const text = stringify(value);
  if (!UNFIT.test(text)) return text;
  return text.replace(CONTROLS, '').replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
}

/** What Liquid writes for a value. */
export function stringify(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(stringify).join('');
  if (value instanceof Markup) return value.toString();
  // An object may have a `toString` of anybody's making.
  return typeof value === 'object' ? Object.prototype.toString.call(value) : String(value);
}

const LINE_BREAKERS = /[\p{Cc}\u2028\u2029]+/gu;

/** A text on one line. */
export function oneLine(text: string): string {
  return text.replace(LINE_BREAKERS, ' ');
}
