import { parseAddress } from '@postern/mail';
import { suppressedOf } from '../../engine/ledger/refusals.ts';
import { requireList } from '../../lists/lists.ts';
import type { CampaignsPorts } from '../../ports.ts';
import { lockSuppressions } from '../../suppressions/lock.ts';
import { bulkRows, giveWay } from '../../workers/bulk.ts';
import { workerTask } from '../../workers/task.ts';
import { applyEntries, type Entry } from '../apply.ts';
import { subscriberIdOf } from '../id.ts';
import type { ImportAnswer, ImportRecord, ImportResult, skipReasons } from './shapes.ts';

export interface Import {
  readonly projectId: string;
  readonly listId: string;
  /** JSON of an array of {@link ImportRecord}: a text travels to a thread faster than as many objects. */
  readonly records: string;
  readonly resubscribe: boolean;
  readonly evidence: string | null;
}

interface Candidate extends Entry {
  readonly index: number;
}

/**
 * Puts records on a list, a batch to a transaction; what was committed stands when a later batch fails, and repeating
 * the whole is harmless.
 *
 * @throws Failure not_found when the list is gone.
 */
export const importTask = workerTask(
  import.meta.url,
  'importTask',
  async (ports, request: Import, signal): Promise<Imported> => {
    const results: ImportResult[] = [];
    // A batch of neighbours touches a few pages of the indexes by id, and one in any order nearly all of them.
    const candidates = candidatesOf(ports, request, results).sort(byId);
    for (let at = 0; at < candidates.length; ) {
      signal.throwIfAborted();
      const batch = candidates.slice(at, at + bulkRows(ports.store));
      at += batch.length;
      for (const result of await importBatch(ports, request, batch)) results[result.index] = result;
      await giveWay(ports.store);
    }
    return imported(results);
  },
);

export interface Imported {
  readonly counts: Omit<ImportAnswer, 'results'>;
  /** JSON of an {@link ImportAnswer}. */
  readonly answer: string;
}

function imported(results: readonly ImportResult[]): Imported {
  const counts = { created: 0, updated: 0, unchanged: 0, skipped: 0 };
  for (const { outcome } of results) counts[outcome] += 1;
  const answer: ImportAnswer = { ...counts, results: [...results] };
  return { counts, answer: JSON.stringify(answer) };
}

function byId(one: Candidate, other: Candidate): number {
  return one.subscriberId < other.subscriberId ? -1 : 1;
}

/** The records that can be imported; the others get their results at once. */
function candidatesOf(
  ports: CampaignsPorts,
  { listId, records }: Import,
  results: ImportResult[],
): Candidate[] {
  const seen = new Map<string, string>();
  const candidates: Candidate[] = [];
  const given: readonly ImportRecord[] = JSON.parse(records);
  for (const [index, { email, name, attributes }] of given.entries()) {
    const address = parseAddress(email);
    if (address.fault !== undefined) {
      results[index] = skipped(index, 'invalid_email');
      continue;
    }
    const known = seen.get(address.key);
    if (known !== undefined) {
      results[index] = { ...skipped(index, 'duplicate'), subscriber_id: known };
      continue;
    }
    const subscriberId = subscriberIdOf(ports, listId, address.key);
    seen.set(address.key, subscriberId);
    candidates.push({
      index,
      subscriberId,
      email: address.typed,
      emailKey: address.key,
      given: { name, attributes },
    });
  }
  return candidates;
}

function importBatch(
  ports: CampaignsPorts,
  { projectId, listId, resubscribe, evidence }: Import,
  candidates: readonly Candidate[],
): Promise<ImportResult[]> {
  return ports.store.transaction(async (tx) => {
    await lockSuppressions(tx, ports, projectId, 'shared');
    const list = await requireList(tx, projectId, listId);
    const asked = candidates.map(({ subscriberId, emailKey }) => ({ id: subscriberId, projectId, emailKey }));
    const suppressed = await suppressedOf(tx, ports, asked);
    const terms = { list, source: 'import', resubscribe, evidence, asksToConfirm: false } as const;
    const plans = await applyEntries(
      tx,
      ports,
      terms,
      candidates.filter(({ subscriberId }) => !suppressed.has(subscriberId)),
    );
    return candidates.map(({ index, subscriberId }) => {
      const plan = plans.get(subscriberId);
      if (plan === undefined) return skipped(index, 'suppressed');
      if (plan.outcome === 'too_large') return skipped(index, 'too_many_attributes');
      return { index, outcome: plan.outcome, reason: null, subscriber_id: subscriberId };
    });
  });
}

function skipped(index: number, reason: (typeof skipReasons)[number]): ImportResult {
  return { index, outcome: 'skipped', reason, subscriber_id: null };
}
