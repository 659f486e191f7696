import { formatMicroseconds } from '@postern/kit';
import type { Selectable } from 'kysely';
import { recordAct } from './access/audit.ts';
import type { Connector } from './connectors/connector.ts';
import { untilAborted, withDeadline } from './deadline.ts';
import { type Source, sources } from './envelope.ts';
import { fail } from './errors.ts';
import { senderNamesOf } from './messages/envelopes.ts';
import type { InboxPorts } from './ports.ts';
import type { ChannelTable } from './tables.ts';

export interface Channel {
  readonly channel_id: string;
  readonly source: Source;
  readonly channel_type: 'dm' | 'group';
  readonly name: string | null;
  readonly allow_mass_mentions: boolean;
  readonly message_count: number;
  readonly last_message_at: string | null;
}

export type ChannelRow = Selectable<ChannelTable>;

/**
 * The platform a channel id belongs to, by its form (contract, section 1): Discord and local ids carry a
 * prefix, iMessage has a bare number, address or chat GUID.
 */
export function sourceOfChannelId(channelId: string): { source: Source; type: 'dm' | 'group' } | null {
  if (/^discord:dm:\d{1,20}$/.test(channelId)) return { source: 'discord', type: 'dm' };
  if (/^discord:channel:\d{1,20}$/.test(channelId)) return { source: 'discord', type: 'group' };
  if (channelId.startsWith('local:dm-')) return { source: 'local', type: 'dm' };
  if (/^local:.+$/.test(channelId)) return { source: 'local', type: 'group' };
  if (/^\+[1-9]\d{4,14}$/.test(channelId) || /^[^\s@:;]+@[^\s@:;]+$/.test(channelId))
    return { source: 'imessage', type: 'dm' };
  if (/^[A-Za-z]+;\+;.+$/.test(channelId)) return { source: 'imessage', type: 'group' };
  return null;
}

export function channelOf(row: ChannelRow): Channel {
  const source = sources.find((name) => name === row.source);
  if (!source) throw new Error(`stored channel has the unknown source ${row.source}`);
  return {
    channel_id: row.channel_id,
    source,
    channel_type: row.channel_type,
    name: row.name,
    allow_mass_mentions: row.allow_mass_mentions === 1,
    message_count: row.message_count,
    last_message_at: row.last_message_us === null ? null : formatMicroseconds(row.last_message_us),
  };
}

/** @throws Failure CHANNEL_NOT_FOUND when nobody wrote there and the operator has not added it. */
export async function findChannel(
  { store }: Pick<InboxPorts, 'store'>,
  channelId: string,
): Promise<ChannelRow> {
  const row = await store.db
    .selectFrom('inbox_channels')
    .selectAll()
    .where('channel_id', '=', channelId)
    .executeTakeFirst();
  if (!row)
    throw fail('CHANNEL_NOT_FOUND', `No channel ${channelId} is known; nobody has written there yet.`);
  return row;
}

/**
 * Known channels, the one with the newest message first. A direct conversation that the platform gives no name is
 * called by who wrote in it.
 */
export async function listChannels({ store }: Pick<InboxPorts, 'store'>, limit: number): Promise<Channel[]> {
  const rows = await store.db
    .selectFrom('inbox_channels')
    .selectAll()
    .select((channel) =>
      channel
        .selectFrom('inbox_messages')
        .select('inbox_messages.message_id')
        .whereRef('inbox_messages.channel_id', '=', 'inbox_channels.channel_id')
        .where('inbox_channels.channel_type', '=', 'dm')
        .where('inbox_channels.name', 'is', null)
        .where('inbox_messages.state', '=', 'accepted')
        .where('inbox_messages.direction', '=', 'inbound')
        .orderBy('inbox_messages.timestamp_ms', 'desc')
        .orderBy('inbox_messages.received_us', 'desc')
        .limit(1)
        .as('newest_inbound'),
    )
    // NULLs sort differently on the two engines; a channel without a message is the oldest on both.
    .orderBy((order) => order.fn.coalesce('last_message_us', order.lit(0)), 'desc')
    .orderBy('channel_id')
    .limit(limit)
    .execute();
  const names = await namesIn(
    store.db,
    rows.flatMap(({ newest_inbound }) => newest_inbound ?? []),
  );
  return rows.map((row) => ({
    ...channelOf(row),
    name: row.name ?? names.get(row.newest_inbound ?? '') ?? null,
  }));
}

