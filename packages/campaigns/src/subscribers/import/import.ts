import { setImmediate as nextTurn } from 'node:timers/promises';
import { recordAct } from '../../audit.ts';
import { requireList } from '../../lists/lists.ts';
import type { CampaignsPorts } from '../../ports.ts';
import { runInWorker } from '../../workers/task.ts';
import type { ImportAnswer, ImportResult } from './shapes.ts';
import { type Import, importTask } from './task.ts';

/**
 * Puts people on a list by the thousand, off the event loop. Nobody is asked to confirm.
 *
 * @throws Failure not_found for the list.
 */
export async function importSubscribers(
  ports: CampaignsPorts,
  actor: string,
  request: Import,
): Promise<ImportAnswer> {
  await requireList(ports.store.db, request.projectId, request.listId);
  // It goes on when the caller loses interest: a whole import is of more use than a part of one.
  const results: ImportResult[] = JSON.parse(await runInWorker(ports, importTask, request));
  const counts = { created: 0, updated: 0, unchanged: 0, skipped: 0 };
  for (const { outcome } of results) counts[outcome] += 1;
  // Others have a turn between reading so many results and writing them into an answer.
  await nextTurn();
  await ports.store.transaction((tx) =>
    recordAct(tx, ports, { actor, action: 'import_subscribers', target: request.listId, details: counts }),
  );
  return { ...counts, results };
}
