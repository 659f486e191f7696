import { parseAddress } from '@postern/mail';
import { recordAct } from '../../audit.ts';
import { addToListCounts } from '../../counts.ts';
import { isOneOf } from '../../engine/sql.ts';
import { purgeKeptAnswers } from '../../idempotency/people.ts';
import type { CampaignsPorts, CampaignsTransaction } from '../../ports.ts';
import { counted, listed } from '../../shapes/words.ts';
import { lockSuppressions } from '../../suppressions/lock.ts';
import { eraseSuppression } from '../../suppressions/rows.ts';
import type { SubscriberTable } from '../../tables.ts';
import { lockSubscriber } from '../rows.ts';
import { type SubscriberAnswer, subscriberAnswer } from '../shapes.ts';
import { lockPerson } from '../unsubscribe.ts';
import { eraseDeliveries } from './deliveries.ts';
import { eraseCaptured, eraseEmails, eraseTests } from './emails.ts';
import { eraseEvents, eraseWebhookDeliveries } from './events.ts';
import type { Person } from './person.ts';

export interface Erasure {
  readonly outcome: 'would_erase' | 'erased';
  readonly effect: string;
  /** As GET answers it after the call. */
  readonly subscriber: SubscriberAnswer;
}

/**
 * Erases a person from a project: all that says who they are, on every list and in everything that was sent, or tells
 * what that would come to. A keyed hash of the address stays suppressed, so no import can mail them again.
 *
 * @throws Failure not_found.
 */
export async function eraseSubscriber(
  ports: CampaignsPorts,
  actor: string,
  projectId: string,
  subscriberId: string,
  dryRun: boolean,
): Promise<Erasure> {
  return ports.store.transaction(async (tx) => {
    await lockSuppressions(tx, ports, projectId, 'alone');
    const { subscriber } = await lockSubscriber(tx, projectId, subscriberId);
    if (subscriber.status === 'erased') {
      const effect = 'The person was erased before; nothing changes.';
      return {
        outcome: dryRun ? 'would_erase' : 'erased',
        effect,
        subscriber: subscriberAnswer(subscriber),
      };
    }
    const rows = await lockPerson(tx, ports, subscriber);
    const person: Person = {
      projectId,
      subscriberIds: rows.map((row) => row.subscriber_id),
      emailKey: subscriber.email_key,
    };
    const reach = await reachOf(tx, ports, person);
    if (dryRun) {
      const effect = `Would erase the person from ${reach}; the address would stay suppressed as a hash.`;
      return { outcome: 'would_erase', effect, subscriber: subscriberAnswer(subscriber) };
    }
    await eraseAll(tx, ports, person, rows);
    for (const target of person.subscriberIds) {
      await recordAct(tx, ports, { actor, action: 'erase_subscriber', target });
    }
    return {
      outcome: 'erased',
      effect: `Erased the person from ${reach}; the address stays suppressed as a hash.`,
      subscriber: subscriberAnswer(erased(subscriber, ports.clock.nowMicroseconds())),
    };
  });
}

async function eraseAll(
  tx: CampaignsTransaction,
  ports: CampaignsPorts,
  person: Person,
  rows: readonly SubscriberTable[],
): Promise<void> {
  const spellings = new Set<string>();
  const note = (typed: string | null) => {
    const address = parseAddress(typed ?? '');
    if (address.fault === undefined) spellings.add(address.wire);
  };
  note(person.emailKey);
  for (const row of rows) note(row.email);
  for (const email of await eraseEmails(tx, ports, person)) note(email);
  for (const email of await eraseDeliveries(tx, ports, person)) note(email);
  await eraseCaptured(tx, spellings);
  await eraseTests(tx, ports, person);
  await eraseEvents(tx, ports, person);
  await eraseWebhookDeliveries(tx, ports, person);
  await purgeKeptAnswers(tx, ports, person);
  await eraseSuppression(tx, ports, person.projectId, person.emailKey);
  const now = ports.clock.nowMicroseconds();
  for (const row of rows) {
    const { subscriber_id, ...left } = erased(row, now);
    await tx.updateTable('mail_subscribers').set(left).where('subscriber_id', '=', subscriber_id).execute();
    await addToListCounts(tx, row.list_id, { [row.status]: -1, erased: 1 });
  }
}

/** What is left of a subscriber (contract, 8.5). */
function erased(row: SubscriberTable, nowUs: number): SubscriberTable {
  return {
    ...row,
    email: null,
    email_key: `erased:${row.subscriber_id}`,
    name: null,
    attributes_json: '{}',
    status: 'erased',
    consent_source: null,
    consent_at_us: null,
    consent_evidence: null,
    confirm_sent_us: null,
    updated_us: nowUs,
  };
}

/** Where the person is, in numbers. */
async function reachOf(
  tx: CampaignsTransaction,
  { store }: CampaignsPorts,
  { projectId, subscriberIds, emailKey }: Person,
): Promise<string> {
  const deliveries = await tx
    .selectFrom('mail_deliveries')
    .select((row) => row.fn.countAll<number>().as('total'))
    .where(isOneOf(store.engine, 'subscriber_id', subscriberIds))
    .executeTakeFirstOrThrow();
  const emails = await tx
    .selectFrom('mail_emails')
    .select((row) => row.fn.countAll<number>().as('total'))
    .where('project_id', '=', projectId)
    .where('email_key', '=', emailKey)
    .executeTakeFirstOrThrow();
  return listed([
    counted(subscriberIds.length, 'list'),
    counted(deliveries.total, 'delivery of a campaign', 'deliveries of campaigns'),
    counted(emails.total, 'single e-mail'),
  ]);
}
