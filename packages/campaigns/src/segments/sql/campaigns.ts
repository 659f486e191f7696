import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Field } from '../fields.ts';
import { type Bounds, withinBounds } from './times.ts';

/**
 * Whether a campaign's mail was sent to the person, or opened or clicked by them, within the bounds. People are their
 * addresses: a mail that went to them on another list counts.
 */
export function campaignTest(
  { campaignId, event }: Extract<Field, { kind: 'campaign' }>,
  bounds: Bounds,
): RawBuilder<SqlBool> {
  const toThem = sql`sent.campaign_id = ${campaignId} AND sent.project_id = mail_subscribers.project_id
    AND sent.email_key = mail_subscribers.email_key`;
  if (event === 'sent') {
    return sql<SqlBool>`EXISTS (SELECT 1 FROM mail_deliveries AS sent
      WHERE ${toThem} AND sent.state = 'sent' AND ${withinBounds(sql`sent.sent_us`, bounds)})`;
  }
  return sql<SqlBool>`EXISTS (SELECT 1 FROM mail_deliveries AS sent
    JOIN mail_events AS happened ON happened.subscriber_id = sent.subscriber_id
      AND happened.type = ${sql.lit(event)} AND happened.campaign_id = sent.campaign_id
    WHERE ${toThem} AND ${withinBounds(sql`happened.at_us`, bounds)})`;
}
