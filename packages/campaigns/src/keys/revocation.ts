import { quoted } from '../shapes/words.ts';
import type { KeyAnswer } from './shapes.ts';

export const revocationOutcomes = ['would_revoke', 'revoked', 'already_revoked'] as const;

export interface Revocation {
  readonly outcome: (typeof revocationOutcomes)[number];
  readonly effect: string;
  /** As the list of keys shows it after the call. */
  readonly key: KeyAnswer;
}

/** Puts an outcome into words. */
export function revocation(outcome: Revocation['outcome'], key: KeyAnswer): Revocation {
  const named = `the ${key.kind === 'admin' ? 'admin key' : 'key'} ${quoted(key.name)} (${key.prefix}…)`;
  switch (outcome) {
    case 'would_revoke':
      return {
        outcome,
        key,
        effect: `Would revoke ${named}; requests with it would be refused from then on.`,
      };
    case 'revoked':
      return { outcome, key, effect: `Revoked ${named}; requests with it are refused from now on.` };
    case 'already_revoked':
      return { outcome, key, effect: `${capitalised(named)} was revoked before; nothing changes.` };
  }
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
