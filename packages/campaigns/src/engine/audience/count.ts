import type { CampaignsPorts } from '../../ports.ts';
import type { RefusalReason } from '../ledger/refusals.ts';
import { type Audience, audiencePage, leftOutOf, metBefore, type Position, START } from './audience.ts';

const PAGE = 1_000;

export interface AudienceCount {
  /** Who gets the mail. */
  readonly recipients: number;
  /** How many are left out for each reason; a reason nobody has is not in it. */
  readonly leftOut: Readonly<Partial<Record<RefusalReason, number>>>;
}

/**
 * What freezing the audience now would give. Reads page by page, so memory stays the same however many there are.
 *
 * @throws the signal's reason when it is aborted.
 */
export async function countAudience(
  ports: CampaignsPorts,
  audience: Audience,
  signal: AbortSignal,
  batch = PAGE,
): Promise<AudienceCount> {
  const { db } = ports.store;
  let recipients = 0;
  const leftOut: Partial<Record<RefusalReason, number>> = {};
  for (let position: Position | null = START; position !== null; ) {
    signal.throwIfAborted();
    const page = await audiencePage(db, audience, position, batch);
    const met = await metBefore(db, ports, audience, position, page.members);
    const members = page.members.filter((member) => !met.has(member.emailKey));
    const reasons = await leftOutOf(db, ports, audience, members);
    recipients += members.length - reasons.size;
    for (const reason of reasons.values()) leftOut[reason] = (leftOut[reason] ?? 0) + 1;
    position = page.next;
  }
  return { recipients, leftOut };
}
