import type { LocalMessage } from '../src/api/local.ts';

let last = 0;

/** A message of the local chat, with only what matters to a test given. */
export function message(fields: Partial<LocalMessage> = {}): LocalMessage {
  last += 1;
  const id = `post_${String(last).padStart(26, '0')}`;
  return {
    id,
    channel_id: 'local:general',
    thread_id: null,
    user: { id: 'anna', name: 'Anna' },
    text: 'hello',
    reply_to: null,
    attachments: [],
    reactions: [],
    created_at: new Date(Date.UTC(2026, 3, 25, 12, 0, last)).toISOString(),
    edited_at: null,
    deleted_at: null,
    permalink: `http://127.0.0.1/chat/general/${id}`,
    ...fields,
  };
}
