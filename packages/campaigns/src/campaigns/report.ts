import { sql } from 'kysely';
import type { CampaignsPorts, CampaignsStore } from '../ports.ts';
import { answerTime, answerTimeOrNull } from '../shapes/common.ts';
import type { CampaignTable, DeliveryState } from '../tables.ts';
import { runInTime } from '../workers/in-time.ts';
import { workerTask } from '../workers/task.ts';
import type { ReportAnswer } from './report-shapes.ts';
import { findCampaign, withCounts } from './rows.ts';

/** What became of a campaign's mails, and what people did with them. Counts rows, so it runs on a thread. */

const MOST_LINKS = 100;

interface ReportInput {
  readonly projectId: string;
  readonly campaignId: string;
}

export const reportTask = workerTask(
  import.meta.url,
  'reportTask',
  async ({ store }, { projectId, campaignId }: ReportInput): Promise<ReportAnswer> => {
    const row = await findCampaign(store.db, projectId, campaignId);
    const events = await reactions(store, campaignId);
    const of = (type: string) => events.get(type) ?? { total: 0, people: 0 };
    return {
      campaign_id: campaignId,
      name: row.name,
      state: row.state,
      state_reason: row.state_reason,
      missed_send_time: row.state === 'scheduled' && row.state_reason === 'missed_send_time',
      launched_at: answerTimeOrNull(row.launched_us),
      finished_at: answerTimeOrNull(row.finished_us),
      counts: (await withCounts(store.db, row)).counts,
      reasons: await reasons(store, campaignId),
      opens: of('opened'),
      clicks: of('clicked'),
      bounces: await bounces(store, campaignId),
      complaints: of('complained').total,
      unsubscribes: of('unsubscribed').total,
      links: await links(store, row),
      timeline: await timeline(store, row),
    };
  },
);

/** @throws Failure not_found; storage_timeout. */
export function campaignReport(
  ports: CampaignsPorts,
  input: ReportInput,
  signal: AbortSignal,
): Promise<ReportAnswer> {
  return runInTime(ports, reportTask, input, signal);
}

async function reactions(
  { db }: CampaignsStore,
  campaignId: string,
): Promise<Map<string, { total: number; people: number }>> {
  const { rows } = await sql<{ type: string; total: number; people: number }>`
    SELECT type, count(*) AS total, count(DISTINCT subscriber_id) AS people FROM mail_events
    WHERE campaign_id = ${campaignId} GROUP BY type`.execute(db);
  return new Map(rows.map(({ type, total, people }) => [type, { total, people }]));
}

async function reasons({ db }: CampaignsStore, campaignId: string): Promise<ReportAnswer['reasons']> {
  const { rows } = await sql<{ state: DeliveryState; reason: string; total: number }>`
    SELECT state, reason, count(*) AS total FROM mail_deliveries
    WHERE campaign_id = ${campaignId} AND reason IS NOT NULL
    GROUP BY state, reason ORDER BY count(*) DESC, state, reason`.execute(db);
  return rows.map(({ state, reason, total }) => ({
    state: state === 'claimed' ? 'pending' : state,
    reason,
    total,
  }));
}

async function bounces({ db }: CampaignsStore, campaignId: string): Promise<ReportAnswer['bounces']> {
  const { rows } = await sql<{ hard: number | null; soft: number | null }>`
    SELECT sum(CASE WHEN details_json LIKE '%"kind":"soft"%' THEN 0 ELSE 1 END) AS hard,
      sum(CASE WHEN details_json LIKE '%"kind":"soft"%' THEN 1 ELSE 0 END) AS soft
    FROM mail_events WHERE campaign_id = ${campaignId} AND type = 'bounced'`.execute(db);
  return { hard: Number(rows[0]?.hard ?? 0), soft: Number(rows[0]?.soft ?? 0) };
}

/** What a click notes (`mail_events.details_json`): a link of the content, or one that was made for the person. */
export type ClickDetails = { readonly link: number } | { readonly url: string };

