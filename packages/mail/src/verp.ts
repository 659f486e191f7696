import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Return paths that name what they return (VERP): `bounce+<token>@bounce.example.org`. The token is an id, enciphered
 * and signed, so nobody learns it from an address or makes one up. It is Crockford base32 in lower case, as mail
 * systems on the way may change the case of a local part.
 */

export interface Verp {
  /**
   * The return path for a thing.
   *
   * @param id three letters, `_`, and 26 Crockford characters: `dlv_01J…`.
   * @throws TypeError when the id has another form.
   */
  address(id: string): string;
  /**
   * The id that an address (or its local part) names; null when it is none of ours, or was tampered with. Never
   * throws.
   */
  read(address: string): string | null;
}

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';
const DIGIT_VALUES = new Map(Array.from(DIGITS, (digit, value) => [digit, BigInt(value)]));
const ID = /^([a-z]{3})_([0-9A-HJKMNP-TV-Z]{26})$/;
/** 96 bits, which nobody tries out by mail. */
const TAG_OCTETS = 12;
/** Two octets for the three letters, and 130 bits. */
const PAYLOAD_OCTETS = 19;
const TOKEN_DIGITS = Math.ceil(((TAG_OCTETS + PAYLOAD_OCTETS) * 8) / 5);
/** RFC 5321 section 4.5.3.1.1 */
const MAX_LOCAL_OCTETS = 64;

/**
 * @param options.secret at least 16 octets; who has it can read and make tokens.
 * @param options.prefix what stands before the token; `bounce+` by default.
 * @throws TypeError when the secret is too short or the prefix too long.
 */
export function createVerp(options: {
  readonly secret: Uint8Array;
  readonly domain: string;
  readonly prefix?: string;
}): Verp {
  const prefix = options.prefix ?? 'bounce+';
  if (options.secret.length < 16) throw new TypeError('A VERP secret has at least 16 octets');
  if (!/^[a-z0-9][a-z0-9+=._-]*$/.test(prefix) || prefix.length + TOKEN_DIGITS > MAX_LOCAL_OCTETS) {
    throw new TypeError('A VERP prefix has at most 14 characters of a-z, 0-9 and +=._-');
  }
  const tagKey = createHmac('sha256', options.secret).update('verp tag').digest();
  const streamKey = createHmac('sha256', options.secret).update('verp stream').digest();
  const tagOf = (payload: Uint8Array) =>
    createHmac('sha256', tagKey).update(payload).digest().subarray(0, TAG_OCTETS);
  // The tag is a nonce too: two ids share a stream only if they share the tag (as in RFC 5297).
  const encipher = (payload: Uint8Array, tag: Uint8Array): Uint8Array => {
    const stream = createHmac('sha256', streamKey).update(tag).digest();
    return payload.map((octet, index) => octet ^ (stream[index] as number));
  };
  return {
    address(id) {
      const payload = pack(id);
      const tag = tagOf(payload);
      const token = toDigits(Buffer.concat([tag, encipher(payload, tag)]), TOKEN_DIGITS);
      return `${prefix}${token}@${options.domain}`;
    },
    read(address) {
      const local = address.trim().replace(/^</, '').toLowerCase().split('@', 1)[0] ?? '';
      if (!local.startsWith(prefix) || local.length !== prefix.length + TOKEN_DIGITS) return null;
      const octets = fromDigits(local.slice(prefix.length), TAG_OCTETS + PAYLOAD_OCTETS);
      if (octets === null) return null;
      const tag = octets.subarray(0, TAG_OCTETS);
      const payload = encipher(octets.subarray(TAG_OCTETS), tag);
      return timingSafeEqual(tagOf(payload), tag) ? unpack(payload) : null;
    },
  };
}

function pack(id: string): Uint8Array {
  const [, letters = '', digits = ''] = ID.exec(id) ?? [];
  if (letters === '') throw new TypeError('A VERP id is three letters, _ and 26 Crockford characters');
  let kind = 0;
  for (const letter of letters) kind = kind * 26 + letter.charCodeAt(0) - 97;
  const number = fromDigits(digits.toLowerCase(), PAYLOAD_OCTETS - 2) ?? Buffer.alloc(0);
  return Buffer.concat([Buffer.from([kind >> 8, kind & 0xff]), number]);
}

function unpack(payload: Uint8Array): string | null {
  let kind = (payload[0] as number) * 256 + (payload[1] as number);
  let letters = '';
  for (let place = 0; place < 3; place += 1) {
    letters = String.fromCharCode(97 + (kind % 26)) + letters;
    kind = Math.floor(kind / 26);
  }
  const id = `${letters}_${toDigits(payload.subarray(2), 26).toUpperCase()}`;
  return ID.test(id) ? id : null;
}

/** Octets as a number of so many digits; the number must fit. */
function toDigits(octets: Uint8Array, count: number): string {
  let value = BigInt(`0x${Buffer.from(octets).toString('hex')}`);
  let digits = '';
  for (let place = 0; place < count; place += 1) {
    digits = DIGITS.charAt(Number(value & 31n)) + digits;
    value >>= 5n;
  }
  return digits;
}

/** The opposite; null when a digit is none, or the number is too large. */
function fromDigits(digits: string, octets: number): Buffer | null {
  let value = 0n;
  for (const digit of digits) {
    const digitValue = DIGIT_VALUES.get(digit);
    if (digitValue === undefined) return null;
    value = (value << 5n) | digitValue;
  }
  const hex = value.toString(16).padStart(octets * 2, '0');
  return hex.length > octets * 2 ? null : Buffer.from(hex, 'hex');
}
