import { type RawBuilder, type SqlBool, sql } from 'kysely';

/** Which channels are meant: all, only these, or all but these. */
export interface ChannelScope {
  readonly only?: readonly string[];
  readonly except?: readonly string[];
  /** Whether people's direct messages are meant beside `only`, or excepted too. */
  readonly direct?: 'included' | 'excepted';
}

/** Ids of direct messages begin so, and no other channel's does. */
const DIRECT_PREFIX = 'local:dm-';

/** Whether a scope has the channel. */
export function includes({ only, except, direct }: ChannelScope, channelId: string): boolean {
  const isDirect = channelId.startsWith(DIRECT_PREFIX);
  if (except?.includes(channelId) || (isDirect && direct === 'excepted')) return false;
  return only === undefined || only.includes(channelId) || (isDirect && direct === 'included');
}

/** The condition on `channel_id` of a query. */
export function within({ only, except, direct }: ChannelScope): RawBuilder<SqlBool> {
  const conditions: RawBuilder<SqlBool>[] = [sql`1 = 1`];
  const isDirect = sql<SqlBool>`substr(channel_id, 1, ${sql.lit(DIRECT_PREFIX.length)}) = ${sql.lit(DIRECT_PREFIX)}`;
  if (except !== undefined && except.length > 0)
    conditions.push(sql`channel_id NOT IN (${sql.join(except)})`);
  if (direct === 'excepted') conditions.push(sql`NOT ${isDirect}`);
  if (only !== undefined) {
    const named = only.length === 0 ? sql<SqlBool>`1 = 0` : sql<SqlBool>`channel_id IN (${sql.join(only)})`;
    conditions.push(direct === 'included' ? sql`(${named} OR ${isDirect})` : named);
  }
  return sql`${sql.join(conditions, sql` AND `)}`;
}
