import { createDkimSigner, type DkimSigner, type RenderedMessage } from '@postern/mail';
import { sendingIdentity } from '../../domains/signing.ts';
import type { CampaignsPorts } from '../../ports.ts';

/** How mails of one From domain are signed, and where they return to. */
export interface Identity {
  /** Null where the project has no such sending domain: the mail goes unsigned, if it goes. */
  readonly signer: DkimSigner | null;
  readonly returnPathDomain: string;
}

/** @param fromDomain in A-labels. */
export async function identityOf(
  ports: CampaignsPorts,
  projectId: string,
  fromDomain: string,
): Promise<Identity> {
  const found = await sendingIdentity(ports, projectId, fromDomain);
  return {
    signer: found === null ? null : createDkimSigner(found.dkim),
    returnPathDomain: found?.returnPathDomain ?? ports.config.returnPathDomain ?? fromDomain,
  };
}

/** The signature to put on top; empty without a signer. Signing runs on libuv's threads. */
export async function signatureFor(
  { signer }: Identity,
  message: RenderedMessage,
  nowUs: number,
): Promise<string> {
  return signer === null ? '' : signer.signAsync(message, Math.floor(nowUs / 1_000_000));
}
