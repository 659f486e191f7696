import type { Selectable } from 'kysely';
import type { InboundAttachments } from '../attachments/inbound.ts';
import { attachStaged, type StagedAttachment } from '../attachments/staged.ts';
import type { InboundEvent, PendingAttachment } from '../connectors/connector.ts';
import type { InboxTransaction } from '../ports.ts';
import type { MessageTable } from '../tables.ts';

/** Files that a platform announces with a message and hands over later. The message's `raw` says which are awaited. */

/** Field of `raw` that says which attachments were left out. */
const MISSING = 'missing_attachments';
/** Field of `raw` that says which attachments are still to come. */
const PENDING = 'pending_attachments';

type Message = Selectable<MessageTable>;
type Discarded = Pick<StagedAttachment, 'attachmentId'>;

interface PendingNote {
  readonly key: string;
  readonly name: string;
  readonly size_bytes: number;
}

/** What `raw` says of attachments that are not there. */
export function absentAttachments(
  missing: InboundAttachments['missing'],
  pending: readonly PendingAttachment[] = [],
): Record<string, unknown> {
  const notes = pending.map(({ key, name, sizeBytes }) => ({ key, name, size_bytes: sizeBytes }));
  return {
    ...(missing.length > 0 ? { [MISSING]: missing } : {}),
    ...(notes.length > 0 ? { [PENDING]: notes } : {}),
  };
}

/**
 * The same notes of a stored message, for a new `raw` that takes the place of the old.
 *
 * @param keys of the files that the message still has, where the platform has said.
 */
export function absentAttachmentsIn(
  raw: string,
  keys: readonly string[] | undefined,
): Record<string, unknown> {
  const { [MISSING]: noted = [], [PENDING]: pending } = JSON.parse(raw);
  const missing = (noted as InboundAttachments['missing']).filter(
    ({ key }) => key === undefined || keys === undefined || keys.includes(key),
  );
  return {
    ...(missing.length > 0 ? { [MISSING]: missing } : {}),
    ...(pending === undefined ? {} : { [PENDING]: pending }),
  };
}

/** Whether a message waits for the attachment of a key. */
export function isAwaited(message: Pick<Message, 'raw'>, key: string): boolean {
  return notesIn(message.raw).some((note) => note.key === key);
}

/**
 * Gives a message an attachment that it waited for, or notes that it will not come. What it does not wait for, or
 * no longer, is passed over, so that the event may be handed in again.
 *
 * @returns the message as it is now, null where nothing changed; and what is to be discarded after the commit.
 */
export async function storeLateAttachment(
  tx: InboxTransaction,
  message: Message,
  event: Extract<InboundEvent, { kind: 'attachment' }>,
  fetched: InboundAttachments,
): Promise<{ message: Message | null; discarded: readonly Discarded[] }> {
  const { key } = event;
  const note = notesIn(message.raw).find((pending) => pending.key === key);
  if (!note) return { message: null, discarded: fetched.kept };
  const gone = { name: note.name, size_bytes: note.size_bytes, missing: 'the platform did not receive it' };
  const missing = event.attachment === null ? [gone] : fetched.missing;
  const { [MISSING]: alreadyMissing = [], [PENDING]: _awaited, ...rest } = JSON.parse(message.raw);
  const stillAwaited = notesIn(message.raw).filter((pending) => pending.key !== key);
  const allMissing = [...alreadyMissing, ...missing];
  const changes = {
    raw: JSON.stringify({
      ...rest,
      ...(allMissing.length > 0 ? { [MISSING]: allMissing } : {}),
      ...(stillAwaited.length > 0 ? { [PENDING]: stillAwaited } : {}),
    }),
  };
  await tx.updateTable('inbox_messages').set(changes).where('message_id', '=', message.message_id).execute();
  const { count } = await tx
    .selectFrom('inbox_attachments')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('message_id', '=', message.message_id)
    .executeTakeFirstOrThrow();
  await attachStaged(tx, message.message_id, fetched.kept, Number(count));
  return { message: { ...message, ...changes }, discarded: [] };
}

function notesIn(raw: string): PendingNote[] {
  const { [PENDING]: pending = [] } = JSON.parse(raw);
  return pending;
}
