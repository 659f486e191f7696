import { problem } from '@postern/http';
import type { FieldViolation } from '@postern/kit';
import { isOneOf } from '../engine/sql.ts';
import type { CampaignsPorts } from '../ports.ts';
import { stretchesOf } from '../subscribers/walk.ts';
import { runInTime } from '../workers/in-time.ts';
import { workerTask } from '../workers/task.ts';
import type { Condition } from './condition.ts';
import { requireCampaigns } from './references.ts';
import { requireSegment } from './segments.ts';
import { segmentCondition } from './sql/compile.ts';

export interface CountRequest {
  readonly condition?: Condition | undefined;
  readonly segment_id?: string | undefined;
  readonly list_ids?: readonly string[] | undefined;
}

/**
 * Counts the subscribers a condition matches, on some lists or on all of the project.
 *
 * @throws Failure not_found for the segment; validation_failed for lists and campaigns that the project does not
 *   have; storage_timeout when there are too many to count in time.
 */
export async function countSegment(
  ports: CampaignsPorts,
  projectId: string,
  { condition: given, segment_id, list_ids }: CountRequest,
  signal: AbortSignal,
): Promise<number> {
  const { db } = ports.store;
  const condition: Condition | undefined =
    segment_id === undefined
      ? given
      : JSON.parse((await requireSegment(db, projectId, segment_id)).condition_json);
  if (condition === undefined) throw new Error('there is nothing to count by');
  if (given !== undefined) await requireCampaigns(db, ports, projectId, given);
  const listIds = await listsOf(ports, projectId, list_ids);
  const nowUs = ports.clock.nowMicroseconds();
  return runInTime(ports, countTask, { projectId, listIds, condition, nowUs }, signal);
}

interface Counting {
  readonly projectId: string;
  readonly listIds: readonly string[];
  readonly condition: Condition;
  readonly nowUs: number;
}

export const countTask = workerTask(
  import.meta.url,
  'countTask',
  async ({ store }, { projectId, listIds, condition, nowUs }: Counting, signal): Promise<number> => {
    const matches = segmentCondition(store.engine, condition, nowUs);
    let total = 0;
    for (const listId of listIds) {
      for await (const { after, upTo } of stretchesOf(store.db, listId, signal)) {
        let query = store.db
          .selectFrom('mail_subscribers')
          .select((row) => row.fn.countAll<number>().as('total'))
          .where('list_id', '=', listId)
          .where('project_id', '=', projectId)
          .where('subscriber_id', '>', after)
          .where('email', 'is not', null)
          .where(matches);
        if (upTo !== null) query = query.where('subscriber_id', '<=', upTo);
        total += (await query.executeTakeFirstOrThrow()).total;
      }
    }
    return total;
  },
);

async function listsOf(
  { store }: CampaignsPorts,
  projectId: string,
  given: readonly string[] | undefined,
): Promise<string[]> {
  let query = store.db
    .selectFrom('mail_lists')
    .select('list_id')
    .where('project_id', '=', projectId)
    .where('deleted_us', 'is', null);
  if (given) query = query.where(isOneOf(store.engine, 'list_id', given));
  const known = new Set((await query.execute()).map((row) => row.list_id));
  const violations = (given ?? []).flatMap((listId, index): FieldViolation[] => {
    if (known.has(listId)) return [];
    const message = `is ${listId}, which this project does not have`;
    return [{ field: `list_ids.${index}`, code: 'not_allowed', message }];
  });
  if (violations.length === 0) return [...known];
  const detail = violations.map(({ field, message }) => `${field} ${message}`).join('; ');
  throw problem('validation_failed', detail, { violations });
}
