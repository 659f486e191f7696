import type { TestHub } from './hub.ts';

/** People in local chat, and what agents and people see of them. */

export interface Envelope {
  readonly id: string;
  readonly channel_id: string;
  readonly sender: { readonly id: string; readonly display_name: string };
  readonly text: string;
  readonly reply_to: string | null;
  readonly direction: 'inbound' | 'outbound';
}

export interface ChatMessage {
  readonly id: string;
  readonly user: { readonly id: string; readonly name: string };
  readonly text: string;
  readonly reply_to: string | null;
}

export interface Person {
  readonly id: string;
  readonly name: string;
}

export async function allow(hub: TestHub, person: Person): Promise<void> {
  await hub.admin('PUT', `/allowlist/local/${person.id}`, { display_name: person.name });
}

/** Posts into `local:<channel>`, made when there is none, and waits until the inbox has the message. */
export async function post(
  hub: TestHub,
  channel: string,
  person: Person,
  text: string,
): Promise<{ readonly chat: ChatMessage; readonly envelope: Envelope }> {
  await hub.admin('POST', '/local/api/channels', { name: channel, type: 'group' });
  const chat = await hub.admin<ChatMessage>('POST', '/local/api/messages', {
    channel_id: `local:${channel}`,
    user: person,
    text,
  });
  return { chat, envelope: await arrival(hub, channel, text) };
}

/** Everything said in a channel, oldest first, as people see it. */
export async function saidIn(hub: TestHub, channel: string): Promise<ChatMessage[]> {
  const path = `/local/api/messages?channel_id=local:${channel}&limit=200`;
  return (await hub.admin<{ data: ChatMessage[] }>('GET', path)).data;
}

export async function unreadOf(hub: TestHub, agentId: string, channel: string): Promise<Envelope[]> {
  const path = `/messages/unread?limit=100&channel_id=local:${channel}`;
  return (await hub.agent<{ messages: Envelope[] }>(agentId, 'GET', path)).messages;
}

const ARRIVAL_SECONDS = 20;

/** An agent that never marks anything read waits for it. */
async function arrival(hub: TestHub, channel: string, text: string): Promise<Envelope> {
  let since = '';
  const deadline = performance.now() + ARRIVAL_SECONDS * 1_000;
  while (performance.now() < deadline) {
    const path = `/messages/unread?wait=${ARRIVAL_SECONDS}&limit=100&channel_id=local:${channel}${since}`;
    const page = await hub.agent<{ messages: Envelope[]; next_since: string }>('lookout', 'GET', path);
    const found = page.messages.find((message) => message.text === text);
    if (found) return found;
    since = `&since=${page.next_since}`;
  }
  throw new Error(`"${text}" did not reach the inbox in ${ARRIVAL_SECONDS} s: ${hub.output()}`);
}
