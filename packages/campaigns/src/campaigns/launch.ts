import { problem } from '@postern/http';
import { formatMilliseconds, summariseViolations } from '@postern/kit';
import { forUpdate, type StoreHandle } from '@postern/store';
import { recordAct } from '../audit.ts';
import { moveCampaign } from '../engine/control/campaign-state.ts';
import type { RefusalReason } from '../engine/ledger/refusals.ts';
import type { CampaignsPorts, CampaignsTransaction } from '../ports.ts';
import { counted, listed, numeral, quoted } from '../shapes/words.ts';
import type { CampaignTable } from '../tables.ts';
import { checkLaunch, checkTransport, type LaunchCheck } from './check-launch.ts';
import { launchedContent } from './launched.ts';
import { campaignLife } from './lifecycle.ts';
import { findCampaign, lockCampaign, withCounts, wrongState } from './rows.ts';
import { type CampaignAnswer, listIdsOf } from './shapes.ts';

export const launchOutcomes = ['would_launch', 'would_resume', 'launched', 'failed'] as const;

export interface Launch {
  readonly outcome: (typeof launchOutcomes)[number];
  readonly effect: string;
  readonly campaign: CampaignAnswer;
}

interface Call {
  readonly actor: string;
  readonly projectId: string;
  readonly dryRun: boolean;
  readonly signal: AbortSignal;
}

/** A campaign may be changed while its audience is counted; it is counted again, so often at most. */
const MOST_CHECKS = 3;

/**
 * Launches a campaign, resumes a paused one, or says what that would do.
 *
 * @throws Failure not_found; precondition_failed with everything that is missing; storage_timeout.
 */
export async function launchCampaign(ports: CampaignsPorts, campaignId: string, call: Call): Promise<Launch> {
  const { db } = ports.store;
  for (let check = 0; check < MOST_CHECKS; check += 1) {
    const row = await findCampaign(db, call.projectId, campaignId);
    const done = row.state === 'paused' ? await resume(ports, row, call) : await start(ports, row, call);
    if (done) return done;
  }
  throw problem('precondition_failed', 'The campaign is being changed while it is launched; call again.', {
    violations: [{ field: 'state', code: 'invalid_state', message: 'is being changed meanwhile' }],
  });
}

async function start(ports: CampaignsPorts, row: CampaignTable, call: Call): Promise<Launch | null> {
  const event = 'start';
  if (!campaignLife.can(row.state, event)) {
    throw wrongState(row, ['draft', 'scheduled', 'paused'], 'launched');
  }
  const check = await checkLaunch(ports, row, call.signal);
  requireNone(check.violations);
  if (call.dryRun) {
    const campaign = await withCounts(ports.store.db, row);
    return { outcome: 'would_launch', effect: effectOf('Would launch', row, check), campaign };
  }
  const wasLaunched = await ports.store.transaction(async (tx) => {
    const found = await lockUnchanged(tx, row, call.projectId);
    if (found === null) return false;
    await tx
      .updateTable('mail_campaigns')
      .set({ content_json: JSON.stringify(check.launched) })
      .where('campaign_id', '=', row.campaign_id)
      .execute();
    await moveCampaign(tx, ports, row.campaign_id, check.dueUs === null ? 'start' : 'schedule', null);
    await recordAct(tx, ports, {
      actor: call.actor,
      action: 'launch_campaign',
      target: row.campaign_id,
      details: { recipients: check.audience.recipients, due_us: check.dueUs },
    });
    return true;
  });
  if (!wasLaunched) return null;
  return answerAfter(ports.store.db, row, call, effectOf('Launched', row, check));
}

async function resume(ports: CampaignsPorts, row: CampaignTable, call: Call): Promise<Launch | null> {
  const { store } = ports;
  requireNone(await checkTransport(ports, call.projectId, launchedContent(row).from));
  const before = await withCounts(store.db, row);
  const { pending, deferred, audience } = before.counts;
  const rest =
    row.frozen_us === null
      ? 'its audience'
      : `${numeral(pending + deferred)} of ${counted(audience, 'recipient')}`;
  if (call.dryRun) {
    const effect = `Would resume ${quoted(row.name)} with what is still open: ${rest}.`;
    return { outcome: 'would_resume', effect, campaign: before };
  }
  const wasResumed = await store.transaction(async (tx) => {
    await lockCampaign(tx, call.projectId, row.campaign_id);
    if (!(await moveCampaign(tx, ports, row.campaign_id, 'resume', null))) return false;
    await recordAct(tx, ports, { actor: call.actor, action: 'resume_campaign', target: row.campaign_id });
    return true;
  });
  if (!wasResumed) return null;
  return answerAfter(store.db, row, call, `Resumed ${quoted(row.name)} with what is still open: ${rest}.`);
}

function requireNone(violations: LaunchCheck['violations']): void {
  if (violations.length > 0)
    throw problem('precondition_failed', summariseViolations(violations), { violations });
}

/** The row, held, if it and its lists are as they were when they were checked; else null. */
async function lockUnchanged(
  tx: CampaignsTransaction,
  row: CampaignTable,
  projectId: string,
): Promise<CampaignTable | null> {
  const found = await lockCampaign(tx, projectId, row.campaign_id);
  if (found.state !== row.state || found.updated_us !== row.updated_us) return null;
  // Held so that none of them is deleted between this look and the launch.
  const query = tx
    .selectFrom('mail_lists')
    .select('list_id')
    .where('deleted_us', 'is', null)
    .orderBy('list_id');
  const lists = await forUpdate(tx, query.where('list_id', 'in', listIdsOf(row))).execute();
  return lists.length === listIdsOf(row).length ? found : null;
}

async function answerAfter(db: StoreHandle, row: CampaignTable, call: Call, effect: string): Promise<Launch> {
  const after = await findCampaign(db, call.projectId, row.campaign_id);
  const campaign = await withCounts(db, after);
  if (after.state !== 'failed') return { outcome: 'launched', effect, campaign };
  const reason = after.state_reason ?? 'unknown';
  return { outcome: 'failed', effect: `${quoted(row.name)} failed at once: ${reason}.`, campaign };
}

const REASONS: Readonly<Record<RefusalReason, string>> = {
  suppressed: 'suppressed',
  unsubscribed: 'unsubscribed',
  unconfirmed: 'unconfirmed',
  bounced: 'bounced',
  complained: 'complained',
  erased: 'erased',
  list_deleted: 'on a deleted list',
};

function effectOf(verb: string, row: CampaignTable, { audience, dueUs, warnings }: LaunchCheck): string {
  const when = dueUs === null ? 'now' : `at ${formatMilliseconds(Math.floor(dueUs / 1_000))}`;
  const left = Object.entries(audience.leftOut).map(([reason, total]) => ({
    total,
    words: `${total.toLocaleString('en-US')} ${REASONS[reason as RefusalReason]}`,
  }));
  const all = left.reduce((sum, { total }) => sum + total, 0);
  const leftOut =
    all === 0
      ? 'nobody is left out'
      : `${all.toLocaleString('en-US')} left out: ${listed(left.map(({ words }) => words))}`;
  const sentence = `${verb} ${quoted(row.name)} to ${counted(audience.recipients, 'recipient')} ${when}; ${leftOut}.`;
  return warnings.length === 0 ? sentence : `${sentence} Mind: ${warnings.join('; ')}.`;
}
