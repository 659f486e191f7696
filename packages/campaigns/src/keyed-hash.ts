import { hash } from 'node:crypto';

/** HMAC-SHA-256 under one key (RFC 2104). */
export interface KeyedHasher {
  bytes(text: string): Buffer;
  base64url(text: string): string;
}

/** Octets of a block of SHA-256, to which a key is filled up. */
const BLOCK = 64;
const DIGEST = 32;
const INNER_PAD = 0x36;
const OUTER_PAD = 0x5c;
/** Octets of a text for which there is room at first. */
const TEXT = 512;

/**
 * Prepares a key. Bulk work asks for a few hashes with each person, and `createHmac` makes an object for every one,
 * which costs several times the hash.
 */
export function keyedHasher(key: Uint8Array): KeyedHasher {
  const short = key.length > BLOCK ? hash('sha256', key, 'buffer') : key;
  let inner = Buffer.alloc(BLOCK + TEXT, INNER_PAD);
  const outer = Buffer.alloc(BLOCK + DIGEST, OUTER_PAD);
  short.forEach((octet, at) => {
    inner[at] = octet ^ INNER_PAD;
    outer[at] = octet ^ OUTER_PAD;
  });

  /** Leaves the outer message ready. */
  function prepare(text: string): void {
    // The most that UTF-8 makes of a unit of UTF-16.
    const most = BLOCK + text.length * 3;
    if (inner.length < most) inner = Buffer.concat([inner.subarray(0, BLOCK)], most);
    const length = inner.write(text, BLOCK);
    outer.write(hash('sha256', inner.subarray(0, BLOCK + length), 'binary'), BLOCK, 'latin1');
  }

  return {
    bytes(text) {
      prepare(text);
      // As a text it comes out several times faster than as a buffer.
      return Buffer.from(hash('sha256', outer, 'binary'), 'latin1');
    },
    base64url(text) {
      prepare(text);
      return hash('sha256', outer, 'base64url');
    },
  };
}

const hashers = new WeakMap<Uint8Array, KeyedHasher>();

/**
 * HMAC-SHA-256 of texts under the installation's key. Each text begins with what it is for, so that no two purposes
 * share a hash.
 */
export function installationHasher(installationKey: Uint8Array): KeyedHasher {
  let hasher = hashers.get(installationKey);
  if (hasher === undefined) {
    hasher = keyedHasher(installationKey);
    hashers.set(installationKey, hasher);
  }
  return hasher;
}
