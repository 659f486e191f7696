import type { Engine } from '@postern/store';
import type { CampaignsPorts } from '../../ports.ts';
import { suppressionHash } from '../../suppressions/hash.ts';
import type { SubscriberStatus } from '../../tables.ts';
import type { CampaignsDatabase } from '../ports.ts';
import { isOneOf } from '../sql.ts';

/**
 * Who may be mailed now. The same question is asked when the audience is frozen, when a row is claimed and right
 * before MAIL FROM, so the answer is written once.
 */

/** Why a row is skipped; one word for each in the ledger, the dry run and the report. */
export type RefusalReason =
  | 'suppressed'
  | 'unsubscribed'
  | 'unconfirmed'
  | 'bounced'
  | 'complained'
  | 'erased'
  | 'list_deleted';

export interface Asked {
  readonly id: string;
  readonly projectId: string;
  readonly subscriberId: string;
  readonly emailKey: string;
  /** {@link suppressionHash}, where it is known already; it costs more than looking it up. */
  readonly emailHash?: string;
}

/** What of a subscriber the mail shows. */
export interface Person {
  readonly name: string | null;
  readonly attributes: Readonly<Record<string, unknown>>;
}

export interface Refusals {
  /** By the id that was asked with. */
  readonly refused: ReadonlyMap<string, RefusalReason>;
  /** By subscriber. */
  readonly people: ReadonlyMap<string, Person>;
}

/** A subscriber's own state comes first: it says more than the suppression that usually comes with it. */
export function refusalOf(status: SubscriberStatus, isSuppressed: boolean): RefusalReason | null {
  if (status !== 'subscribed') return status;
  return isSuppressed ? 'suppressed' : null;
}

export async function refusals(
  db: CampaignsDatabase,
  ports: Pick<CampaignsPorts, 'store' | 'installationKey'>,
  asked: readonly Asked[],
): Promise<Refusals> {
  const { engine } = ports.store;
  const suppressed = await suppressedOf(db, ports, asked);
  const rows = await db
    .selectFrom('mail_subscribers')
    .innerJoin('mail_lists', 'mail_lists.list_id', 'mail_subscribers.list_id')
    .select(['subscriber_id', 'status', 'mail_subscribers.name', 'attributes_json', 'deleted_us'])
    .where(
      isOneOf(
        engine,
        'subscriber_id',
        asked.map((one) => one.subscriberId),
      ),
    )
    .execute();
  const found = new Map(rows.map((row) => [row.subscriber_id, row]));
  const refused = new Map<string, RefusalReason>();
  for (const one of asked) {
    const row = found.get(one.subscriberId);
    const reason = row
      ? row.deleted_us !== null
        ? 'list_deleted'
        : refusalOf(row.status, suppressed.has(one.id))
      : 'erased';
    if (reason !== null) refused.set(one.id, reason);
  }
  const people = new Map(rows.map((row) => [row.subscriber_id, personOf(row.name, row.attributes_json)]));
  return { refused, people };
}

/** Those of the asked whose address the project must not mail, by the id that was asked with. */
export async function suppressedOf(
  db: CampaignsDatabase,
  {
    store,
    installationKey,
  }: { readonly store: { readonly engine: Engine }; readonly installationKey: Uint8Array },
  asked: readonly Omit<Asked, 'subscriberId'>[],
): Promise<Set<string>> {
  const hashes = asked.map(
    (one) => one.emailHash ?? suppressionHash({ installationKey }, one.projectId, one.emailKey),
  );
  const rows = await db
    .selectFrom('mail_suppressions')
    .select(['project_id', 'email_hash'])
    .where(isOneOf(store.engine, 'email_hash', hashes))
    .execute();
  // The hash holds the project, so a row of another project is never met.
  const found = new Set(rows.map((row) => row.email_hash));
  return new Set(asked.filter((_, index) => found.has(hashes[index] ?? '')).map((one) => one.id));
}

export function personOf(name: string | null, attributesJson: string): Person {
  return { name, attributes: JSON.parse(attributesJson) };
}
