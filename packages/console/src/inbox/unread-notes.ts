import type { StoredMessage } from '../api/inbox.ts';

type Shown = Pick<StoredMessage, 'id' | 'direction' | 'deleted_at' | 'read_by'>;

/**
 * What to say under messages that no agent has read, by message id: once, under the last of those that follow each
 * other.
 *
 * @param messages oldest first.
 * @param isWhole whether nothing older is left to load.
 */
export function unreadNotes(messages: readonly Shown[], isWhole: boolean): ReadonlyMap<string, string> {
  const counted = messages.filter(
    ({ direction, deleted_at: gone }) => direction === 'inbound' && gone === null,
  );
  const notes = new Map<string, string>();
  let count = 0;
  for (const [index, message] of counted.entries()) {
    if (message.read_by.length > 0) {
      count = 0;
      continue;
    }
    count += 1;
    const next = counted[index + 1];
    if (next !== undefined && next.read_by.length === 0) continue;
    const isAll = count === counted.length && isWhole;
    const reachesBack = count === index + 1 && !isWhole;
    notes.set(message.id, noteFor(count, isAll, reachesBack));
  }
  return notes;
}

function noteFor(count: number, isAll: boolean, reachesBack: boolean): string {
  if (reachesBack) return 'No agent has read these messages yet';
  if (count === 1) return 'No agent has read this yet';
  return isAll ? 'No agent has read this conversation yet' : `No agent has read these ${count} messages yet`;
}
