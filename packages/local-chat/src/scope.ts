import { type RawBuilder, type SqlBool, sql } from 'kysely';

/** Which channels are meant: all, only these, or all but these. */
export interface ChannelScope {
  readonly only?: readonly string[];
  readonly except?: readonly string[];
  /** Beside `only`, the direct messages that this user is a member of. */
  readonly directOf?: string;
}

/** Whether a scope without `directOf` has the channel. */
export function includes({ only, except }: ChannelScope, channelId: string): boolean {
  return !except?.includes(channelId) && only?.includes(channelId) !== false;
}

/** The condition on `channel_id` of a query. */
export function within({ only, except, directOf }: ChannelScope): RawBuilder<SqlBool> {
  const excepted = except ?? [];
  if (excepted.length > 0) return sql`channel_id NOT IN (${sql.join(excepted)})`;
  if (only === undefined) return sql`1 = 1`;
  const named = only.length === 0 ? sql`1 = 0` : sql`channel_id IN (${sql.join(only)})`;
  if (directOf === undefined) return sql`${named}`;
  return sql`(${named} OR channel_id IN (
    SELECT chat_channels.channel_id FROM chat_channels
    JOIN chat_members ON chat_members.channel_id = chat_channels.channel_id
    WHERE chat_channels.type = 'dm' AND chat_members.user_id = ${directOf}))`;
}
