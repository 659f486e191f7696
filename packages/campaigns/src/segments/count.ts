import type { CampaignsPorts } from '../ports.ts';
import { stretchesOf } from '../subscribers/walk.ts';
import { runInTime } from '../workers/in-time.ts';
import { workerTask } from '../workers/task.ts';
import type { Condition } from './condition.ts';
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
 * @throws Failure storage_timeout when there are too many to count in time; not_found for a segment that has just
 *   been deleted.
 */
export async function countSegment(
  ports: CampaignsPorts,
  projectId: string,
  { condition: given, segment_id, list_ids }: CountRequest,
  signal: AbortSignal,
): Promise<number> {
  const condition: Condition | undefined =
    segment_id === undefined
      ? given
      : JSON.parse((await requireSegment(ports.store.db, projectId, segment_id)).condition_json);
  if (condition === undefined) throw new Error('there is nothing to count by');
  const listIds = list_ids ? [...new Set(list_ids)] : await listsOf(ports, projectId);
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

async function listsOf({ store }: CampaignsPorts, projectId: string): Promise<string[]> {
  const rows = await store.db
    .selectFrom('mail_lists')
    .select('list_id')
    .where('project_id', '=', projectId)
    .where('deleted_us', 'is', null)
    .execute();
  return rows.map((row) => row.list_id);
}
