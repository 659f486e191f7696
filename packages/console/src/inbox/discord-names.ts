import type { Envelope, InboxChannel } from '../api/inbox.ts';
import type { Naming } from '../lib/markdown.ts';
import { fullTime } from '../lib/time.ts';

/**
 * Names for what Discord writes as ids. A person is called as in the conversation, else as the message's own payload
 * says; an id stands where nobody knows a name.
 *
 * @param senders names by id of who wrote in the conversation.
 */
export function discordNaming(
  message: Pick<Envelope, 'source' | 'raw'>,
  senders: ReadonlyMap<string, string>,
  channels: readonly InboxChannel[],
): Naming | undefined {
  if (message.source !== 'discord') return undefined;
  return ({ to, value }) => {
    switch (to) {
      case 'person':
        return `@${senders.get(value) ?? mentionedIn(message.raw, value) ?? value}`;
      // Discord sends ids of roles alone.
      case 'role':
        return '@role';
      case 'channel':
        return `#${channels.find((channel) => channel.channel_id === `discord:channel:${value}`)?.name ?? value}`;
      case 'emoji':
        return `:${value}:`;
      case 'time':
        return fullTime(new Date(Number(value) * 1_000).toISOString());
    }
  };
}

function mentionedIn({ mentions }: Envelope['raw'], id: string): string | null {
  const person = listOf(mentions).find((entry) => entry.id === id);
  if (person === undefined) return null;
  const [member] = listOf([person.member]);
  const names = [member?.nick, person.global_name, person.username];
  return names.find((name): name is string => typeof name === 'string' && name.trim() !== '') ?? null;
}

function listOf(value: unknown): readonly Record<string, unknown>[] {
  if (!Array.isArray(value)) return [];
  return value.filter((entry) => typeof entry === 'object' && entry !== null);
}
