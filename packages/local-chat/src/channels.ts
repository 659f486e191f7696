import { problem } from '@postern/http';
import type { Kysely } from 'kysely';
import { checked, refuse } from './checks.ts';
import { channelIdOf, timeText } from './message-rows.ts';
import type { ChatPorts, ChatTransaction } from './ports.ts';
import { type ChannelScope, within } from './scope.ts';
import { nextMoment } from './sequence.ts';
import {
  type ChatChannel,
  type ChatChannelType,
  type ChatPerson,
  channelName,
  person,
  reference,
} from './shapes.ts';
import type { ChatTables } from './tables.ts';
import { storable } from './text.ts';

export interface NewChannel {
  readonly name: string;
  readonly type: ChatChannelType;
  readonly members: readonly ChatPerson[];
}

/** Names of direct messages: `dm-<user id>`. Nobody else may sit in them, so none is made as a group. */
const DIRECT_PREFIX = 'dm-';

export function directChannelName(userId: string): string {
  return `${DIRECT_PREFIX}${userId}`;
}

/**
 * Makes a channel, or finds the one of that name as it is, and adds the members.
 *
 * @throws Failure validation_failed; precondition_failed when a bound is reached.
 */
export async function openChannel(
  ports: ChatPorts,
  { name, type, members }: NewChannel,
): Promise<{ channel: ChatChannel; created: boolean }> {
  const channelId = channelIdOf(checked(channelName, name, 'name'));
  if (name.startsWith(DIRECT_PREFIX) && type !== 'dm') {
    refuse('type', 'not_allowed', `must be dm where the name starts with ${DIRECT_PREFIX}`);
  }
  for (const [index, member] of members.entries()) checked(person, member, `members.${index}`);
  return ports.store.transaction(async (tx) => {
    const moment = await nextMoment(tx, ports.clock);
    const existing = await find(tx, channelId);
    if (existing === undefined) {
      await assertRoomForChannel(tx, ports.limits.channels);
      await tx
        .insertInto('chat_channels')
        .values({
          channel_id: channelId,
          name,
          type,
          position: moment.position,
          created_us: moment.atMicroseconds,
        })
        .execute();
    }
    for (const member of members) await join(ports, tx, channelId, member);
    const [channel] = await describe(tx, { only: [channelId] });
    if (channel === undefined) throw new Error(`channel ${channelId} vanished while it was made`);
    return { channel, created: existing === undefined };
  });
}

/** The channels of a scope, in the order they were made; members in the order they joined. */
export async function describe(db: Kysely<ChatTables>, scope: ChannelScope = {}): Promise<ChatChannel[]> {
  const channels = db.selectFrom('chat_channels').selectAll().where(within(scope)).orderBy('position');
  const members = db.selectFrom('chat_members').selectAll().where(within(scope)).orderBy('position');
  const rows = await channels.execute();
  const membersOf = Map.groupBy(await members.execute(), (row) => row.channel_id);
  return rows.map((row) => ({
    id: row.channel_id,
    name: row.name,
    type: row.type,
    members: (membersOf.get(row.channel_id) ?? []).map((member) => ({
      id: member.user_id,
      name: member.user_name,
    })),
    created_at: timeText(row.created_us),
  }));
}

/**
 * Whoever is a member somewhere in the scope, by id or by exact name, in the order they first joined, each with the
 * name of where they joined last. Names are not unique.
 */
export async function findPeople(
  ports: ChatPorts,
  by: { readonly id: string } | { readonly name: string },
  scope: ChannelScope,
): Promise<ChatPerson[]> {
  let query = ports.store.db
    .selectFrom('chat_members')
    .select(['user_id', 'user_name'])
    .where(within(scope))
    .orderBy('position');
  query = 'id' in by ? query.where('user_id', '=', by.id) : query.where('user_name', '=', storable(by.name));
  const people = new Map<string, ChatPerson>();
  for (const row of await query.execute()) people.set(row.user_id, { id: row.user_id, name: row.user_name });
  return [...people.values()];
}

/** Makes someone a member of a channel that is there. @throws Failure not_found; precondition_failed when it is full. */
export async function joinChannel(ports: ChatPorts, channelId: string, user: ChatPerson): Promise<void> {
  checked(person, user, 'user');
  await ports.store.transaction(async (tx) => {
    await nextMoment(tx, ports.clock);
    await assertChannel(tx, channelId);
    await join(ports, tx, channelId, user);
  });
}

/** @throws Failure not_found when there is no channel of that id. */
export async function assertChannel(db: Kysely<ChatTables>, channelId: string): Promise<void> {
  if ((await find(db, checked(reference, channelId, 'channel_id'))) === undefined) {
    throw problem('not_found', `channel_id: no channel ${channelId} exists.`);
  }
}

/** Makes the person a member, or renames the one of that id. */
export async function join(
  ports: ChatPorts,
  tx: ChatTransaction,
  channelId: string,
  { id, name }: ChatPerson,
): Promise<void> {
  const userName = storable(name);
  const known = await tx
    .selectFrom('chat_members')
    .select('user_name')
    .where('channel_id', '=', channelId)
    .where('user_id', '=', id)
    .executeTakeFirst();
  if (known === undefined) {
    await assertRoomForMember(tx, channelId, ports.limits.membersPerChannel);
    const { position } = await nextMoment(tx, ports.clock);
    await tx
      .insertInto('chat_members')
      .values({ channel_id: channelId, user_id: id, user_name: userName, position })
      .execute();
  } else if (known.user_name !== userName) {
    await tx
      .updateTable('chat_members')
      .set({ user_name: userName })
      .where('channel_id', '=', channelId)
      .where('user_id', '=', id)
      .execute();
  }
}

function find(db: Kysely<ChatTables>, channelId: string) {
  return db
    .selectFrom('chat_channels')
    .select('channel_id')
    .where('channel_id', '=', channelId)
    .executeTakeFirst();
}

async function assertRoomForChannel(tx: ChatTransaction, most: number): Promise<void> {
  const { count } = await tx
    .selectFrom('chat_channels')
    .select((expression) => expression.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  if (count >= most) throw problem('precondition_failed', `There are ${most} channels, which is the limit.`);
}

async function assertRoomForMember(tx: ChatTransaction, channelId: string, most: number): Promise<void> {
  const { count } = await tx
    .selectFrom('chat_members')
    .select((expression) => expression.fn.countAll<number>().as('count'))
    .where('channel_id', '=', channelId)
    .executeTakeFirstOrThrow();
  if (count >= most) {
    throw problem('precondition_failed', `${channelId} has ${most} members, which is the limit.`);
  }
}
