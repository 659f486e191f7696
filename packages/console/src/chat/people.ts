import { asRecord } from '../api/http.ts';
import type { LocalChannel, Person } from '../api/local.ts';
import { storedValue } from '../lib/storage.ts';

/** The inbox posts under this id; so does a threads bot that was given no other name. */
export const AGENT_ID = 'postern';

export function isAgent(person: { readonly id: string }): boolean {
  return person.id === AGENT_ID;
}

/** The name that the inbox's messages carry; a threads bot writes under what it is mentioned by. */
const INBOX_NAME = 'Postern';

/** What an agent is, in a word: both may be in a channel, under one id and one picture. */
export function agentRole({ name }: Pick<Person, 'name'>): 'agent' | 'sessions bot' {
  return name === INBOX_NAME ? 'agent' : 'sessions bot';
}

function parsePerson(found: unknown): Person | null {
  const { id, name } = asRecord(found);
  return typeof id === 'string' && id !== '' && typeof name === 'string' && name !== '' ? { id, name } : null;
}

/** Who the reader speaks as. The local chat is for trying things, so it is a choice, not an account. */
export const chosenPerson = storedValue<Person | null>('person', parsePerson);

/** Everyone the page has met, agents aside, by name. */
export function peopleOf(channels: readonly LocalChannel[], extra: Person | null): readonly Person[] {
  const byId = new Map<string, Person>();
  for (const channel of channels) {
    for (const member of channel.members) if (!isAgent(member)) byId.set(member.id, member);
  }
  if (extra !== null) byId.set(extra.id, extra);
  return [...byId.values()].sort((one, other) => one.name.localeCompare(other.name));
}

/** Whether these are direct messages of others: agents take whoever writes there for the one they are with. */
export function isOutsider(channel: LocalChannel, person: Person | null): boolean {
  if (channel.type !== 'dm' || person === null) return false;
  const people = channel.members.filter((member) => !isAgent(member));
  return people.length > 0 && people.every(({ id }) => id !== person.id);
}

/** What a channel is called in lists: a direct message has the name of whom it is with. */
export function channelTitle(channel: LocalChannel, me: string | null): string {
  if (channel.type !== 'dm') return channel.name;
  const others = channel.members.filter((member) => member.id !== me && !isAgent(member));
  if (others.length > 0) return others.map((member) => member.name).join(', ');
  return channel.members.some((member) => member.id === me) ? 'Postern' : channel.name;
}
