import type { Clock } from '@postern/kit';
import { z } from 'zod';
import { type ChannelInfo, type Person, PlatformError } from '../platform.ts';
import { remembered } from '../remembered.ts';
import { isMattermostId } from './address.ts';
import { type MattermostApi, Refusal } from './api.ts';
import { type WireChannel, wireChannel, wireMember, wireUser } from './wire.ts';

/** Who and what there is on the server. People may be renamed, so nothing is kept for long. */
export interface Directory {
  self(signal?: AbortSignal): Promise<Person>;
  person(id: string): Promise<Person | null>;
  /** By a name without `@`, in any case. */
  personNamed(name: string): Promise<Person | null>;
  findPerson(text: string): Promise<Person | null>;
  /** Null where there is none, or the bot may not see it. */
  wireChannel(id: string): Promise<WireChannel | null>;
  channel(id: string): Promise<ChannelInfo | null>;
  isMember(channelId: string, personId: string): Promise<boolean>;
  directChannel(personId: string): Promise<string>;
}

const KEEP_MS = 5 * 60_000;
const MOST_KEPT = 2_000;
/** The server gives no larger pages. */
const PAGE = 200;
const MOST_MEMBER_PAGES = 5_000;
const USERNAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;
/** The server's own words for someone who is in no such channel; another 404 may be a route it does not have. */
const NO_MEMBER = /channel_member|get_member|missing/;

export function directory(api: MattermostApi, clock: Clock): Directory {
  let self: Promise<Person> | null = null;
  const people = remembered({
    clock,
    most: MOST_KEPT,
    forMs: KEEP_MS,
    load: (id) => orNull(api.call({ name: 'read who someone is', path: `/users/${id}`, schema: wireUser })),
  });
  const names = remembered({
    clock,
    most: MOST_KEPT,
    forMs: KEEP_MS,
    load: (name) =>
      orNull(api.call({ name: 'find someone', path: `/users/username/${name}`, schema: wireUser })),
  });
  const channels = remembered({
    clock,
    most: MOST_KEPT,
    forMs: KEEP_MS,
    load: (id) => orNull(api.call({ name: 'read a channel', path: `/channels/${id}`, schema: wireChannel })),
  });

  const asPerson = (user: z.infer<typeof wireUser>): Person => ({
    id: user.id,
    name: user.username,
    isBot: user.is_bot ?? false,
  });

  function whoAmI(signal?: AbortSignal): Promise<Person> {
    const asked = api
      .call({ name: 'read who the bot is', path: '/users/me', schema: wireUser, signal })
      .then(asPerson);
    self = asked;
    asked.catch(() => {
      if (self === asked) self = null;
    });
    return asked;
  }

  async function personNamed(name: string): Promise<Person | null> {
    const lower = name.toLowerCase();
    if (!USERNAME.test(lower)) return null;
    const user = await names.get(lower);
    return user === null ? null : asPerson(user);
  }

  async function isMember(channelId: string, personId: string): Promise<boolean> {
    if (!isMattermostId(channelId) || !isMattermostId(personId)) return false;
    try {
      const path = `/channels/${channelId}/members/${personId}`;
      await api.call({ name: 'read a member', path, schema: wireMember });
      return true;
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'not_found') throw error;
      if (NO_MEMBER.test(error.id)) return false;
      return isListed(channelId, personId);
    }
  }

  async function isListed(channelId: string, personId: string): Promise<boolean> {
    const seen = new Set<string>();
    for (let page = 0; page < MOST_MEMBER_PAGES; page += 1) {
      const members = await api.call({
        name: 'read the members of a channel',
        path: `/channels/${channelId}/members`,
        query: { page, per_page: PAGE },
        schema: z.array(wireMember),
      });
      const before = seen.size;
      for (const { user_id } of members) seen.add(user_id);
      if (seen.has(personId)) return true;
      // A shorter page need not be the last one: servers may give smaller pages than were asked for.
      if (seen.size === before) return false;
    }
    return false;
  }

  return {
    self: (signal) => (signal === undefined && self !== null ? self : whoAmI(signal)),
    async person(id) {
      if (!isMattermostId(id)) return null;
      const user = await people.get(id);
      return user === null ? null : asPerson(user);
    },
    personNamed,
    async findPerson(given) {
      const text = given.trim().replace(/^@/, '');
      // An id first: nobody may take another's id for a name.
      const byId = isMattermostId(text) ? await people.get(text) : null;
      if (byId !== null) return (byId.delete_at ?? 0) > 0 ? null : asPerson(byId);
      const lower = text.toLowerCase();
      const named = USERNAME.test(lower) ? await names.get(lower) : null;
      return named === null || (named.delete_at ?? 0) > 0 ? null : asPerson(named);
    },
    wireChannel: (id) => (isMattermostId(id) ? channels.get(id) : Promise.resolve(null)),
    async channel(id) {
      if (!isMattermostId(id)) return null;
      const found = await channels.get(id);
      if (found === null) return null;
      const { id: selfId } = await (self ?? whoAmI());
      return {
        id: found.id,
        name: found.display_name || found.name,
        visibility: found.type === 'O' ? 'public' : found.type === 'D' ? 'direct' : 'private',
        isBotMember: await isMember(id, selfId).catch((error: unknown) => {
          if (error instanceof PlatformError && error.code === 'unauthorized') return false;
          throw error;
        }),
      };
    },
    isMember,
    async directChannel(personId) {
      if (!isMattermostId(personId)) throw new PlatformError('not_found', 'there is no such person');
      const { id: selfId } = await (self ?? whoAmI());
      const channel = await api.call({
        name: 'open a direct conversation',
        method: 'POST',
        path: '/channels/direct',
        json: [selfId, personId],
        schema: wireChannel,
      });
      return channel.id;
    },
  };
}

/** Null for what is not there, or not for the bot's eyes, or what the server does not take for the name of anything. */
export async function orNull<Value>(asked: Promise<Value>): Promise<Value | null> {
  try {
    return await asked;
  } catch (error) {
    // 401 is the token, of which nobody may make "not there".
    if (error instanceof Refusal && [400, 403, 404].includes(error.status)) return null;
    throw error;
  }
}
