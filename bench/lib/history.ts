import { type RawBuilder, sql } from 'kysely';
import type { BenchStore } from './databases.ts';

/**
 * A hub's past, put into the tables by bulk inserts in the shape the sink, send and mark_read leave: one
 * message a minute up to now, in ten channels of two sources and a quiet one, by twenty people. Of twenty
 * messages one is an agent's answer, one is in quarantine, and one has an attachment. All of it repeats every
 * twenty positions, so that pages taken at the same place of pasts of different sizes hold alike messages.
 */

const MINUTE_US = 60_000_000;
const PEOPLE = 20;
/** Holds this many messages, however many there are in all. */
const QUIET = { id: 'local:quiet', source: 'local', messages: 50 };
const CHANNELS = [
  ...Array.from({ length: 6 }, (_, index) => ({ id: `local:room-${index}`, source: 'local' })),
  ...Array.from({ length: 4 }, (_, index) => ({
    id: `discord:channel:90000000000000000${index}`,
    source: 'discord',
  })),
] as const;

export const BUSY_CHANNEL = CHANNELS[3]!.id;
export const QUIET_CHANNEL = QUIET.id;

export interface History {
  /** How many messages are stored, in both directions, quarantine included. A multiple of 1,000. */
  readonly size: number;
  /** Receive time of the message at a position; positions count from 0, the oldest. */
  receivedUs(position: number): number;
  messageId(position: number): string;
}

export function historyOf(size: number, nowUs: number): History {
  const firstUs = nowUs - size * MINUTE_US;
  return {
    size,
    receivedUs: (position) => firstUs + position * MINUTE_US,
    messageId: (position) => `msg_01JZ000000${String(position).padStart(16, '0')}`,
  };
}

/** Whether agents can have the message at a position unread: it is no answer of theirs, nor in quarantine. */
export function isInFeed(position: number): boolean {
  return position % 20 < 18;
}

/** Stores the messages. The store should allow long statements. */
export async function storeHistory(store: BenchStore, history: History): Promise<void> {
  const { size } = history;
  const firstUs = history.receivedUs(0);
  const sqlite = store.engine === 'sqlite';
  const series = sqlite
    ? sql`(WITH RECURSIVE counted(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM counted WHERE i + 1 < ${sql.lit(size)}) SELECT i FROM counted)`
    : sql`(SELECT generate_series(0, ${sql.lit(size - 1)})::bigint AS i)`;
  const digits = sqlite ? sql`printf('%016d', i)` : sql`lpad(i::text, 16, '0')`;
  const id = (prefix: string) => sql`${sql.lit(`${prefix}_01JZ000000`)} || ${digits}`;
  const text = (number: RawBuilder<unknown>) => sql`CAST(${number} AS text)`;
  const isQuiet = sql`i % ${sql.lit(size / QUIET.messages)} = 15`;
  const channel = sql`CASE WHEN ${isQuiet} THEN ${sql.lit(QUIET.id)} ELSE CASE i % ${sql.lit(CHANNELS.length)} ${sql.join(
    CHANNELS.map((entry, index) => sql`WHEN ${sql.lit(index)} THEN ${sql.lit(entry.id)}`),
    sql` `,
  )} END END`;
  const source = sql`CASE WHEN ${isQuiet} OR i % ${sql.lit(CHANNELS.length)} < 6 THEN 'local' ELSE 'discord' END`;
  const person = sql`'person-' || ${text(sql`i % ${sql.lit(PEOPLE)}`)}`;
  const received = sql`${sql.lit(firstUs)} + i * ${sql.lit(MINUTE_US)}`;
  const isOutbound = sql`i % 20 = 19`;
  const isQuarantined = sql`i % 20 = 18`;

  await store.db
    .insertInto('inbox_channels')
    .values(
      [...CHANNELS, QUIET].map((entry) => ({
        channel_id: entry.id,
        source: entry.source,
        channel_type: 'group' as const,
        name: entry.id,
        allow_mass_mentions: 0,
        message_count: size / CHANNELS.length,
        last_message_us: history.receivedUs(size - 1),
        created_us: firstUs,
      })),
    )
    .execute();
  await store.db
    .insertInto('inbox_allowlist')
    .values(
      Array.from({ length: PEOPLE }, (_, index) =>
        ['local', 'discord'].map((platform) => ({
          source: platform,
          sender_id: `person-${index}`,
          display_name: `Person ${index}`,
          person_id: null,
          created_us: firstUs,
        })),
      ).flat(),
    )
    .execute();
  await sql`
    INSERT INTO inbox_messages (message_id, source, channel_id, channel_type, direction, state, sender_id, sender_name,
      text, reply_to, timestamp_ms, received_us, feed_us, edited_us, deleted_us, raw)
    SELECT ${id('msg')}, ${source}, ${channel}, 'group',
      CASE WHEN ${isOutbound} THEN 'outbound' ELSE 'inbound' END,
      CASE WHEN ${isQuarantined} THEN 'quarantined' ELSE 'accepted' END,
      CASE WHEN ${isOutbound} THEN 'postern' WHEN ${isQuarantined} THEN 'stranger' ELSE ${person} END, 'Person',
      'Message ' || ${text(sql`i`)} || ': the delivery for the second floor came without its papers, who can look?',
      NULL, (${received}) / 1000, ${received},
      CASE WHEN ${isOutbound} OR ${isQuarantined} THEN NULL ELSE ${received} END, NULL, NULL,
      '{"id":"post_01JZ000000' || ${digits} || '","thread_id":null,"reply_to":null,"user":{"id":"' || ${person} || '","name":"Person"}}'
    FROM ${series} AS numbers`.execute(store.db);
  await sql`
    INSERT INTO inbox_platform_ids (source, account, platform_id, message_id)
    SELECT ${source}, ${source}, ${id('post')}, ${id('msg')} FROM ${series} AS numbers`.execute(store.db);
  await sql`
    INSERT INTO inbox_attachments (attachment_id, message_id, position, name, mime, size_bytes, available, created_us)
    SELECT ${id('att')}, ${id('msg')}, 0, 'papers.pdf', 'application/pdf', 40000, 1, ${received}
    FROM ${series} AS numbers WHERE i % 20 = 3`.execute(store.db);
  await store.db
    .updateTable('inbox_clock')
    .set({ last_us: history.receivedUs(size - 1) })
    .execute();
}

