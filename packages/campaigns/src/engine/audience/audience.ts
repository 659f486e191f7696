import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { CampaignsPorts } from '../../ports.ts';
import { idsOnLists } from '../../subscribers/ids-of-address.ts';
import type { SubscriberStatus } from '../../tables.ts';
import { type RefusalReason, refusalOf, suppressedOf } from '../ledger/refusals.ts';
import type { CampaignsDatabase } from '../ports.ts';
import { isOneOf } from '../sql.ts';

/**
 * Who a campaign goes to: one row for each canonical address in its lists and its segment. The first of the lists an
 * address is on speaks for it, subscribed or not; only a list where it was never confirmed gives way to a later one.
 * Erased people are nobody.
 */

export interface Audience {
  readonly projectId: string;
  /** In the campaign's order. */
  readonly listIds: readonly string[];
  /** A condition over `mail_subscribers`; null takes all. */
  readonly segment: RawBuilder<SqlBool> | null;
  /** Who joined later is not in it. */
  readonly untilUs: number;
}

/** The lists are walked twice: first for all who said yes or no, then for those who have not answered yet. */
export const PASSES = ['answered', 'unconfirmed'] as const;

/** Where a walk over an audience is. */
export interface Position {
  readonly pass: number;
  readonly list: number;
  /** Last subscriber of the list that was seen. */
  readonly after: string;
}

export const START: Position = { pass: 0, list: 0, after: '' };

export interface Member {
  readonly subscriberId: string;
  readonly listId: string;
  readonly email: string;
  readonly emailKey: string;
  readonly status: SubscriberStatus;
}

export interface AudiencePage {
  readonly members: readonly Member[];
  /** Null when this was the last. */
  readonly next: Position | null;
}

/** The next members in the order of the walk; an address may come up again on a later list. */
export async function audiencePage(
  db: CampaignsDatabase,
  audience: Audience,
  position: Position,
  limit: number,
): Promise<AudiencePage> {
  const listId = audience.listIds[position.list];
  const pass = PASSES[position.pass];
  if (listId === undefined || pass === undefined) return { members: [], next: null };
  let query = db
    .selectFrom('mail_subscribers')
    .select(['subscriber_id', 'email', 'email_key', 'status'])
    .where('list_id', '=', listId)
    .where('project_id', '=', audience.projectId)
    .where('subscriber_id', '>', position.after)
    .where('created_us', '<=', audience.untilUs)
    .where('status', pass === 'answered' ? '!=' : '=', 'unconfirmed')
    .where('email', 'is not', null);
  if (audience.segment) query = query.where(audience.segment);
  const rows = await query.orderBy('subscriber_id').limit(limit).execute();
  const members = rows.flatMap(({ subscriber_id, email, email_key, status }) =>
    email === null ? [] : [{ subscriberId: subscriber_id, listId, email, emailKey: email_key, status }],
  );
  const last = rows.at(-1);
  if (last && rows.length === limit) {
    return { members, next: { ...position, after: last.subscriber_id } };
  }
  return { members, next: nextList(audience, position) };
}

function nextList({ listIds }: Audience, { pass, list }: Position): Position | null {
  if (list + 1 < listIds.length) return { pass, list: list + 1, after: '' };
  return pass + 1 < PASSES.length ? { pass: pass + 1, list: 0, after: '' } : null;
}

/** The members whom an earlier step of the walk has met already, by their canonical addresses. */
export async function metBefore(
  db: CampaignsDatabase,
  ports: Pick<CampaignsPorts, 'store' | 'installationKey'>,
  audience: Audience,
  position: Position,
  members: readonly Member[],
): Promise<Set<string>> {
  const earlier = audience.listIds.slice(0, position.list);
  const isUnconfirmed = PASSES[position.pass] === 'unconfirmed';
  if (members.length === 0 || (earlier.length === 0 && !isUnconfirmed)) return new Set();
  const { engine } = ports.store;
  const asked = isUnconfirmed ? audience.listIds : earlier;
  const ids = members.flatMap((member) => idsOnLists(ports, asked, member.emailKey));
  const inAnswered = sql<SqlBool>`status <> 'unconfirmed' AND ${isOneOf(engine, 'list_id', asked)}`;
  const inUnconfirmed = sql<SqlBool>`status = 'unconfirmed' AND ${isOneOf(engine, 'list_id', earlier)}`;
  let query = db
    .selectFrom('mail_subscribers')
    .select('email_key')
    .where('project_id', '=', audience.projectId)
    .where(isOneOf(engine, 'subscriber_id', ids))
    .where('created_us', '<=', audience.untilUs)
    .where('email', 'is not', null)
    .where(isUnconfirmed ? sql<SqlBool>`((${inAnswered}) OR (${inUnconfirmed}))` : inAnswered);
  if (audience.segment) query = query.where(audience.segment);
  return new Set((await query.execute()).map((row) => row.email_key));
}

/** Why each of the members is left out, by canonical address; those who get the mail are not in it. */
export async function leftOutOf(
  db: CampaignsDatabase,
  ports: Pick<CampaignsPorts, 'store' | 'installationKey'>,
  audience: Audience,
  members: readonly Member[],
): Promise<Map<string, RefusalReason>> {
  const asked = members.map(({ emailKey }) => ({ id: emailKey, projectId: audience.projectId, emailKey }));
  const suppressed = await suppressedOf(db, ports, asked);
  const reasons = new Map<string, RefusalReason>();
  for (const { emailKey, status } of members) {
    const reason = refusalOf(status, suppressed.has(emailKey));
    if (reason !== null) reasons.set(emailKey, reason);
  }
  return reasons;
}
