import { secretHash } from '@postern/http';
import type { Random } from '@postern/kit';

/** Characters of a secret that are shown for ever, to tell keys apart: the kind and six of chance. */
const PREFIX_LENGTH = 14;

/** A new key's secret: 256 bits of chance behind a prefix that secret scanners can look for. */
export function newKeySecret(kind: 'admin' | 'api', random: Random): string {
  return `pst_${kind === 'admin' ? 'adm' : 'api'}_${Buffer.from(random.bytes(32)).toString('base64url')}`;
}

export function prefixOf(secret: string): string {
  return secret.slice(0, PREFIX_LENGTH);
}

/** What is kept of the configuration's admin key. Of one that somebody chose only a little is shown. */
export function bootstrapOf(secret: string): { secretHash: string; prefix: string } {
  return { secretHash: secretHash(secret), prefix: secret.slice(0, 4) };
}
