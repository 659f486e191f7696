import { createHash } from 'node:crypto';

/**
 * A boundary (RFC 2046 section 5.1.1) that follows from a seed and occurs in none of the parts. It holds `=_`,
 * which quoted-printable never does, so only texts sent as they are must be looked at.
 *
 * @param plainTexts the parts that are not encoded.
 */
export function chooseBoundary(seed: string, plainTexts: readonly string[]): string {
  for (let attempt = 0; ; attempt += 1) {
    const digest = createHash('sha256').update(`${attempt}:${seed}`).digest('hex');
    const boundary = `=_${digest.slice(0, 32)}`;
    if (!plainTexts.some((text) => text.includes(boundary))) return boundary;
  }
}
