/** Archives attributed text as NSArchiver does, for tests: the counterpart of the decoder, written apart from it. */

export interface WrittenRun {
  readonly text: string;
  /** Texts become NSString, numbers NSNumber, addresses NSURL. */
  readonly attributes?: Readonly<Record<string, string | number | URL>>;
}

const NEW = 0x84;
const NIL = 0x85;
const END = 0x86;
const FIRST_REFERENCE = 0x92;

/** The bytes of an `attributedBody`. Runs with the same attributes share one set, as in the original. */
export function typedstream(runs: readonly WrittenRun[] | string): Buffer {
  return new Writer().write(typeof runs === 'string' ? [{ text: runs, attributes: PART_0 }] : runs);
}

const PART_0 = { __kIMMessagePartAttributeName: 0 };

class Writer {
  readonly #chunks: Buffer[] = [];
  readonly #names: string[] = [];
  /** What each numbered thing is; only classes and C strings are named again. */
  readonly #objects: string[] = [];

  write(runs: readonly WrittenRun[]): Buffer {
    this.#bytes(0x04, 0x0b);
    this.#chunks.push(Buffer.from('streamtyped'));
    this.#integer(1_000);
    this.#type('@');
    this.#begin('NSMutableAttributedString', 'NSAttributedString', 'NSObject');
    this.#string(runs.map(({ text }) => text).join(''), true);
    const sets: string[] = [];
    for (const { text, attributes = {} } of runs) {
      if (text === '') continue;
      const set = Object.entries(attributes);
      const key = JSON.stringify(set.map(([name, value]) => [name, String(value)]));
      const known = sets.indexOf(key) + 1;
      this.#type('iI');
      this.#integer(known || sets.push(key));
      this.#integer(text.length);
      if (known === 0) this.#dictionary(set);
    }
    this.#bytes(END);
    return Buffer.concat(this.#chunks);
  }

  #dictionary(entries: readonly (readonly [string, string | number | URL])[]): void {
    this.#type('@');
    this.#begin('NSDictionary', 'NSObject');
    this.#type('i');
    this.#integer(entries.length);
    for (const [name, value] of entries) {
      this.#string(name);
      if (typeof value === 'string') this.#string(value);
      else if (typeof value === 'number') this.#number(value);
      else this.#address(value);
    }
    this.#bytes(END);
  }

  #string(text: string, isMutable = false): void {
    this.#type('@');
    this.#begin(...(isMutable ? ['NSMutableString'] : []), 'NSString', 'NSObject');
    this.#type('+');
    this.#counted(Buffer.from(text));
    this.#bytes(END);
  }

  #number(value: number): void {
    const isWhole = Number.isInteger(value);
    this.#type('@');
    this.#begin('NSNumber', 'NSValue', 'NSObject');
    this.#type('*');
    this.#cString(isWhole ? 'q' : 'd');
    this.#type(isWhole ? 'q' : 'd');
    if (isWhole) this.#integer(value);
    else {
      const bytes = Buffer.alloc(9, 0x83);
      bytes.writeDoubleLE(value, 1);
      this.#chunks.push(bytes);
    }
    this.#bytes(END);
  }

  #address(url: URL): void {
    this.#type('@');
    this.#begin('NSURL', 'NSObject');
    this.#type('c');
    this.#bytes(0);
    this.#string(url.href);
    this.#bytes(END);
  }

  /** A new object of a class, of which each ancestor is described once. */
  #begin(...classNames: string[]): void {
    this.#bytes(NEW);
    this.#objects.push('object');
    for (const name of classNames) {
      const known = this.#objects.indexOf(`class ${name}`);
      if (known >= 0) {
        this.#integer(known + FIRST_REFERENCE - 0x100);
        return;
      }
      this.#bytes(NEW);
      this.#name(name);
      this.#integer(name === 'NSString' || name === 'NSMutableString' ? 1 : 0);
      this.#objects.push(`class ${name}`);
    }
    this.#bytes(NIL);
  }

  #cString(text: string): void {
    const known = this.#objects.indexOf(`text ${text}`);
    if (known >= 0) {
      this.#integer(known + FIRST_REFERENCE - 0x100);
      return;
    }
    this.#bytes(NEW);
    this.#name(text);
    this.#objects.push(`text ${text}`);
  }

  #type(encoding: string): void {
    this.#name(encoding);
  }

  #name(name: string): void {
    const known = this.#names.indexOf(name);
    if (known >= 0) {
      this.#integer(known + FIRST_REFERENCE - 0x100);
      return;
    }
    this.#bytes(NEW);
    this.#counted(Buffer.from(name));
    this.#names.push(name);
  }

  #counted(bytes: Buffer): void {
    this.#integer(bytes.length);
    this.#chunks.push(bytes);
  }

  /** One byte from -110 to 127, else a tag and two or four. */
  #integer(value: number): void {
    if (value >= FIRST_REFERENCE - 0x100 && value <= 0x7f) {
      this.#bytes(value & 0xff);
      return;
    }
    const isShort = value >= -0x8000 && value <= 0xffff;
    const bytes = Buffer.alloc(isShort ? 3 : 5);
    bytes[0] = isShort ? 0x81 : 0x82;
    if (isShort) bytes.writeUInt16LE(value & 0xffff, 1);
    else bytes.writeInt32LE(value | 0, 1);
    this.#chunks.push(bytes);
  }

  #bytes(...bytes: number[]): void {
    this.#chunks.push(Buffer.from(bytes));
  }
}
