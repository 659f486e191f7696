import { asRecord } from '../api/http.ts';
import { storedValue } from '../lib/storage.ts';
import type { OutgoingFile } from './outbox.ts';

/** What someone began to write stays where it was begun, over channel changes and reloads. */

export interface Draft {
  readonly text: string;
  /** Kept while the page is open; a browser can't store them for longer. */
  readonly files: readonly OutgoingFile[];
  readonly replyTo: string | null;
}

const EMPTY: Draft = { text: '', files: [], replyTo: null };

const texts = storedValue<Readonly<Record<string, string>>>('drafts', (found) =>
  Object.fromEntries(
    Object.entries(asRecord(found)).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  ),
);

const rest = new Map<string, Omit<Draft, 'text'>>();

export function draftKey(channelId: string, threadId: string | null): string {
  return threadId === null ? channelId : `${channelId} ${threadId}`;
}

export function readDraft(key: string): Draft {
  return { ...EMPTY, ...rest.get(key), text: texts.read()[key] ?? '' };
}

export function writeDraft(key: string, draft: Draft): void {
  if (draft.files.length === 0 && draft.replyTo === null) rest.delete(key);
  else rest.set(key, { files: draft.files, replyTo: draft.replyTo });
  // Last, since it tells whoever shows the draft.
  const { [key]: _, ...others } = texts.read();
  texts.write(draft.text === '' ? others : { ...others, [key]: draft.text });
}

/** True when a channel, a thread of it aside, has words waiting to be sent. */
export function hasDraft(channelId: string): boolean {
  return (texts.read()[draftKey(channelId, null)] ?? '').trim() !== '';
}

export const draftTexts = texts;
