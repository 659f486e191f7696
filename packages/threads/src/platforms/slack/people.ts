import { type Clock, sanitizeName } from '@postern/kit';
import type { Person } from '../platform.ts';
import { remembered } from '../remembered.ts';
import type { SlackApi } from './api.ts';
import { orNull } from './errors.ts';
import { pages } from './paging.ts';
import { authAnswer, memberPage, userAnswer, userPage, type WireUser } from './shapes.ts';

export interface SlackSelf {
  readonly person: Person;
  /** Of the bot within the app, `B…`; on its posts beside the id. */
  readonly botId: string | null;
  readonly teamId: string;
  /** The workspace's address, such as `https://example.slack.com/`. */
  readonly teamUrl: string;
}

export interface Directory {
  self(signal?: AbortSignal): Promise<SlackSelf>;
  /** As soon as it was asked for once; null before. */
  knownSelf(): SlackSelf | null;
  person(personId: string): Promise<Person | null>;
  findPerson(text: string): Promise<Person | null>;
  isMember(channelId: string, personId: string): Promise<boolean>;
}

const MOST_PEOPLE = 5_000;
const KEEP_PERSON_MS = 60 * 60_000;
const KEEP_LIST_MS = 5 * 60_000;
const PAGE = 200;
/** More people than this are not searched for a name. */
const MOST_LISTED = 50_000;
/** Slackbot is none by its own profile. */
const SLACKBOT = 'USLACKBOT';

export function directory(api: SlackApi, clock: Clock): Directory {
  let known: SlackSelf | null = null;
  const selves = remembered<SlackSelf>({
    ...{ clock, most: 1, forMs: Number.POSITIVE_INFINITY },
    async load() {
      const answer = await api.call({ method: 'auth.test', schema: authAnswer });
      known = {
        person: { id: answer.user_id, name: sanitizeName(answer.user, answer.user_id), isBot: true },
        botId: answer.bot_id ?? null,
        teamId: answer.team_id,
        teamUrl: answer.url,
      };
      return known;
    },
  });
  const people = remembered<Person | null>({
    ...{ clock, most: MOST_PEOPLE, forMs: KEEP_PERSON_MS },
    load: async (user) => {
      const answer = await orNull(api.call({ method: 'users.info', args: { user }, schema: userAnswer }));
      return answer === null ? null : personOf(answer.user);
    },
  });
  const lists = remembered<readonly WireUser[]>({
    ...{ clock, most: 1, forMs: KEEP_LIST_MS },
    async load() {
      const users: WireUser[] = [];
      const all = pages((cursor) =>
        api.call({
          method: 'users.list',
          args: { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) },
          schema: userPage,
        }),
      );
      for await (const { members } of all) {
        users.push(...members.filter(({ deleted }) => deleted !== true));
        if (users.length > MOST_LISTED) break;
      }
      return users;
    },
  });

  async function person(personId: string): Promise<Person | null> {
    if (!/^[UWB][A-Z0-9]+$/.test(personId)) return null;
    if (known !== null && personId === known.person.id) return known.person;
    return personId.startsWith('B') ? null : people.get(personId);
  }

  return {
    self: () => selves.get('self'),
    knownSelf: () => known,
    person,
    async findPerson(text) {
      const trimmed = text.trim();
      const id =
        /^<@([UW][A-Z0-9]+)(?:\|[^>]*)?>$/.exec(trimmed)?.[1] ?? /^@?([UW][A-Z0-9]{2,})$/.exec(trimmed)?.[1];
      const byId = id === undefined ? null : await person(id);
      if (byId !== null) return byId;
      const name = trimmed.replace(/^@/, '').toLowerCase();
      if (name === '') return null;
      const self = await selves.get('self');
      if (name === self.person.name.toLowerCase()) return self.person;
      const found = bestOf(await lists.get('all'), name);
      return found === null ? null : personOf(found);
    },
    async isMember(channelId, personId) {
      const all = pages((cursor) =>
        api.call({
          method: 'conversations.members',
          args: { channel: channelId, limit: PAGE, ...(cursor === undefined ? {} : { cursor }) },
          schema: memberPage,
        }),
      );
      for await (const { members } of all) if (members.includes(personId)) return true;
      return false;
    },
  };
}

/** By user name, which is unique; else by a display or full name that only one has. */
function bestOf(users: readonly WireUser[], name: string): WireUser | null {
  const byUserName = users.find((user) => user.name?.toLowerCase() === name);
  if (byUserName !== undefined) return byUserName;
  const shown = (user: WireUser) => [user.profile?.display_name, user.profile?.real_name];
  const found = users.filter((user) => shown(user).some((each) => each?.toLowerCase() === name));
  return found.length === 1 ? (found[0] ?? null) : null;
}

function personOf(user: WireUser): Person {
  const name = user.profile?.display_name || user.name || user.id;
  return {
    id: user.id,
    name: sanitizeName(name, user.id),
    isBot: user.is_bot === true || user.id === SLACKBOT,
  };
}
