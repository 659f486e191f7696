import type { Clock, Random } from '@postern/kit';
import { z } from 'zod';
import { segmentsBelow } from '../links.ts';
import type { LookUp, NamedChannel } from '../look-up.ts';
import { isMattermostId, serverAddress } from './address.ts';
import { mattermostApi } from './api.ts';
import { directory, orNull } from './directory.ts';
import { type WireChannel, wireChannel, wirePost, wireTeam } from './wire.ts';

export interface MattermostLookUpOptions {
  readonly url: string;
  readonly token: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds one call may take. */
  readonly deadlineMs?: number;
}

const DEADLINE_MS = 10_000;

/** @throws Error when the url is none. */
export function mattermostLookUp(options: MattermostLookUpOptions): LookUp {
  const { token, clock, random, signal, deadlineMs = DEADLINE_MS } = options;
  const address = serverAddress(options.url);
  const api = mattermostApi({ address, token, clock, random, deadlineMs });
  const people = directory(api, clock);

  async function channelsOfBot(): Promise<readonly WireChannel[]> {
    const schema = z.array(wireChannel);
    const found = await api.call({ name: 'read the channels', path: '/users/me/channels', schema, signal });
    return found.filter(({ team_id, delete_at }) => team_id !== '' && delete_at === 0);
  }

  async function named(channels: readonly WireChannel[]): Promise<NamedChannel[]> {
    const schema = z.array(wireTeam);
    const teams = await api.call({ name: 'read the teams', path: '/users/me/teams', schema, signal });
    return channels.map(({ id, name, display_name, team_id }) => ({
      id,
      name: display_name || name,
      team: teams.find((team) => team.id === team_id)?.name ?? null,
    }));
  }

  async function byId(id: string): Promise<NamedChannel[]> {
    const path = `/channels/${id}`;
    const channel = await orNull(api.call({ name: 'read the channel', path, schema: wireChannel, signal }));
    return channel === null ? [] : named([channel]);
  }

  /** Null for a text that is no link to anything on this server. */
  async function byLink(text: string): Promise<NamedChannel[] | null> {
    const [team = '', kind, name = '', ...rest] = segmentsBelow(text, address.base) ?? [];
    if (kind === 'channels' && rest.length === 0) {
      const found = await named((await channelsOfBot()).filter((channel) => channel.name === name));
      return found.filter((channel) => channel.team === team);
    }
    if (kind !== 'pl' || rest.length > 0 || !isMattermostId(name)) return null;
    const path = `/posts/${name}`;
    const post = await orNull(api.call({ name: 'read the post', path, schema: wirePost, signal }));
    return post === null ? [] : byId(post.channel_id);
  }

  return {
    self: () => people.self(signal),
    person: (text) => people.findPerson(text),
    async channels(given) {
      const text = given.trim();
      if (isMattermostId(text)) {
        const found = await byId(text);
        if (found.length > 0) return found;
      }
      const linked = await byLink(text);
      if (linked !== null) return linked;
      const wanted = text.replace(/^[#~]/, '').toLowerCase();
      const fits = ({ name, display_name }: WireChannel) =>
        [name, display_name].some((each) => each.toLowerCase() === wanted);
      return named((await channelsOfBot()).filter(fits));
    },
  };
}
