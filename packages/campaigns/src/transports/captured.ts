import { parseAddress } from '@postern/mail';
import { sql } from 'kysely';
import type { CampaignsPorts } from '../ports.ts';
import { answerTime } from '../shapes/common.ts';

/** What the capture transport kept, for the console and for tests of people's own. */

export interface CapturedMail {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly size: number;
  readonly created_at: string;
}

/** Newest first. @param to the address as it stood in RCPT TO, or as somebody types it; null for any. */
export async function capturedMails(
  { store }: Pick<CampaignsPorts, 'store'>,
  { to, limit }: { readonly to: string | null; readonly limit: number },
): Promise<CapturedMail[]> {
  let query = store.db
    .selectFrom('mail_captured')
    .select(['captured_id', 'mail_from', 'rcpt_to', 'subject', 'size_bytes', 'created_us']);
  if (to !== null) query = query.where(sql`lower(rcpt_to)`, 'in', spellingsOf(to));
  const rows = await query.orderBy('captured_id', 'desc').limit(limit).execute();
  return rows.map((row) => ({
    id: row.captured_id,
    from: row.mail_from,
    to: row.rcpt_to,
    subject: row.subject,
    size: row.size_bytes,
    created_at: answerTime(row.created_us),
  }));
}

/** The domain stands in RCPT TO as an A-label; capitals make no other address. */
function spellingsOf(to: string): string[] {
  const address = parseAddress(to);
  const spellings = address.fault === undefined ? [to, address.wire] : [to];
  // Like the engines' lower(), this leaves letters beyond ASCII alone.
  return spellings.map((text) => text.replace(/[A-Z]+/g, (capitals) => capitals.toLowerCase()));
}

/** A message byte for byte, or null. */
export async function capturedRaw(
  { store }: Pick<CampaignsPorts, 'store'>,
  id: string,
): Promise<Uint8Array | null> {
  const row = await store.db
    .selectFrom('mail_captured')
    .select('raw')
    .where('captured_id', '=', id)
    .executeTakeFirst();
  return row?.raw ?? null;
}
