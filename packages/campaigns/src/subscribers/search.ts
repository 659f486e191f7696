import { parseAddress } from '@postern/mail';
import { isOneOf } from '../engine/sql.ts';
import type { SubscriberStatus, SubscriberTable } from '../tables.ts';
import { workerTask } from '../workers/task.ts';
import { stretchesOf } from './walk.ts';

export interface Search {
  readonly projectId: string;
  readonly listId: string;
  /** Only these; null leaves out who was erased. */
  readonly status: SubscriberStatus | null;
  /** Part of the address. */
  readonly email: string | null;
  /** Part of the name. */
  readonly name: string | null;
  /** Part of either. */
  readonly either: string | null;
  readonly after: string | null;
  readonly limit: number;
}

/**
 * The next subscribers that match, in the order of their ids. Names are compared without regard to case, which the
 * engines know for ASCII alone; so texts are compared here, one stretch of the list at a time.
 */
export const searchTask = workerTask(
  import.meta.url,
  'searchTask',
  async ({ store }, search: Search, signal): Promise<SubscriberTable[]> => {
    const matches = matcherOf(search);
    const ids: string[] = [];
    for await (const { after, upTo } of stretchesOf(store.db, search.listId, signal, search.after ?? '')) {
      let query = store.db
        .selectFrom('mail_subscribers')
        .select(['subscriber_id', 'email_key', 'name'])
        .where('list_id', '=', search.listId)
        .where('project_id', '=', search.projectId)
        .where('subscriber_id', '>', after)
        .where('status', search.status === null ? '!=' : '=', search.status ?? 'erased')
        .orderBy('subscriber_id');
      if (upTo !== null) query = query.where('subscriber_id', '<=', upTo);
      for (const row of await query.execute()) if (matches(row)) ids.push(row.subscriber_id);
      if (ids.length >= search.limit) break;
    }
    if (ids.length === 0) return [];
    return store.db
      .selectFrom('mail_subscribers')
      .selectAll()
      .where(isOneOf(store.engine, 'subscriber_id', ids.slice(0, search.limit)))
      .orderBy('subscriber_id')
      .execute();
  },
);

function matcherOf({ email, name, either }: Search) {
  const tests: ((row: Pick<SubscriberTable, 'email_key' | 'name'>) => boolean)[] = [];
  if (email !== null) tests.push(inEmail(email));
  if (name !== null) tests.push(inName(name));
  if (either !== null) {
    const [isInEmail, isInName] = [inEmail(either), inName(either)];
    tests.push((row) => isInEmail(row) || isInName(row));
  }
  return (row: Pick<SubscriberTable, 'email_key' | 'name'>): boolean => tests.every((test) => test(row));
}

function inEmail(text: string) {
  const wanted = canonicalPart(text);
  return ({ email_key }: Pick<SubscriberTable, 'email_key'>): boolean => email_key.includes(wanted);
}

function inName(text: string) {
  const wanted = folded(text);
  return ({ name }: Pick<SubscriberTable, 'name'>): boolean => name !== null && folded(name).includes(wanted);
}

/** A whole address in its canonical form, a part of one as far as it can be. */
export function canonicalPart(text: string): string {
  const parsed = parseAddress(text);
  return parsed.fault === undefined ? parsed.key : folded(text.trim());
}

function folded(text: string): string {
  return text.normalize('NFC').toLowerCase().normalize('NFC');
}
