/** Writes binary property lists as the system does, for tests. */

export type WrittenPlist =
  | boolean
  | number
  | string
  | Uint8Array
  | readonly WrittenPlist[]
  | { readonly [key: string]: WrittenPlist };

export function binaryPlist(root: WrittenPlist): Buffer {
  const objects: Buffer[] = [];
  const add = (value: WrittenPlist): number => {
    const number = objects.push(Buffer.alloc(0)) - 1;
    objects[number] = objectOf(value, add);
    return number;
  };
  add(root);
  const offsets: number[] = [];
  let at = 8;
  for (const object of objects) {
    offsets.push(at);
    at += object.length;
  }
  const table = Buffer.concat(offsets.map((offset) => bigEndian(offset, 4)));
  const trailer = Buffer.concat([
    Buffer.from([0, 0, 0, 0, 0, 0, 4, 2]),
    bigEndian(objects.length, 8),
    bigEndian(0, 8),
    bigEndian(at, 8),
  ]);
  return Buffer.concat([Buffer.from('bplist00'), ...objects, table, trailer]);
}

function objectOf(value: WrittenPlist, add: (value: WrittenPlist) => number): Buffer {
  if (typeof value === 'boolean') return Buffer.from([value ? 0x09 : 0x08]);
  if (typeof value === 'number') return numberOf(value);
  if (typeof value === 'string') {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII is what is asked for.
    if (/^[\x00-\x7f]*$/.test(value)) return Buffer.concat([head(0x5, value.length), Buffer.from(value)]);
    return Buffer.concat([head(0x6, value.length), Buffer.from(value, 'utf16le').swap16()]);
  }
  if (value instanceof Uint8Array) return Buffer.concat([head(0x4, value.length), value]);
  const references = (values: readonly WrittenPlist[]) => values.map((inner) => bigEndian(add(inner), 2));
  if (isList(value)) return Buffer.concat([head(0xa, value.length), ...references(value)]);
  const keys = Object.keys(value);
  return Buffer.concat([
    head(0xd, keys.length),
    ...references(keys),
    ...references(keys.map((key) => value[key] as WrittenPlist)),
  ]);
}

function isList(value: WrittenPlist): value is readonly WrittenPlist[] {
  return Array.isArray(value);
}

function numberOf(value: number): Buffer {
  if (!Number.isInteger(value)) {
    const bytes = Buffer.alloc(9, 0x23);
    bytes.writeDoubleBE(value, 1);
    return bytes;
  }
  const power = value < 0 || value > 0xffff_ffff ? 3 : value > 0xffff ? 2 : value > 0xff ? 1 : 0;
  return Buffer.concat([Buffer.from([0x10 | power]), bigEndian(value, 2 ** power)]);
}

function head(kind: number, length: number): Buffer {
  if (length < 0x0f) return Buffer.from([(kind << 4) | length]);
  return Buffer.concat([Buffer.from([(kind << 4) | 0x0f]), numberOf(length)]);
}

function bigEndian(value: number, width: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(BigInt(value));
  return bytes.subarray(8 - width);
}
