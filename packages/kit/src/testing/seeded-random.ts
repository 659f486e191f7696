import type { Random } from '../clock.ts';

/** The same bytes for the same seed, in every run. For tests only: anyone can compute them. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  // Mixing as in MurmurHash3's finaliser over a Weyl sequence: small, and every seed gives another stream.
  const next = (): number => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return (mixed ^ (mixed >>> 16)) >>> 24;
  };
  return { bytes: (length) => Uint8Array.from({ length }, next) };
}
