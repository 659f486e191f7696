import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseAddress } from './addresses.ts';
import { createVerp } from './verp.ts';

const secret = Buffer.alloc(32, 7);
const verp = createVerp({ secret, domain: 'bounce.example.org' });
const crockford = fc.constantFrom(...'0123456789ABCDEFGHJKMNPQRSTVWXYZ');
const letter = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz');
const id = fc
  .tuple(
    fc.string({ unit: letter, minLength: 3, maxLength: 3 }),
    fc.string({ unit: crockford, minLength: 26, maxLength: 26 }),
  )
  .map(([kind, digits]) => `${kind}_${digits}`);

describe('createVerp', () => {
  test('names an id in an address that mail can carry, in any case', () => {
    fc.assert(
      fc.property(id, (name) => {
        const address = verp.address(name);
        expect(address).toMatch(/^bounce\+[0-9a-z]{50}@bounce\.example\.org$/);
        expect(parseAddress(address).fault).toBeUndefined();
        expect(verp.read(address)).toBe(name);
        expect(verp.read(` <${address.toUpperCase()}> `)).toBe(name);
        expect(verp.read(address.split('@')[0]!)).toBe(name);
        expect(address).not.toContain(name.slice(4, 14).toLowerCase());
      }),
    );
  });

  test('gives the same address for the same id', () => {
    const name = 'dlv_01J0000000000000000000000Z';
    expect(verp.address(name)).toBe(createVerp({ secret, domain: 'bounce.example.org' }).address(name));
    expect(verp.address(name)).not.toBe(verp.address('dlv_01J0000000000000000000000Y'));
  });

  test('refuses what was changed or made with another secret', () => {
    const name = 'dlv_01J0000000000000000000000Z';
    const address = verp.address(name);
    for (let at = 7; at < 57; at += 1) {
      const digit = address[at] === '0' ? '1' : '0';
      expect(verp.read(address.slice(0, at) + digit + address.slice(at + 1))).toBeNull();
    }
    const other = createVerp({ secret: Buffer.alloc(32, 8), domain: 'bounce.example.org' });
    expect(other.read(address)).toBeNull();
    expect(createVerp({ secret, domain: 'x', prefix: 'b-' }).read(address)).toBeNull();
  });

  test('takes any text to read', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => verp.read(text) === null));
    const token = fc.string({ unit: crockford, minLength: 50, maxLength: 50 });
    fc.assert(fc.property(token, (text) => verp.read(`bounce+${text}@bounce.example.org`) === null));
  });

  test('refuses ids, secrets and prefixes of other forms', () => {
    for (const bad of ['', 'dlv_', 'dlv_01j0000000000000000000000Z', 'DLV_01J0000000000000000000000Z']) {
      expect(() => verp.address(bad)).toThrow(TypeError);
    }
    expect(() => createVerp({ secret: Buffer.alloc(8), domain: 'x' })).toThrow(TypeError);
    expect(() => createVerp({ secret, domain: 'x', prefix: 'much-too-long-a-prefix' })).toThrow(TypeError);
    expect(() => createVerp({ secret, domain: 'x', prefix: 'a b' })).toThrow(TypeError);
  });
});
