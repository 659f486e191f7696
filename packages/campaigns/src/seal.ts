import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';
import type { CampaignsPorts } from './ports.ts';

/** Secrets that must be read again (DKIM keys, webhook secrets) lie in the database under the installation's key. */

export type SealPurpose = 'dkim' | 'webhook';

const VERSION = 's1';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** AES-256-GCM under a key for this purpose alone; `s1.<base64url>`. */
export function seal(
  { installationKey, random }: Pick<CampaignsPorts, 'installationKey' | 'random'>,
  purpose: SealPurpose,
  secret: string,
): string {
  const iv = random.bytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', keyFor(installationKey, purpose), iv);
  const sealed = Buffer.concat([iv, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return `${VERSION}.${sealed.toString('base64url')}`;
}

/** @throws Error when it was sealed under another key or for another purpose, or was changed since. */
export function unseal(
  { installationKey }: Pick<CampaignsPorts, 'installationKey'>,
  purpose: SealPurpose,
  sealed: string,
): string {
  const [version, encoded = ''] = sealed.split('.');
  const bytes = Buffer.from(encoded, 'base64url');
  if (version !== VERSION || bytes.length < IV_BYTES + TAG_BYTES) throw new Error('not a sealed secret');
  const decipher = createDecipheriv(
    'aes-256-gcm',
    keyFor(installationKey, purpose),
    bytes.subarray(0, IV_BYTES),
  );
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]).toString();
}

function keyFor(installationKey: Uint8Array, purpose: SealPurpose): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', installationKey, '', `postern/campaigns/seal/${purpose}`, 32));
}
