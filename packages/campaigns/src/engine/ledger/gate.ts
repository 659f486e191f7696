import type { CampaignsPorts } from '../../ports.ts';
import { isOneOf } from '../sql.ts';
import type { Ledger } from './moves.ts';
import { type RefusalReason, refusals, suppressedOf } from './refusals.ts';

/** A mail that is about to leave. */
export interface AboutToLeave {
  readonly ledger: Ledger;
  readonly id: string;
  readonly projectId: string;
  readonly campaignId: string | null;
  readonly subscriberId: string | null;
  readonly emailKey: string;
  /** {@link suppressionHash}, where it is known already. */
  readonly emailHash?: string;
}

/** `stop`: its campaign does not run any more, so it goes back. */
export type GateAnswer = 'go' | 'stop' | RefusalReason;

/**
 * The last look before MAIL FROM: whether the campaign still runs, and whether the person may still be mailed. Reads
 * only, for many mails at once; answers are in the order of the mails.
 */
export async function mayLeave(ports: CampaignsPorts, mails: readonly AboutToLeave[]): Promise<GateAnswer[]> {
  const { db, engine } = ports.store;
  const ofCampaigns = mails.flatMap((mail) =>
    mail.campaignId !== null && mail.subscriberId !== null
      ? [{ ...mail, campaignId: mail.campaignId, subscriberId: mail.subscriberId }]
      : [],
  );
  const single = mails.filter((mail) => mail.ledger === 'email');
  const running = new Set<string>();
  let refused: ReadonlyMap<string, RefusalReason> = new Map();
  if (ofCampaigns.length > 0) {
    const rows = await db
      .selectFrom('mail_campaigns')
      .innerJoin('mail_projects', 'mail_projects.project_id', 'mail_campaigns.project_id')
      .select('campaign_id')
      .where(isOneOf(engine, 'campaign_id', [...new Set(ofCampaigns.map((mail) => mail.campaignId))]))
      .where('mail_campaigns.state', '=', 'running')
      .where('mail_projects.deleted_us', 'is', null)
      .execute();
    for (const row of rows) running.add(row.campaign_id);
    ({ refused } = await refusals(db, ports, ofCampaigns));
  }
  const suppressed = single.length > 0 ? await suppressedOf(db, ports, single) : new Set<string>();
  return mails.map((mail): GateAnswer => {
    if (mail.ledger === 'email') return suppressed.has(mail.id) ? 'suppressed' : 'go';
    if (mail.campaignId === null || !running.has(mail.campaignId)) return 'stop';
    return refused.get(mail.id) ?? 'go';
  });
}
