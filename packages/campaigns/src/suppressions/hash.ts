import { installationHasher } from '../keyed-hash.ts';
import type { CampaignsPorts } from '../ports.ts';

/**
 * What the suppression list knows an address by, so that one that was erased is still recognised. It holds the
 * project too: the same person is another hash elsewhere.
 *
 * @param emailKey the canonical address.
 */
export function suppressionHash(
  { installationKey }: Pick<CampaignsPorts, 'installationKey'>,
  projectId: string,
  emailKey: string,
): string {
  return installationHasher(installationKey).base64url(`suppression\n${projectId}\n${emailKey}`);
}
