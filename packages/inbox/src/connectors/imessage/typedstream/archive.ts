import { END, NEW, NIL, StreamBytes, StreamFault } from './bytes.ts';

/** An object of the archive: its class, what that inherits from, and its values in the order they were written. */
export interface ArchivedObject {
  readonly kind: 'object';
  /** The class first, then what it inherits from; the same list for all objects of the class. */
  classNames: readonly string[];
  readonly values: ArchivedValue[];
}

interface ArchivedClass {
  readonly kind: 'class';
  readonly names: readonly string[];
}

interface ArchivedText {
  readonly kind: 'text';
  readonly bytes: Uint8Array;
}

export type ArchivedValue = null | number | Uint8Array | ArchivedObject | ArchivedClass | ArchivedText;

/** Objects in objects in objects; Messages nests four deep. */
const DEEPEST = 64;
/** Each takes much more memory than the bytes that ask for it; a long message with many parts has some hundreds. */
const MOST_OBJECTS = 200_000;
const SIGNATURE = 'streamtyped';
const LONGEST_ENCODING = 64;

/**
 * Reads an archive of Apple's NSArchiver ("typedstream"), of which the root object is all that Messages writes.
 * The format: a header; then values, each after the encoding of its type; objects, classes and C strings share one
 * numbering, names of types and classes another, and what was numbered before is named by its number.
 *
 * @param onObject Hears of every object when its values begin, outer ones first, so that what was read of a
 *   broken archive is not lost.
 * @throws StreamFault and nothing else.
 */
export function readArchive(bytes: Uint8Array, onObject: (object: ArchivedObject) => void): void {
  new ArchiveReader(bytes, onObject).read();
}

class ArchiveReader {
  readonly #stream: StreamBytes;
  readonly #onObject: (object: ArchivedObject) => void;
  readonly #objects: (ArchivedObject | ArchivedClass | ArchivedText)[] = [];
  readonly #names: Uint8Array[] = [];
  #depth = 0;

  constructor(bytes: Uint8Array, onObject: (object: ArchivedObject) => void) {
    this.#stream = new StreamBytes(bytes);
    this.#onObject = onObject;
  }

  read(): void {
    this.#header();
    while (!this.#stream.isAtEnd) this.#group([]);
  }

  #header(): void {
    const version = this.#stream.byte();
    const signature = latin1(this.#stream.take(this.#stream.count()));
    if (version !== 4 || signature !== SIGNATURE) throw new StreamFault('it is no little-endian typedstream');
    this.#stream.integer();
  }

  /** The encoding of types, and a value for each. */
  #group(into: ArchivedValue[]): void {
    const encoding = this.#name();
    if (encoding === null) throw new StreamFault('values without a type');
    if (encoding.length === 0 || encoding.length > LONGEST_ENCODING)
      throw new StreamFault('an encoding of types that is none');
    this.#values(latin1(encoding), into);
  }