async function namesIn(db: InboxPorts['store']['db'], messageIds: readonly string[]) {
  if (messageIds.length === 0) return new Map<string, string>();
  const rows = await db
    .selectFrom('inbox_messages')
    .selectAll()
    .where('message_id', 'in', messageIds)
    .execute();
  return senderNamesOf(db, rows);
}

/**
 * Changes a channel's settings; a channel not seen yet becomes known by it.
 *
 * @throws Failure VALIDATION_FAILED when the id has no platform's form.
 */
export async function putChannel(
  ports: InboxPorts,
  request: { channelId: string; allowMassMentions: boolean | undefined; actor: string },
): Promise<Channel> {
  const home = sourceOfChannelId(request.channelId);
  const row = await ports.store.transaction(async (tx) => {
    const known = await tx
      .selectFrom('inbox_channels')
      .selectAll()
      .where('channel_id', '=', request.channelId)
      .executeTakeFirst();
    if (!known && !home) {
      throw fail('VALIDATION_FAILED', `${request.channelId} is no channel id of a known platform.`, {
        violations: [
          {
            field: 'channel_id',
            code: 'invalid_format',
            message:
              'must be discord:dm:<id>, discord:channel:<id>, local:<name>, a phone number, an address or a chat GUID',
          },
        ],
      });
    }
    const changed = await tx
      .insertInto('inbox_channels')
      .values({
        channel_id: request.channelId,
        source: known?.source ?? home?.source ?? 'local',
        channel_type: known?.channel_type ?? home?.type ?? 'group',
        name: null,
        allow_mass_mentions: request.allowMassMentions === true ? 1 : 0,
        message_count: 0,
        last_message_us: null,
        created_us: ports.clock.nowMicroseconds(),
      })
      .onConflict((conflict) =>
        conflict.column('channel_id').doUpdateSet((update) => ({
          // An assignment is needed for RETURNING to answer a channel that stays as it is. Not the key: SQLite
          // would look through all messages for those that point to the old one.
          message_count: update.ref('inbox_channels.message_count'),
          ...(request.allowMassMentions === undefined
            ? {}
            : { allow_mass_mentions: request.allowMassMentions ? 1 : 0 }),
        })),
      )
      .returningAll()
      .executeTakeFirstOrThrow();
    await recordAct(tx, ports, {
      actor: request.actor,
      action: 'channel.put',
      target: request.channelId,
      details: { allow_mass_mentions: changed.allow_mass_mentions === 1 },
    });
    return changed;
  });
  return channelOf(row);
}

/** A platform that does not answer in this time shows no typing; nothing depends on it. */
const TYPING_DEADLINE_MS = 10_000;

/** Shows typing where the platform can. @throws Failure CHANNEL_NOT_FOUND when the channel is unknown. */
export async function showTyping(
  ports: InboxPorts,
  connectorOf: (source: string) => Connector | undefined,
  channelId: string,
  signal: AbortSignal,
): Promise<void> {
  const channel = await findChannel(ports, channelId);
  const connector = connectorOf(channel.source);
  const show = async (deadline: AbortSignal) => {
    const shown = connector?.typing?.(channel.channel_id, deadline);
    if (shown) await untilAborted(shown, deadline);
  };
  try {
    await withDeadline(ports.clock, TYPING_DEADLINE_MS, show, signal);
  } catch (error) {
    ports.log.warn({ err: error, source: channel.source }, 'typing could not be shown');
  }
}
