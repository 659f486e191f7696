import { request } from './http.ts';

/** What channels remember, of the operator's routes of the threads service. */

export interface MemoryChannel {
  readonly platform_id: string;
  readonly channel_id: string;
  readonly count: number;
  /** Whether agents there are told of it. */
  readonly is_on: boolean;
}

export interface Memory {
  readonly id: string;
  readonly platform_id: string;
  readonly channel_id: string;
  /** Number in its channel, as `!memory forget` takes it. */
  readonly index: number;
  readonly source: 'user' | 'distilled' | 'agent';
  /** Who wrote it; for an agent's the owner of the session it comes from. */
  readonly author: { readonly id: string; readonly name: string };
  readonly session_id: string | null;
  readonly text: string;
  readonly created_at: string;
  readonly edited_at: string | null;
}

export type MemoryPlace = Pick<MemoryChannel, 'platform_id' | 'channel_id'>;

/** In characters, once spaces are folded. */
export const LONGEST_MEMORY = 500;

const BASE = '/threads/api/memory';

export const memoryApi = {
  channels: async (signal?: AbortSignal) =>
    (await request<{ readonly data: readonly MemoryChannel[] }>('GET', `${BASE}/channels`, { signal })).data,
  list: async ({ platform_id, channel_id }: MemoryPlace, signal?: AbortSignal) =>
    (
      await request<{ readonly data: readonly Memory[] }>('GET', BASE, {
        query: { platform_id, channel_id },
        signal,
      })
    ).data,
  add: ({ platform_id, channel_id }: MemoryPlace, text: string) =>
    request<Memory>('POST', BASE, { body: { platform_id, channel_id, text } }),
  edit: (id: string, text: string) =>
    request<Memory>('PATCH', `${BASE}/${encodeURIComponent(id)}`, { body: { text } }),
  forget: (id: string) => request<void>('DELETE', `${BASE}/${encodeURIComponent(id)}`),
};
