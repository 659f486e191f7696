import { installationHasher } from '../keyed-hash.ts';
import type { CampaignsPorts } from '../ports.ts';

/** Crockford's base 32, as the ids of everything else have it. */
const ALPHABET = [...'0123456789ABCDEFGHJKMNPQRSTVWXYZ'];
/** Two digits for every ten bits: an import makes thousands of ids. */
const PAIRS = ALPHABET.flatMap((first) => ALPHABET.map((second) => first + second));
const BITS_OF_PAIR = 10;
const PAIRS_OF_ID = 13;

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
  for (let pair = 0; pair < PAIRS_OF_ID; pair += 1) {
    while (bits < BITS_OF_PAIR) {
      value = ((value << 8) | (hash[at] ?? 0)) & 0x3ffff;
      at += 1;
      bits += 8;
    }
    bits -= BITS_OF_PAIR;
    id += PAIRS[(value >> bits) & 0x3ff];
  }
  return id;
}
