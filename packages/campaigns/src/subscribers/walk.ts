import type { CampaignsDatabase } from '../engine/ports.ts';

/** Subscribers that are looked at in one statement. */
const STRETCH = 5_000;

/** A stretch of a list: ids after the one up to the other, that one included; null is the list's end. */
export interface Stretch {
  readonly after: string;
  readonly upTo: string | null;
}

/**
 * A list in stretches, in the order of ids: what has to look at everybody looks at one stretch at a time, so that it
 * can be stopped, and memory stays the same however many there are.
 *
 * @throws the signal's reason when it is aborted.
 */
export async function* stretchesOf(
  db: CampaignsDatabase,
  listId: string,
  signal: AbortSignal,
  start = '',
  size = STRETCH,
): AsyncGenerator<Stretch> {
  for (let after: string | null = start; after !== null; ) {
    signal.throwIfAborted();
    const last: { subscriber_id: string } | undefined = await db
      .selectFrom('mail_subscribers')
      .select('subscriber_id')
      .where('list_id', '=', listId)
      .where('subscriber_id', '>', after)
      .orderBy('subscriber_id')
      .offset(size - 1)
      .limit(1)
      .executeTakeFirst();
    const upTo: string | null = last?.subscriber_id ?? null;
    yield { after, upTo };
    after = upTo;
  }
}
