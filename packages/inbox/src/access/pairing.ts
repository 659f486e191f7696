import { formatMicroseconds, type Random } from '@postern/kit';
import { enqueue } from '@postern/store';
import { fail } from '../errors.ts';
import { lastReceiveTime } from '../messages/receive-time.ts';
import { FEED_CHANNEL, type InboxPorts, type InboxTransaction } from '../ports.ts';
import { type Allowed, allowWithin } from './allowlist.ts';

/** Digits and capitals without 0, O, 1, I, L and U, so that a code survives being read out. */
const ALPHABET = '23456789ABCDEFGHJKMNPQRSTVWXYZ';
const CODE_LENGTH = 8;
const LIFETIME_US = 3_600 * 1_000_000;
const MOST_PENDING = 3;
const MOST_REPLIES = 2;

export const PAIRING_TOPIC = 'inbox_pairing';

export interface PairingReply {
  readonly source: string;
  readonly channelId: string;
  readonly text: string;
}

/** A code of the pairing alphabet; rejection sampling keeps every character equally likely. */
export function pairingCode(random: Random): string {
  const usable = 256 - (256 % ALPHABET.length);
  let code = '';
  while (code.length < CODE_LENGTH) {
    for (const byte of random.bytes(CODE_LENGTH)) {
      if (byte < usable && code.length < CODE_LENGTH) code += ALPHABET[byte % ALPHABET.length];
    }
  }
  return code;
}

/**
 * Answers a stranger's direct message with a one-time code, when pairing is on and neither the limit of
 * pending codes nor that of replies to one sender is reached. The reply leaves from the outbox, so it is
 * neither lost nor sent for a message that was not stored.
 */
export async function offerPairing(
  tx: InboxTransaction,
  ports: InboxPorts,
  stranger: {
    source: string;
    senderId: string;
    displayName: string;
    channelId: string;
    channelType: 'dm' | 'group';
  },
): Promise<void> {
  if (ports.config.pairing === 'off' || stranger.channelType !== 'dm') return;
  const now = ports.clock.nowMicroseconds();
  await tx.deleteFrom('inbox_pairings').where('expires_us', '<=', now).execute();
  const known = await tx
    .updateTable('inbox_pairings')
    .set((update) => ({ replies: update('replies', '+', 1) }))
    .where('source', '=', stranger.source)
    .where('sender_id', '=', stranger.senderId)
    .returning(['code', 'replies'])
    .executeTakeFirst();
  if (known) {
    if (known.replies <= MOST_REPLIES) await replyWith(tx, stranger, known.code);
    return;
  }
  const pending = await tx
    .selectFrom('inbox_pairings')
    .select((count) => count.fn.countAll<number>().as('total'))
    .where('source', '=', stranger.source)
    .executeTakeFirstOrThrow();
  if (pending.total >= MOST_PENDING) return;
  const code = pairingCode(ports.random);
  await tx
    .insertInto('inbox_pairings')
    .values({
      code,
      source: stranger.source,
      sender_id: stranger.senderId,
      display_name: stranger.displayName,
      channel_id: stranger.channelId,
      replies: 1,
      created_us: now,
      expires_us: now + LIFETIME_US,
    })
    .execute();
  await replyWith(tx, stranger, code);
}

async function replyWith(
  tx: InboxTransaction,
  stranger: { source: string; channelId: string },
  code: string,
): Promise<void> {
  const reply: PairingReply = {
    source: stranger.source,
    channelId: stranger.channelId,
    text: `Messages here reach an assistant only after its operator lets you in. Give the operator this code: ${code} (good for one hour).`,
  };
  await enqueue(tx, { topic: PAIRING_TOPIC, payload: JSON.stringify(reply) });
}

export interface Pairing {
  readonly code: string;
  readonly source: string;
  readonly sender_id: string;
  readonly display_name: string;
  readonly created_at: string;
  readonly expires_at: string;
}

/** Codes that can still be approved, oldest first. */
export async function listPairings(ports: Pick<InboxPorts, 'store' | 'clock'>): Promise<Pairing[]> {
  const rows = await ports.store.db
    .selectFrom('inbox_pairings')
    .selectAll()
    .where('expires_us', '>', ports.clock.nowMicroseconds())
    .orderBy('created_us')
    .execute();
  return rows.map((row) => ({
    code: row.code,
    source: row.source,
    sender_id: row.sender_id,
    display_name: row.display_name,
    created_at: formatMicroseconds(row.created_us),
    expires_at: formatMicroseconds(row.expires_us),
  }));
}

/**
 * Lets the sender of a code in and releases what waits in quarantine from him. The code is spent.
 *
 * @throws Failure NOT_FOUND when the code is unknown, spent or older than an hour.
 */
export async function approvePairing(ports: InboxPorts, code: string, actor: string): Promise<Allowed> {
  const result = await ports.store.transaction(async (tx) => {
    // First the clock, as in the sink, which makes codes under its lock.
    await lastReceiveTime(tx);
    const pairing = await tx
      .deleteFrom('inbox_pairings')
      .where('code', '=', code.toUpperCase())
      .where('expires_us', '>', ports.clock.nowMicroseconds())
      .returningAll()
      .executeTakeFirst();
    if (!pairing)
      throw fail(
        'NOT_FOUND',
        'No such pairing code is pending; it may have been used or be older than an hour.',
      );
    return allowWithin(tx, ports, {
      source: pairing.source,
      senderId: pairing.sender_id,
      displayName: pairing.display_name,
      release: true,
      actor,
    });
  });
  if (result.released_count > 0) ports.store.notify(FEED_CHANNEL);
  return result;
}
