import { problem } from '@postern/http';
import { parseAddress } from '@postern/mail';
import { forUpdate } from '@postern/store';
import { recordAct } from '../audit.ts';
import type { CampaignsDatabase } from '../engine/ports.ts';
import { isOneOf } from '../engine/sql.ts';
import { type Page, page } from '../paging.ts';
import type { CampaignsPorts, CampaignsTransaction } from '../ports.ts';
import { counted } from '../shapes/words.ts';
import { idsOfAddress } from '../subscribers/ids-of-address.ts';
import type { SuppressionReason, SuppressionTable } from '../tables.ts';
import { suppressionHash } from './hash.ts';
import { findSuppression, insertSuppression } from './rows.ts';
import { type SuppressionAnswer, suppressionAnswer } from './shapes.ts';

/** Addresses a project must not mail, whatever list they are on. */

export interface SuppressionFilter {
  readonly reason?: SuppressionReason | undefined;
  /** A whole address; one that was erased is found by it too. */
  readonly email?: string | undefined;
}

/** A project's suppressions, oldest first. */
export async function pageOfSuppressions(
  ports: CampaignsPorts,
  projectId: string,
  { reason, email }: SuppressionFilter,
  request: { limit: number; cursor?: string | undefined },
): Promise<Page<SuppressionAnswer>> {
  const address = email === undefined ? undefined : parseAddress(email);
  const { rows, next_cursor } = await page(
    request,
    'sup',
    ({ after, limit }) => {
      let query = ports.store.db
        .selectFrom('mail_suppressions')
        .selectAll()
        .where('project_id', '=', projectId)
        .where('suppression_id', '>', after ?? '')
        .orderBy('suppression_id')
        .limit(limit);
      if (reason !== undefined) query = query.where('reason', '=', reason);
      if (address?.fault === undefined && address !== undefined) {
        query = query.where('email_hash', '=', suppressionHash(ports, projectId, address.key));
      }
      return query.execute();
    },
    (row) => row.suppression_id,
  );
  return { rows: rows.map(suppressionAnswer), next_cursor };
}

/** @throws Failure not_found. */
export async function getSuppression(
  { store }: CampaignsPorts,
  projectId: string,
  suppressionId: string,
): Promise<SuppressionAnswer> {
  return suppressionAnswer(
    found(await byId(store.db, projectId, suppressionId).executeTakeFirst(), suppressionId),
  );
}

export interface Addition {
  readonly outcome: 'would_add' | 'added' | 'already_suppressed';
  readonly effect: string;
  /** Null while there is none. */
  readonly suppression: SuppressionAnswer | null;
}

/** Suppresses an address by hand, or tells what that would come to; one that is suppressed keeps its reason. */
export async function addSuppression(
  ports: CampaignsPorts,
  actor: string,
  projectId: string,
  { email, note }: { email: string; note: string | null },
  dryRun: boolean,
): Promise<Addition> {
  const address = parseAddress(email);
  if (address.fault !== undefined) throw new Error('the address was not checked');
  return ports.store.transaction(async (tx): Promise<Addition> => {
    const before = await findSuppression(tx, ports, projectId, address.key);
    if (before) return alreadySuppressed(before);
    const reach = await subscribedTo(tx, ports, projectId, address.key);
    if (dryRun) {
      const effect = `Would suppress the address in this project: ${reach} would get no more mail.`;
      return { outcome: 'would_add', effect, suppression: null };
    }
    const row = await insertSuppression(tx, ports, {
      projectId,
      emailKey: address.key,
      email: address.typed,
      reason: 'manual',
      source: 'api',
      note,
    });
    if (!row) {
      // Somebody else was faster.
      const other = await findSuppression(tx, ports, projectId, address.key);
      if (other) return alreadySuppressed(other);
      throw new Error('a suppression came and went');
    }
    await recordAct(tx, ports, { actor, action: 'add_suppression', target: row.suppression_id });
    const effect = `Suppressed the address in this project: ${reach} will get no more mail.`;
    return { outcome: 'added', effect, suppression: suppressionAnswer(row) };
  });
}

function alreadySuppressed(row: SuppressionTable): Addition {
  const effect = `The address was suppressed before, reason ${row.reason}; nothing changes.`;
  return { outcome: 'already_suppressed', effect, suppression: suppressionAnswer(row) };
}

export interface Removal {
  readonly outcome: 'would_remove' | 'removed';
  readonly effect: string;
  /** Null once it is gone. */
  readonly suppression: SuppressionAnswer | null;
}

/**
 * Lets an address be mailed again, or tells what that would come to. Who unsubscribed, bounced or complained stays
 * that (contract, 8.7).
 *
 * @throws Failure not_found.
 */
export async function removeSuppression(
  ports: CampaignsPorts,
  actor: string,
  projectId: string,
  suppressionId: string,
  dryRun: boolean,
): Promise<Removal> {
  return ports.store.transaction(async (tx): Promise<Removal> => {
    const row = found(
      await forUpdate(tx, byId(tx, projectId, suppressionId)).executeTakeFirst(),
      suppressionId,
    );
    const after = await afterRemoval(tx, ports, row);
    if (dryRun) {
      return {
        outcome: 'would_remove',
        effect: `Would remove the suppression with reason ${row.reason}: ${after}`,
        suppression: suppressionAnswer(row),
      };
    }
    await tx.deleteFrom('mail_suppressions').where('suppression_id', '=', suppressionId).execute();
    const details = { reason: row.reason };
    await recordAct(tx, ports, { actor, action: 'remove_suppression', target: suppressionId, details });
    return {
      outcome: 'removed',
      effect: `Removed the suppression with reason ${row.reason}: ${after}`,
      suppression: null,
    };
  });
}

async function afterRemoval(
  tx: CampaignsTransaction,
  ports: CampaignsPorts,
  { project_id, email, reason }: SuppressionTable,
) {
  if (reason === 'erased') return 'the address of somebody who was erased can be added and imported again.';
  const address = parseAddress(email ?? '');
  const reach =
    address.fault === undefined ? await subscribedTo(tx, ports, project_id, address.key) : 'the address';
  return `${reach} can be mailed again; no status on a list changes.`;
}

async function subscribedTo(
  tx: CampaignsTransaction,
  ports: CampaignsPorts,
  projectId: string,
  emailKey: string,
): Promise<string> {
  const ids = await idsOfAddress(tx, ports, projectId, emailKey);
  const { total } = await tx
    .selectFrom('mail_subscribers')
    .innerJoin('mail_lists', 'mail_lists.list_id', 'mail_subscribers.list_id')
    .select((row) => row.fn.countAll<number>().as('total'))
    .where(isOneOf(ports.store.engine, 'subscriber_id', ids))
    .where('email_key', '=', emailKey)
    .where('status', '=', 'subscribed')
    .where('deleted_us', 'is', null)
    .executeTakeFirstOrThrow();
  return `its ${counted(total, 'subscription')}`;
}

function byId(db: CampaignsDatabase, projectId: string, suppressionId: string) {
  return db
    .selectFrom('mail_suppressions')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('suppression_id', '=', suppressionId);
}

function found(row: SuppressionTable | undefined, suppressionId: string): SuppressionTable {
  if (row) return row;
  throw problem('not_found', `There is no suppression ${suppressionId} in this project.`);
}
