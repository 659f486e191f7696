import { JsonText } from '@postern/kit';
import { recordAct } from '../../audit.ts';
import { requireList } from '../../lists/lists.ts';
import type { CampaignsPorts } from '../../ports.ts';
import { runInWorker } from '../../workers/task.ts';
import { type Import, importTask } from './task.ts';

/**
 * Puts people on a list by the thousand, off the event loop. Nobody is asked to confirm.
 *
 * @returns an {@link ImportAnswer}.
 * @throws Failure not_found for the list.
 */
export async function importSubscribers(
  ports: CampaignsPorts,
  actor: string,
  request: Import,
): Promise<JsonText> {
  await requireList(ports.store.db, request.projectId, request.listId);
  // It goes on when the caller loses interest: a whole import is of more use than a part of one.
  const { counts, answer } = await runInWorker(ports, importTask, request);
  await ports.store.transaction((tx) =>
    recordAct(tx, ports, { actor, action: 'import_subscribers', target: request.listId, details: counts }),
  );
  return new JsonText(answer);
}
