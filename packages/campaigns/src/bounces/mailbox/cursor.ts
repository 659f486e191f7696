import type { CampaignsPorts } from '../../ports.ts';

/** How far a mailbox has been read, across restarts and processes. */

export interface MailboxPosition {
  /** Decimal digits; another one means that all UIDs are new ones. */
  readonly uidValidity: string;
  readonly lastUid: number;
}

/** The last UID that was taken in; 0 for a mailbox that is new, or numbered anew. */
export async function lastUidOf(
  { store }: CampaignsPorts,
  mailbox: string,
  uidValidity: string,
): Promise<number> {
  const row = await store.db
    .selectFrom('mail_bounce_mailboxes')
    .select('last_uid')
    .where('mailbox', '=', mailbox)
    .where('uid_validity', '=', uidValidity)
    .executeTakeFirst();
  return row?.last_uid ?? 0;
}

/** Writes down what was taken in; never goes back within one numbering. */
export async function advanceTo(
  { store, clock }: CampaignsPorts,
  mailbox: string,
  { uidValidity, lastUid }: MailboxPosition,
): Promise<void> {
  const position = { uid_validity: uidValidity, last_uid: lastUid, updated_us: clock.nowMicroseconds() };
  await store.db
    .insertInto('mail_bounce_mailboxes')
    .values({ mailbox, ...position })
    .onConflict((conflict) =>
      conflict
        .column('mailbox')
        .doUpdateSet(position)
        .where(({ eb, or, ref }) =>
          or([
            eb(ref('mail_bounce_mailboxes.uid_validity'), '<>', uidValidity),
            eb(ref('mail_bounce_mailboxes.last_uid'), '<', lastUid),
          ]),
        ),
    )
    .execute();
}
