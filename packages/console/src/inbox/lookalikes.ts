import type { AllowlistEntry, Envelope } from '../api/inbox.ts';
import { looksLike } from '../lib/names.ts';

/** A sender of the same or a confusable name, or whose id is that name, under another id. */
export interface Lookalike {
  readonly name: string;
  readonly source: string;
  readonly senderId: string;
  readonly allowed: boolean;
}

interface Named {
  readonly source: string;
  readonly senderId: string;
  readonly name: string;
}

/** Finds, for each sender in quarantine, others who go by the same name; the allowed ones come first. */
export function lookalikesOf(
  sender: Named,
  quarantined: readonly Envelope[],
  allowlist: readonly AllowlistEntry[],
): readonly Lookalike[] {
  const name = looksLike(sender.name);
  if (name === '') return [];
  const found = new Map<string, Lookalike>();
  const consider = (candidate: Lookalike): void => {
    const key = `${candidate.source} ${candidate.senderId}`;
    const same = candidate.source === sender.source && candidate.senderId === sender.senderId;
    const goesBy = [candidate.name, candidate.senderId].some((word) => looksLike(word) === name);
    if (!same && goesBy && !found.has(key)) found.set(key, candidate);
  };
  for (const entry of allowlist) {
    consider({
      name: entry.display_name ?? entry.sender_id,
      source: entry.source,
      senderId: entry.sender_id,
      allowed: true,
    });
  }
  for (const { source, sender: other } of quarantined) {
    consider({ name: other.display_name, source, senderId: other.id, allowed: false });
  }
  return [...found.values()];
}
