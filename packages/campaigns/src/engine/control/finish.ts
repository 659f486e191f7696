import type { CampaignsPorts } from '../../ports.ts';
import { OPEN_STATES } from '../deliveries.ts';
import { moveCampaign } from './campaign-state.ts';

/** Finishes running campaigns whose audience is frozen and of which no row is open: the ledger itself is asked. */
export async function finishDone(ports: CampaignsPorts): Promise<void> {
  const { store } = ports;
  const running = await store.db
    .selectFrom('mail_campaigns')
    .select('campaign_id')
    .where('state', '=', 'running')
    .where('frozen_us', 'is not', null)
    .execute();
  for (const { campaign_id } of running) {
    const open = await store.db
      .selectFrom('mail_deliveries')
      .select('delivery_id')
      .where('campaign_id', '=', campaign_id)
      .where('state', 'in', OPEN_STATES)
      .limit(1)
      .executeTakeFirst();
    if (!open) await store.transaction((tx) => moveCampaign(tx, ports, campaign_id, 'finish', null));
  }
}

/** Cancels campaigns whose project is gone. */
export async function cancelOrphans(ports: CampaignsPorts): Promise<void> {
  const orphans = await ports.store.db
    .selectFrom('mail_campaigns')
    .innerJoin('mail_projects', 'mail_projects.project_id', 'mail_campaigns.project_id')
    .select('campaign_id')
    .where('state', 'in', ['scheduled', 'running', 'paused'])
    .where('mail_projects.deleted_us', 'is not', null)
    .execute();
  for (const { campaign_id } of orphans) {
    await ports.store.transaction((tx) => moveCampaign(tx, ports, campaign_id, 'cancel', 'requested'));
  }
}