  #values(encoding: string, into: ArchivedValue[]): void {
    let at = 0;
    while (at < encoding.length) {
      this.#stream.spend();
      const array = /^\[(\d{1,9})([A-Za-z@*#%:])\]/.exec(encoding.slice(at));
      if (array) {
        const [whole, length, element] = array as unknown as [string, string, string];
        at += whole.length;
        if (element === 'c' || element === 'C') into.push(this.#stream.take(Number(length)));
        else for (let index = 0; index < Number(length); index += 1) into.push(this.#value(element));
        continue;
      }
      const step = encoding.charAt(at);
      at += 1;
      // The braces of a structure only group, and its name is no value.
      const structure = step === '{' ? /^[^={}]*=/.exec(encoding.slice(at)) : null;
      if (structure) at += structure[0].length;
      else if (step !== '{' && step !== '}') into.push(this.#value(step));
    }
  }

  #value(type: string): ArchivedValue {
    switch (type) {
      case '@':
        return this.#object();
      case '+':
        return this.#stream.take(this.#stream.count());
      case '*':
        return this.#text();
      case '%':
      case ':':
        return this.#name();
      case '#':
        return this.#class();
      case 'c':
      case 'C':
      case 'B':
        return this.#stream.byte();
      case 'f':
        return this.#stream.floating(4);
      case 'd':
        return this.#stream.floating(8);
      case 's':
      case 'i':
      case 'l':
      case 'q':
        return this.#stream.integer();
      case 'S':
      case 'I':
      case 'L':
      case 'Q':
        return this.#unsigned();
      default:
        throw new StreamFault('a type it does not know');
    }
  }

  /** An unsigned number above 127 may stand in one byte only where it is no tag. */
  #unsigned(): number {
    return this.#stream.peek() > 0x82 ? this.#stream.integer() + 0x100 : this.#stream.count();
  }

  #object(): ArchivedObject | ArchivedClass | ArchivedText | null {
    const head = this.#stream.peek();
    if (head === NIL) {
      this.#stream.byte();
      return null;
    }
    if (head !== NEW) return this.#known();
    this.#stream.byte();
    this.#depth += 1;
    if (this.#depth > DEEPEST) throw new StreamFault('objects are nested too deep');
    const object: ArchivedObject = { kind: 'object', classNames: [], values: [] };
    this.#number(object);
    object.classNames = this.#class().names;
    this.#onObject(object);
    while (this.#stream.peek() !== END) this.#group(object.values);
    this.#stream.byte();
    this.#depth -= 1;
    return object;
  }

  #class(): ArchivedClass {
    const own: { kind: 'class'; names: string[] }[] = [];
    let inherited: readonly string[] = [];
    for (;;) {
      const head = this.#stream.peek();
      if (head === NIL) {
        this.#stream.byte();
        break;
      }
      if (head !== NEW) {
        const known = this.#known();
        if (known.kind !== 'class') throw new StreamFault('something else stands where a class belongs');
        inherited = known.names;
        break;
      }
      this.#stream.byte();
      if (own.length >= DEEPEST) throw new StreamFault('classes are nested too deep');
      const name = this.#name();
      if (name === null) throw new StreamFault('a class without a name');
      this.#stream.integer();
      const described = { kind: 'class' as const, names: [latin1(name)] };
      own.push(described);
      this.#number(described);
    }
    for (const described of own.toReversed()) {
      described.names.push(...inherited);
      if (described.names.length > DEEPEST) throw new StreamFault('classes are nested too deep');
      inherited = described.names;
    }
    return { kind: 'class', names: inherited };
  }

  #text(): ArchivedText | null {
    const head = this.#stream.peek();
    if (head === NIL) {
      this.#stream.byte();
      return null;
    }
    if (head !== NEW) {
      const known = this.#known();
      if (known.kind !== 'text') throw new StreamFault('something else stands where a text belongs');
      return known;
    }
    this.#stream.byte();
    const bytes = this.#name();
    if (bytes === null) return null;
    const text = { kind: 'text' as const, bytes };
    this.#number(text);
    return text;
  }

  #number(thing: ArchivedObject | ArchivedClass | ArchivedText): void {
    if (this.#objects.length >= MOST_OBJECTS) throw new StreamFault('it holds too many objects');
    this.#objects.push(thing);
  }

  #known(): ArchivedObject | ArchivedClass | ArchivedText {
    const known = this.#objects[this.#stream.reference()];
    if (!known) throw new StreamFault('a reference to nothing');
    return known;
  }

  #name(): Uint8Array | null {
    const head = this.#stream.peek();
    if (head === NIL) {
      this.#stream.byte();
      return null;
    }
    if (head === NEW) {
      this.#stream.byte();
      const name = this.#stream.take(this.#stream.count());
      this.#names.push(name);
      return name;
    }
    const known = this.#names[this.#stream.reference()];
    if (!known) throw new StreamFault('a reference to a name that is not there');
    return known;
  }
}

export function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}
