import type { Memory, MemoryChannel } from '../../src/api/memory.ts';
import { type FakeRoute, idMaker, noContent, ok, Refusal, route, textField } from './http.ts';

/** What channels remember, in memory. */
export interface FakeMemoryState {
  channels: Omit<MemoryChannel, 'count'>[];
  /** Oldest first. */
  entries: Omit<Memory, 'index'>[];
}

export function createFakeMemory() {
  const state: FakeMemoryState = { channels: [], entries: [] };
  const newId = idMaker();

  function entriesIn(platform: string | null, channel: string | null): Memory[] {
    return state.entries
      .filter(({ platform_id, channel_id }) => platform_id === platform && channel_id === channel)
      .map((entry, at) => ({ ...entry, index: at + 1 }));
  }

  function factIn(body: Readonly<Record<string, unknown>>): string {
    const text = textField(body, 'text').trim().replace(/\s+/gu, ' ');
    if (text.length > 500) throw new Refusal(422, 'validation_failed', 'It has too many characters.');
    if (state.entries.some((entry) => entry.text.toLowerCase() === text.toLowerCase()))
      throw new Refusal(409, 'conflict', 'It is remembered already.');
    return text;
  }

  const gone = () => new Refusal(404, 'not_found', 'It is not remembered any more.');
  const operator = { source: 'user' as const, author: { id: 'console:admin', name: 'admin' } };

  const routes: readonly FakeRoute[] = [
    route('GET', '/threads/api/memory/channels', {}, () =>
      ok({
        data: state.channels.map((channel) => ({
          ...channel,
          count: entriesIn(channel.platform_id, channel.channel_id).length,
        })),
      }),
    ),
    route('GET', '/threads/api/memory', { query: ['platform_id', 'channel_id'] }, ({ query }) =>
      ok({ data: entriesIn(query.get('platform_id'), query.get('channel_id')) }),
    ),
    route('POST', '/threads/api/memory', { body: ['platform_id', 'channel_id', 'text'] }, ({ body }) => {
      const entry = {
        id: newId('mem'),
        platform_id: textField(body, 'platform_id'),
        channel_id: textField(body, 'channel_id'),
        ...operator,
        session_id: null,
        text: factIn(body),
        created_at: new Date().toISOString(),
        edited_at: null,
      };
      state.entries = [...state.entries, entry];
      return ok(entriesIn(entry.platform_id, entry.channel_id).at(-1), 201);
    }),
    route('PATCH', '/threads/api/memory/:id', { body: ['text'] }, ({ body }, [id]) => {
      const before = state.entries.find((entry) => entry.id === id);
      if (before === undefined) throw gone();
      const after = { ...before, ...operator, text: factIn(body), edited_at: new Date().toISOString() };
      state.entries = state.entries.map((entry) => (entry.id === id ? after : entry));
      return ok(entriesIn(after.platform_id, after.channel_id).find((entry) => entry.id === id));
    }),
    route('DELETE', '/threads/api/memory/:id', {}, (_request, [id]) => {
      if (!state.entries.some((entry) => entry.id === id)) throw gone();
      state.entries = state.entries.filter((entry) => entry.id !== id);
      return noContent;
    }),
  ];
  return { state, routes };
}
