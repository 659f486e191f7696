/** A page of unread messages as the hub answers it, of a usual length: twenty messages, about 9 kB. */
export function samplePage(): object {
  const messages = Array.from({ length: 20 }, (_, index) => ({
    id: `msg_01JZ000000${String(index).padStart(16, '0')}`,
    source: 'local',
    channel_id: 'local:team',
    channel_type: 'group',
    sender: { id: 'ana', display_name: 'Ana', person_id: null },
    text: `Message ${index}: the delivery for the second floor came without its papers, who can look?`,
    attachments: [],
    reply_to: null,
    timestamp: '2026-04-25T15:32:11.123Z',
    direction: 'inbound',
    raw: {
      id: `post_01JZ000000${String(index).padStart(16, '0')}`,
      thread_id: null,
      reply_to: null,
      user: { id: 'ana', name: 'Ana' },
    },
  }));
  return { messages, next_since: '2026-04-25T15:32:11.123456Z' };
}