/** An agent that was there from the start, and has read all but the messages at some positions. */
export async function storeAgent(
  store: BenchStore,
  history: History,
  agentId: string,
  unread: readonly number[],
): Promise<void> {
  const before = history.receivedUs(0) - 1;
  await insertAgent(store, history, agentId, { historyUntilUs: before, filledUs: before });
  const times = sql.join(unread.map((position) => sql.lit(history.receivedUs(position))));
  await insertUnread(store, agentId, sql`feed_us IN (${times})`);
  await insertReads(store, agentId, sql`feed_us IS NOT NULL AND feed_us NOT IN (${times})`);
}

/** An agent that was there from the start, and has not read the newest tenth of all. */
export async function storeSlowAgent(store: BenchStore, history: History, agentId: string): Promise<void> {
  const before = history.receivedUs(0) - 1;
  await insertAgent(store, history, agentId, { historyUntilUs: before, filledUs: before });
  const newest = sql.lit(history.receivedUs(history.size * 0.9));
  await insertUnread(store, agentId, sql`feed_us >= ${newest}`);
  await insertReads(store, agentId, sql`feed_us < ${newest}`);
}

/**
 * An agent that came when all was there, and has marked messages since: half of the past is copied, of which
 * it has read the older half, and of what is not copied yet it has read one in seven.
 */
export async function storeLateAgent(store: BenchStore, history: History, agentId: string): Promise<void> {
  const { size } = history;
  const filled = sql.lit(history.receivedUs(size / 2 - 1));
  const read = sql.lit(history.receivedUs(size / 4 - 1));
  await insertAgent(store, history, agentId, {
    historyUntilUs: history.receivedUs(size - 1),
    filledUs: history.receivedUs(size / 2 - 1),
  });
  await insertUnread(store, agentId, sql`feed_us > ${read} AND feed_us <= ${filled}`);
  const place = sql`(feed_us - ${sql.lit(history.receivedUs(0))}) / ${sql.lit(MINUTE_US)}`;
  await insertReads(store, agentId, sql`feed_us <= ${read} OR (feed_us > ${filled} AND ${place} % 7 = 0)`);
}

async function insertAgent(
  store: BenchStore,
  history: History,
  agentId: string,
  copied: { historyUntilUs: number; filledUs: number },
): Promise<void> {
  await store.db
    .insertInto('inbox_agents')
    .values({
      agent_id: agentId,
      first_seen_us: history.receivedUs(0),
      last_read_us: history.receivedUs(history.size - 1),
      read_count: history.size,
      history_until_us: copied.historyUntilUs,
      filled_us: copied.filledUs,
    })
    .execute();
}

async function insertUnread(store: BenchStore, agentId: string, which: RawBuilder<unknown>): Promise<void> {
  await sql`
    INSERT INTO inbox_unread (agent_id, received_us, message_id, channel_id, source)
    SELECT ${sql.lit(agentId)}, feed_us, message_id, channel_id, source FROM inbox_messages WHERE ${which}
  `.execute(store.db);
}

async function insertReads(store: BenchStore, agentId: string, which: RawBuilder<unknown>): Promise<void> {
  await sql`
    INSERT INTO inbox_reads (message_id, agent_id, read_us)
    SELECT message_id, ${sql.lit(agentId)}, received_us FROM inbox_messages WHERE ${which}
  `.execute(store.db);
}

/** The agent's rows of some positions as they were before it marked them read. */
export async function unmark(
  store: BenchStore,
  history: History,
  agentId: string,
  positions: readonly number[],
): Promise<void> {
  const ids = positions.map(history.messageId);
  await store.db
    .deleteFrom('inbox_reads')
    .where('agent_id', '=', agentId)
    .where('message_id', 'in', ids)
    .execute();
  const times = sql.join(positions.map((position) => sql.lit(history.receivedUs(position))));
  await insertUnread(store, agentId, sql`feed_us IN (${times})`);
}

/** What autovacuum does on PostgreSQL; SQLite's store looks after itself when it is closed. */
export async function refreshStatistics(store: BenchStore): Promise<void> {
  if (store.engine === 'postgres') await sql`VACUUM (ANALYZE)`.execute(store.db);
}