async function links({ db }: CampaignsStore, row: CampaignTable): Promise<ReportAnswer['links']> {
  const { rows } = await sql<{ details_json: string; total: number; people: number }>`
    SELECT details_json, count(*) AS total, count(DISTINCT subscriber_id) AS people FROM mail_events
    WHERE campaign_id = ${row.campaign_id} AND type = 'clicked'
    GROUP BY details_json ORDER BY count(*) DESC, details_json LIMIT ${MOST_LINKS}`.execute(db);
  const targets: readonly string[] =
    row.content_json === null ? [] : JSON.parse(row.content_json).content.links;
  return rows.map(({ details_json, total, people }) => {
    const details: Partial<ClickDetails & Record<string, unknown>> = JSON.parse(details_json);
    const url = typeof details.url === 'string' ? details.url : targets[Number(details.link)];
    return { url: url ?? null, total, people };
  });
}

/** Steps a plot may have, in seconds; the finest that gives no more points than these. */
const STEPS = [60, 300, 900, 3_600, 21_600, 86_400, 604_800];
const MOST_POINTS = 200;

interface Count {
  readonly step: number;
  readonly kind: 'sent' | 'deferred' | 'failed' | 'opens' | 'clicks';
  /** Of failures. */
  readonly reason: string | null;
  readonly total: number;
}

/** Failures without a reason: the ledger of an older version wrote none. */
const NO_REASON = 'unknown';

async function timeline({ db }: CampaignsStore, row: CampaignTable): Promise<ReportAnswer['timeline']> {
  const { campaign_id, launched_us } = row;
  const { rows: ends } = await sql<{ until_us: number | null }>`
    SELECT max(until_us) AS until_us FROM (
      SELECT max(updated_us) AS until_us FROM mail_deliveries WHERE campaign_id = ${campaign_id}
      UNION ALL SELECT max(at_us) FROM mail_events WHERE campaign_id = ${campaign_id}) AS ends`.execute(db);
  const untilUs = ends[0]?.until_us ?? null;
  if (launched_us === null || untilUs === null) return { step_seconds: 60, points: [] };
  const spanSeconds = (untilUs - launched_us) / 1_000_000;
  const stepSeconds = STEPS.find((step) => spanSeconds / step <= MOST_POINTS) ?? 604_800;
  const stepUs = sql.lit(stepSeconds * 1_000_000);
  const { rows } = await sql<Count>`
    SELECT sent_us / ${stepUs} AS step, 'sent' AS kind, NULL AS reason, count(*) AS total FROM mail_deliveries
      WHERE campaign_id = ${campaign_id} AND sent_us IS NOT NULL GROUP BY 1
    UNION ALL
    SELECT updated_us / ${stepUs}, state, CASE state WHEN 'failed' THEN coalesce(reason, ${NO_REASON}) END, count(*)
      FROM mail_deliveries
      WHERE campaign_id = ${campaign_id} AND state IN ('failed', 'deferred') GROUP BY 1, 2, 3
    UNION ALL
    SELECT at_us / ${stepUs}, CASE type WHEN 'opened' THEN 'opens' ELSE 'clicks' END, NULL, count(*) FROM mail_events
      WHERE campaign_id = ${campaign_id} AND type IN ('opened', 'clicked') GROUP BY 1, 2`.execute(db);
  return { step_seconds: stepSeconds, points: pointsOf(rows, stepSeconds) };
}

function pointsOf(counts: readonly Count[], stepSeconds: number): ReportAnswer['timeline']['points'] {
  const points = new Map<number, Count[]>();
  for (const count of counts) points.set(count.step, [...(points.get(count.step) ?? []), count]);
  return [...points]
    .sort(([one], [other]) => one - other)
    .map(([step, ofStep]) => {
      const sum = (kind: Count['kind']) =>
        ofStep.reduce((total, count) => (count.kind === kind ? total + count.total : total), 0);
      return {
        at: answerTime(step * stepSeconds * 1_000_000),
        sent: sum('sent'),
        deferred: sum('deferred'),
        failed: sum('failed'),
        failures: ofStep
          .flatMap(({ reason, total }) => (reason === null ? [] : [{ reason, total }]))
          .sort((one, other) => other.total - one.total || one.reason.localeCompare(other.reason)),
        opens: sum('opens'),
        clicks: sum('clicks'),
      };
    });
}
