import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

/** One key object for each key: made anew for every hash it costs ten times the hash. */
const keys = new WeakMap<Uint8Array, KeyObject>();

/**
 * HMAC-SHA-256 of a text under the installation's key.
 *
 * @param text begins with what it is for, so that no two purposes share a hash.
 */
export function keyedHash(installationKey: Uint8Array, text: string): Buffer {
  let key = keys.get(installationKey);
  if (key === undefined) {
    key = createSecretKey(installationKey);
    keys.set(installationKey, key);
  }
  return createHmac('sha256', key).update(text).digest();
}
