import type {
  Agent,
  AgentToken,
  AllowlistEntry,
  Delivery,
  Envelope,
  InboxChannel,
  Pairing,
  StoredMessage,
} from '../../src/api/inbox.ts';
import { type FakeRoute, idMaker, noContent, ok, Refusal, route, textField } from './http.ts';

/** The inbox's operator routes in memory. */
export interface FakeInboxState {
  channels: InboxChannel[];
  /** Oldest first. */
  messages: StoredMessage[];
  /** Newest first. */
  quarantine: Envelope[];
  allowlist: AllowlistEntry[];
  pairings: Pairing[];
  agents: Agent[];
  tokens: AgentToken[];
  deliveries: Delivery[];
}

export function emptyInbox(): FakeInboxState {
  return {
    channels: [],
    messages: [],
    quarantine: [],
    allowlist: [],
    pairings: [],
    agents: [],
    tokens: [],
    deliveries: [],
  };
}

export function createFakeInbox() {
  const state = emptyInbox();
  const newId = idMaker();

  function release(message: Envelope): void {
    state.quarantine = state.quarantine.filter(({ id }) => id !== message.id);
    state.messages.push({ ...message, edited_at: null, deleted_at: null, read_by: [] });
    for (const [index, agent] of state.agents.entries()) {
      state.agents[index] = { ...agent, unread_count: agent.unread_count + 1 };
    }
  }

  function releaseOf(source: string, senderId: string): number {
    const held = state.quarantine.filter(
      (message) => message.source === source && message.sender.id === senderId,
    );
    for (const message of held) release(message);
    return held.length;
  }

  function allow(source: string, senderId: string, names: Readonly<Record<string, unknown>>): AllowlistEntry {
    const known = state.allowlist.find((entry) => entry.source === source && entry.sender_id === senderId);
    const nameIn = (field: 'display_name' | 'person_id') => {
      const value = names[field];
      return value === undefined ? (known?.[field] ?? null) : (value as string | null);
    };
    const entry = {
      source,
      sender_id: senderId,
      display_name: nameIn('display_name'),
      person_id: nameIn('person_id'),
      created_at: known?.created_at ?? new Date().toISOString(),
    };
    state.allowlist = [...state.allowlist.filter((one) => one !== known), entry];
    return entry;
  }

  const found = <T>(value: T | undefined, code: string, what: string): T => {
    if (value === undefined) throw new Refusal(404, code, `${what} does not exist.`);
    return value;
  };

  /** A page of a list that is newest first. */
  function before<T extends { readonly id: string }>(
    list: readonly T[],
    id: string | null,
    limit: number,
  ): T[] {
    const from = id === null ? 0 : list.findIndex((item) => item.id === id) + 1;
    return list.slice(from, from + limit);
  }

  const limitOf = (query: URLSearchParams) => Number(query.get('limit') ?? 50);

  const routes: readonly FakeRoute[] = [
    route('GET', '/channels', {}, () => ok({ channels: state.channels })),
    route('PUT', '/channels/:id', { body: ['allow_mass_mentions'] }, ({ body }, [id]) => {
      const index = state.channels.findIndex((channel) => channel.channel_id === id);
      const channel = found(state.channels[index], 'channel_not_found', 'The channel');
      const changed = { ...channel, allow_mass_mentions: body.allow_mass_mentions === true };
      state.channels[index] = changed;
      return ok(changed);
    }),
    route('GET', '/channels/:id/messages', { query: ['before', 'limit'] }, ({ query }, [id]) => {
      const limit = limitOf(query);
      const newestFirst = state.messages.filter((message) => message.channel_id === id).toReversed();
      const page = before(newestFirst, query.get('before'), limit);
      const more = newestFirst.at(-1)?.id !== page.at(-1)?.id;
      return ok({ messages: page.toReversed(), next_before: more ? (page.at(-1)?.id ?? null) : null });
    }),
    route('GET', '/agents', {}, () => ok({ agents: state.agents })),
    route('GET', '/agents/tokens', {}, () => ok({ tokens: state.tokens })),
    route('POST', '/agents/tokens', { body: ['agent_id', 'scopes', 'name'] }, ({ body }) => {
      const agentId = textField(body, 'agent_id');
      const token: AgentToken = {
        token_id: newId('tok'),
        name: typeof body.name === 'string' ? body.name : agentId,
        agent_id: agentId,
        scopes: body.scopes as AgentToken['scopes'],
        created_at: new Date().toISOString(),
        last_used_at: null,
      };
      state.tokens = [...state.tokens, token];
      return ok({ ...token, token: 'pat_5nVd3uKq0cXbE7hTzW9yRmL2sJfA8gPo' }, 201);
    }),
    route('DELETE', '/agents/tokens/:id', {}, (_request, [id]) => {
      found(
        state.tokens.find((token) => token.token_id === id),
        'not_found',
        'The token',
      );
      state.tokens = state.tokens.filter((token) => token.token_id !== id);
      return noContent;
    }),
    route('GET', '/messages/quarantine', { query: ['before', 'limit'] }, ({ query }) =>
      ok({ messages: before(state.quarantine, query.get('before'), limitOf(query)) }),
    ),
    route('POST', '/messages/quarantine/:id/release', {}, (_request, [id]) => {
      const message = found(
        state.quarantine.find((candidate) => candidate.id === id),
        'message_not_found',
        'The message',
      );
      release(message);
      return ok({ message });
    }),
    route('GET', '/allowlist', {}, () => ok({ entries: state.allowlist })),
    route(
      'PUT',
      '/allowlist/:source/:id',
      { query: ['release'], body: ['display_name', 'person_id'] },
      ({ query, body }, [source = '', id = '']) => {
        const entry = allow(source, id, body);
        return ok({ entry, released_count: query.get('release') === 'true' ? releaseOf(source, id) : 0 });
      },
    ),
    route('DELETE', '/allowlist/:source/:id', {}, (_request, [source, id]) => {
      state.allowlist = state.allowlist.filter((entry) => entry.source !== source || entry.sender_id !== id);
      return noContent;
    }),
    route('GET', '/pairings', {}, () => ok({ pairings: state.pairings })),
    route('POST', '/pairings/:code/approve', {}, (_request, [code]) => {
      const pairing = found(
        state.pairings.find((candidate) => candidate.code === code),
        'not_found',
        'The pairing',
      );
      state.pairings = state.pairings.filter((candidate) => candidate !== pairing);
      const entry = allow(pairing.source, pairing.sender_id, { display_name: pairing.display_name });
      return ok({ entry, released_count: releaseOf(pairing.source, pairing.sender_id) });
    }),
    route('GET', '/webhooks/deliveries', { query: ['state', 'limit', 'cursor'] }, ({ query }) => {
      const wanted = query.get('state') ?? 'dead';
      return ok({
        deliveries: state.deliveries.filter((delivery) => delivery.state === wanted),
        next_cursor: null,
      });
    }),
    route('POST', '/webhooks/deliveries/:id/replay', {}, (_request, [id]) => {
      const index = state.deliveries.findIndex((delivery) => delivery.id === id);
      const delivery = found(state.deliveries[index], 'not_found', 'The delivery');
      const replayed: Delivery = { ...delivery, state: 'pending', next_attempt_at: new Date().toISOString() };
      state.deliveries[index] = replayed;
      return ok({ delivery: replayed });
    }),
  ];

  return { routes, state };
}

export type FakeInbox = ReturnType<typeof createFakeInbox>;
