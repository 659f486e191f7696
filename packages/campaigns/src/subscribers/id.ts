import { installationHasher } from '../keyed-hash.ts';
import type { CampaignsPorts } from '../ports.ts';

/** Crockford's base 32, as the ids of everything else have it. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const DIGITS = 26;

/**
 * The id of an address on a list (contract, section 1): always the same, so adding twice is the same subscriber, and
 * nobody without the installation's key can tell the address from it.
 *
 * @param emailKey the canonical address.
 */
export function subscriberIdOf(
  { installationKey }: Pick<CampaignsPorts, 'installationKey'>,
  listId: string,
  emailKey: string,
): string {
  const hash = installationHasher(installationKey).bytes(`subscriber\n${listId}\n${emailKey}`);
  let id = 'sub_';
  let bits = 0;
  let value = 0;
  let at = 0;
  for (let digit = 0; digit < DIGITS; digit += 1) {
    if (bits < 5) {
      value = ((value << 8) | (hash[at] ?? 0)) & 0xfff;
      at += 1;
      bits += 8;
    }
    bits -= 5;
    id += ALPHABET.charAt((value >> bits) & 31);
  }
  return id;
}
