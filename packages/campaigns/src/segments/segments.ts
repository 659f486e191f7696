import { problem } from '@postern/http';
import { forUpdate } from '@postern/store';
import { recordAct } from '../audit.ts';
import type { CampaignsDatabase } from '../engine/ports.ts';
import { type Page, page } from '../paging.ts';
import type { CampaignsPorts, CampaignsTransaction } from '../ports.ts';
import { quoted } from '../shapes/words.ts';
import type { SegmentTable } from '../tables.ts';
import type { Condition } from './condition.ts';
import { type SegmentAnswer, segmentAnswer } from './shapes.ts';

/** The condition's campaigns were looked up before. */
export async function createSegment(
  ports: CampaignsPorts,
  actor: string,
  projectId: string,
  { name, condition }: { name: string; condition: Condition },
): Promise<SegmentAnswer> {
  const now = ports.clock.nowMicroseconds();
  const row: SegmentTable = {
    segment_id: ports.newId('seg'),
    project_id: projectId,
    name,
    condition_json: JSON.stringify(condition),
    created_us: now,
    updated_us: now,
  };
  await ports.store.transaction(async (tx) => {
    await tx.insertInto('mail_segments').values(row).execute();
    await recordAct(tx, ports, { actor, action: 'create_segment', target: row.segment_id });
  });
  return segmentAnswer(row);
}

/** A project's segments, oldest first. */
export async function pageOfSegments(
  { store }: CampaignsPorts,
  projectId: string,
  request: { limit: number; cursor?: string | undefined },
): Promise<Page<SegmentAnswer>> {
  const { rows, next_cursor } = await page(
    request,
    'seg',
    ({ after, limit }) =>
      store.db
        .selectFrom('mail_segments')
        .selectAll()
        .where('project_id', '=', projectId)
        .where('segment_id', '>', after ?? '')
        .orderBy('segment_id')
        .limit(limit)
        .execute(),
    (row) => row.segment_id,
  );
  return { rows: rows.map(segmentAnswer), next_cursor };
}

/** @throws Failure not_found. */
export async function getSegment(
  { store }: CampaignsPorts,
  projectId: string,
  segmentId: string,
): Promise<SegmentAnswer> {
  return segmentAnswer(await requireSegment(store.db, projectId, segmentId));
}

/** @throws Failure not_found. */
export async function requireSegment(
  db: CampaignsDatabase,
  projectId: string,
  segmentId: string,
): Promise<SegmentTable> {
  return found(await byId(db, projectId, segmentId).executeTakeFirst(), segmentId);
}

/** @throws Failure not_found. */
export async function updateSegment(
  ports: CampaignsPorts,
  actor: string,
  projectId: string,
  segmentId: string,
  { name, condition }: { name?: string | undefined; condition?: Condition | undefined },
): Promise<SegmentAnswer> {
  return ports.store.transaction(async (tx) => {
    const row = await lockSegment(tx, projectId, segmentId);
    const change = {
      ...(name === undefined ? {} : { name }),
      ...(condition === undefined ? {} : { condition_json: JSON.stringify(condition) }),
    };
    const fields = Object.keys(change);
    if (fields.length === 0) return segmentAnswer(row);
    const after = { ...row, ...change, updated_us: ports.clock.nowMicroseconds() };
    await tx.updateTable('mail_segments').set(after).where('segment_id', '=', segmentId).execute();
    await recordAct(tx, ports, { actor, action: 'update_segment', target: segmentId, details: { fields } });
    return segmentAnswer(after);
  });
}

/**
 * Deletes a segment. A draft that names it says so when it is to be launched.
 *
 * @returns what was done, in a sentence.
 * @throws Failure not_found; precondition_failed with `in_use` while a campaign still takes its audience from it.
 */
export async function deleteSegment(
  ports: CampaignsPorts,
  actor: string,
  projectId: string,
  segmentId: string,
): Promise<string> {
  return ports.store.transaction(async (tx) => {
    const row = await lockSegment(tx, projectId, segmentId);
    await requireUnused(tx, row);
    await tx.deleteFrom('mail_segments').where('segment_id', '=', segmentId).execute();
    await recordAct(tx, ports, { actor, action: 'delete_segment', target: segmentId });
    return `Deleted the segment ${quoted(row.name)}; its subscribers stay.`;
  });
}

/** A campaign that is scheduled, or launched and not frozen yet, has its audience still to come. */
async function requireUnused(tx: CampaignsTransaction, segment: SegmentTable): Promise<void> {
  const user = await tx
    .selectFrom('mail_campaigns')
    .select('campaign_id')
    .where('project_id', '=', segment.project_id)
    .where('segment_id', '=', segment.segment_id)
    .where((row) =>
      row.or([
        row('state', '=', 'scheduled'),
        row.and([row('state', 'in', ['running', 'paused']), row('frozen_us', 'is', null)]),
      ]),
    )
    .executeTakeFirst();
  if (!user) return;
  const message = `is in use by the campaign ${user.campaign_id}, which is scheduled or has just been launched`;
  throw problem('precondition_failed', `The segment ${message}.`, {
    violations: [{ field: 'segment_id', code: 'in_use', message }],
  });
}

async function lockSegment(
  tx: CampaignsTransaction,
  projectId: string,
  segmentId: string,
): Promise<SegmentTable> {
  return found(await forUpdate(tx, byId(tx, projectId, segmentId)).executeTakeFirst(), segmentId);
}

function byId(db: CampaignsDatabase, projectId: string, segmentId: string) {
  return db
    .selectFrom('mail_segments')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('segment_id', '=', segmentId);
}

function found(row: SegmentTable | undefined, segmentId: string): SegmentTable {
  if (row) return row;
  throw problem('not_found', `There is no segment ${segmentId} in this project.`);
}
