import { formatMicroseconds } from '@postern/kit';
import { findChannel } from '../channels.ts';
import type { Envelope } from '../envelope.ts';
import type { InboxPorts } from '../ports.ts';
import { acceptedMessage, contextWindow, conversationPage } from './context-window.ts';
import { envelopesOf } from './envelopes.ts';
import { type Reader, readersOf } from './readers.ts';
import { type UnreadFilter, unreadPage } from './unread.ts';
import { waitForMessages } from './wait.ts';

/** What agents and the operator read, as envelopes. */

export interface ConversationMessage extends Envelope {
  readonly edited_at: string | null;
  readonly deleted_at: string | null;
  readonly read_by: Reader[];
}

/** A page of unread messages and the cursor after it; waits for one to come if asked to. */
export async function listUnread(
  ports: InboxPorts,
  waiting: { count: number },
  filter: UnreadFilter,
  waitSeconds: number,
  signal: AbortSignal,
): Promise<{ messages: Envelope[]; next_since: string | null }> {
  const rows = await waitForMessages(
    ports,
    waiting,
    () => unreadPage(ports.store, filter),
    waitSeconds,
    signal,
  );
  const cursor = rows.at(-1)?.received_us ?? filter.sinceMicroseconds;
  return {
    messages: await envelopesOf(ports.store.db, rows, ports, 'agent'),
    next_since: cursor === null ? null : formatMicroseconds(cursor),
  };
}

export async function contextOf(
  ports: InboxPorts,
  request: Parameters<typeof contextWindow>[1],
): Promise<Envelope[]> {
  return envelopesOf(ports.store.db, await contextWindow(ports.store, request), ports, 'agent');
}

/** @throws Failure MESSAGE_NOT_FOUND when it is unknown or in quarantine. */
export async function messageById(ports: InboxPorts, messageId: string): Promise<Envelope> {
  const [envelope] = await envelopesOf(
    ports.store.db,
    [await acceptedMessage(ports.store, messageId)],
    ports,
    'agent',
  );
  if (!envelope) throw new Error('one row makes one envelope');
  return envelope;
}

/** A page of a channel for the operator, with who has read what. */
export async function conversation(
  ports: InboxPorts,
  request: Parameters<typeof conversationPage>[1],
): Promise<{ messages: ConversationMessage[]; next_before: string | null }> {
  await findChannel(ports, request.channelId);
  const { rows, more } = await conversationPage(ports.store, request);
  const envelopes = await envelopesOf(ports.store.db, rows, ports, 'operator');
  const readers = await readersOf(
    ports.store,
    envelopes.map((envelope) => envelope.id),
  );
  const time = (microseconds: number | null | undefined) =>
    microseconds === null || microseconds === undefined ? null : formatMicroseconds(microseconds);
  return {
    messages: envelopes.map((envelope, index) => ({
      ...envelope,
      edited_at: time(rows[index]?.edited_us),
      deleted_at: time(rows[index]?.deleted_us),
      read_by: readers.get(envelope.id) ?? [],
    })),
    next_before: more ? (rows[0]?.message_id ?? null) : null,
  };
}
