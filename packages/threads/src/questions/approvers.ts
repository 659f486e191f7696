import type { SessionActions, Standing } from '../sessions/session.ts';
import type { Approvers } from './question.ts';

/** What of sessions it takes to say who may answer. */
export type SessionLookup = Pick<SessionActions, 'view' | 'standing'>;

/**
 * Whether someone is in the approver set of a question, as things stand now. Someone invited by a guest, or by an
 * allowed user, is no approver where the owner alone approves.
 */
export async function mayAnswer(
  sessions: SessionLookup,
  rule: Approvers['rule'],
  place: { readonly sessionId: string | null; readonly platformId: string },
  personId: string,
): Promise<boolean> {
  const standing = await sessions.standing(place.sessionId, place.platformId, personId);
  if (standing === 'owner') return true;
  if (rule !== 'owner') return BY_STANDING[rule].includes(standing);
  if (standing === 'stranger' || place.sessionId === null) return false;
  const session = await sessions.view(place.sessionId);
  return (
    session?.participants.some(({ id, invitedBy }) => id === personId && invitedBy === session.owner.id) ??
    false
  );
}

const BY_STANDING: Readonly<Record<Exclude<Approvers['rule'], 'owner'>, readonly Standing[]>> = {
  all_users: ['owner', 'allowed', 'guest'],
  owner_or_allowed: ['owner', 'allowed'],
};
