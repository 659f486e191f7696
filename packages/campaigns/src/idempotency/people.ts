import { createHmac } from 'node:crypto';
import { idPattern, JsonText } from '@postern/kit';
import { parseAddress } from '@postern/mail';
import type { CampaignsPorts, CampaignsTransaction } from '../ports.ts';

/**
 * Whom a kept answer is about, so that it can go with them: erasing a person purges what is kept for repeats.
 * Addresses are kept as keyed hashes.
 */

/** An answer about more people than this holds ids and no more (imports). */
const MOST_PEOPLE = 100;
const MOST_NODES = 20_000;

const SUBSCRIBER = idPattern('sub');

type Keyed = Pick<CampaignsPorts, 'installationKey'>;

/** Notes the people in an answer and in what it answers. */
export async function notePeople(
  tx: CampaignsTransaction,
  ports: Keyed,
  kept: { idempotencyId: number; projectId: string; input: unknown; body: unknown },
): Promise<void> {
  const people = new Set<string>();
  for (const text of textsIn([kept.input, kept.body])) {
    if (SUBSCRIBER.test(text)) people.add(text);
    else if (text.includes('@')) {
      const parsed = parseAddress(text);
      if (parsed.fault === undefined) people.add(personOf(ports, kept.projectId, parsed.key));
    }
    if (people.size > MOST_PEOPLE) return;
  }
  if (people.size === 0) return;
  const rows = [...people].sort().map((person) => ({ person, idempotency_id: kept.idempotencyId }));
  await tx.insertInto('mail_kept_answers').values(rows).execute();
}

/** Forgets what is kept about a person; part of their erasure. */
export async function purgeKeptAnswers(
  tx: CampaignsTransaction,
  ports: Keyed,
  who: { projectId: string; subscriberIds: readonly string[]; emailKey: string },
): Promise<void> {
  const people = [...who.subscriberIds, personOf(ports, who.projectId, who.emailKey)];
  await tx
    .deleteFrom('idempotency_keys')
    .where('id', 'in', (query) =>
      query.selectFrom('mail_kept_answers').select('idempotency_id').where('person', 'in', people),
    )
    .execute();
}

function personOf({ installationKey }: Keyed, projectId: string, emailKey: string): string {
  return createHmac('sha256', installationKey)
    .update(`kept answer\0${projectId}\0${emailKey}`)
    .digest('base64url');
}

/** The strings in a value, long ones left out: no id or address is longer. */
function* textsIn(value: unknown): Generator<string> {
  const pending = [value];
  for (let seen = 0; pending.length > 0 && seen < MOST_NODES; seen += 1) {
    const next = pending.pop();
    if (next instanceof JsonText) pending.push(next.parse());
    else if (typeof next === 'string') {
      if (next.length <= 400) yield next;
    } else if (typeof next === 'object' && next !== null) pending.push(...Object.values(next));
  }
}
