import type { Connector } from '../connectors/connector.ts';
import type { InboxTransaction } from '../ports.ts';

/** Rows of one statement; with four columns each far below what either engine binds. */
const ROWS_AT_ONCE = 500;

type Account = Pick<Connector, 'source' | 'account'>;

/** Moves the cursors of channels that got on; part of the transaction that stores what they stand for. */
export async function storeChannelCursors(
  tx: InboxTransaction,
  { source, account }: Account,
  cursors: ReadonlyMap<string, string>,
): Promise<void> {
  const rows = [...cursors].map(([channel_id, cursor]) => ({ source, account, channel_id, cursor }));
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
    await tx
      .insertInto('inbox_channel_cursors')
      .values(rows.slice(from, from + ROWS_AT_ONCE))
      .onConflict((conflict) =>
        conflict
          .columns(['source', 'account', 'channel_id'])
          .doUpdateSet((update) => ({ cursor: update.ref('excluded.cursor') })),
      )
      .execute();
  }
}

/** Cursors by channel id, with the channels that are known and have none: the operator may have added one. */
export async function readChannelCursors(
  db: Pick<InboxTransaction, 'selectFrom'>,
  { source, account }: Account,
): Promise<Map<string, string | null>> {
  const known = await db
    .selectFrom('inbox_channels')
    .select('channel_id')
    .where('source', '=', source)
    .execute();
  const stored = await db
    .selectFrom('inbox_channel_cursors')
    .select(['channel_id', 'cursor'])
    .where('source', '=', source)
    .where('account', '=', account)
    .execute();
  return new Map<string, string | null>([
    ...known.map(({ channel_id }) => [channel_id, null] as const),
    ...stored.map(({ channel_id, cursor }) => [channel_id, cursor] as const),
  ]);
}
