import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';

/** DKIM keys: RSA of 2048 bits (RFC 8301 asks for at least 1024 and recommends 2048), and their DNS records. */

const MODULUS_BITS = 2048;

/** A key that cannot sign mail, in one clause. */
export class DkimKeyError extends Error {
  override readonly name = 'DkimKeyError';
}

/** Makes a key pair off the event loop; PKCS #8 PEM. */
export async function generateDkimKey(): Promise<{ readonly privateKey: string }> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: MODULUS_BITS });
  return { privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
}

/** @throws DkimKeyError when the PEM holds no RSA private key of 2048 bits or more. */
export function readDkimKey(privateKey: string): KeyObject {
  let key: KeyObject;
  try {
    key = createPrivateKey(privateKey);
  } catch {
    // The cause is left out, as it may quote the key.
    throw new DkimKeyError('The DKIM key is not a private key in PEM');
  }
  if (key.asymmetricKeyType !== 'rsa' || (key.asymmetricKeyDetails?.modulusLength ?? 0) < MODULUS_BITS) {
    throw new DkimKeyError(`The DKIM key is not an RSA key of ${MODULUS_BITS} bits or more`);
  }
  return key;
}

export interface DkimRecord {
  /** `<selector>._domainkey.<domain>` */
  readonly name: string;
  /** The record's text in one piece. */
  readonly value: string;
  /** The same in character-strings of at most 255 octets, as a zone file needs it. */
  readonly strings: readonly string[];
}

/** The TXT record that publishes a key (RFC 6376 section 3.6.1). @throws DkimKeyError */
export function dkimRecord(options: {
  readonly domain: string;
  readonly selector: string;
  readonly privateKey: string;
}): DkimRecord {
  const publicKey = createPublicKey(readDkimKey(options.privateKey));
  const encoded = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
  const value = `v=DKIM1; k=rsa; p=${encoded}`;
  return {
    name: `${options.selector}._domainkey.${options.domain}`,
    value,
    strings: value.match(/.{1,255}/g) ?? [],
  };
}
