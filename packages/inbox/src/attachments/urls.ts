import { createHmac, timingSafeEqual } from 'node:crypto';
import { type Clock, nowMilliseconds } from '@postern/kit';

/** Attachment addresses live this long after a listing (contract: one hour). */
export const URL_LIFETIME_SECONDS = 3_600;

/** Who an address was made for: `operator` addresses also open what is in quarantine. */
export type Audience = 'agent' | 'operator';

export interface AttachmentSigner {
  readonly clock: Clock;
  readonly signingKey: Uint8Array;
  publicUrl(): string;
}

function signatureOf(
  signer: AttachmentSigner,
  attachmentId: string,
  expires: number,
  audience: Audience,
): Buffer {
  return createHmac('sha256', signer.signingKey)
    .update(`attachment:${audience}:${attachmentId}:${expires}`)
    .digest();
}

/** Address of an attachment that opens without a bearer until it expires. */
export function attachmentUrl(signer: AttachmentSigner, attachmentId: string, audience: Audience): string {
  const expires = Math.floor(nowMilliseconds(signer.clock) / 1_000) + URL_LIFETIME_SECONDS;
  const signature = signatureOf(signer, attachmentId, expires, audience).toString('base64url');
  return `${signer.publicUrl()}/attachments/${attachmentId}?expires=${expires}&signature=${signature}`;
}

/** The audience a signature was made for; null when it is forged or its time is up. */
export function verifyAttachmentSignature(
  signer: AttachmentSigner,
  attachmentId: string,
  expires: number,
  signature: string,
): Audience | null {
  if (!Number.isSafeInteger(expires) || expires * 1_000 < nowMilliseconds(signer.clock)) return null;
  const given = Buffer.from(signature, 'base64url');
  for (const audience of ['agent', 'operator'] as const) {
    const expected = signatureOf(signer, attachmentId, expires, audience);
    if (given.length === expected.length && timingSafeEqual(given, expected)) return audience;
  }
  return null;
}

/** The attachment id an address of this hub names; null when it is not one of ours. */
export function ownAttachmentId(publicUrl: string, address: URL): string | null {
  const base = new URL(publicUrl);
  if (address.host !== base.host) return null;
  const prefix = `${base.pathname.replace(/\/$/, '')}/attachments/`;
  return address.pathname.startsWith(prefix) ? address.pathname.slice(prefix.length) : null;
}
