import { request } from './http.ts';

/** The inbox's operator routes, for which a console session counts as the admin key. */

export interface EnvelopeAttachment {
  readonly id: string;
  readonly url: string;
  readonly mime: string;
  readonly size_bytes: number;
}

export interface Sender {
  /** Given by the platform; never changes, unlike the name. */
  readonly id: string;
  readonly display_name: string;
  readonly person_id: string | null;
}

export interface Envelope {
  readonly id: string;
  readonly source: string;
  readonly channel_id: string;
  readonly channel_type: 'dm' | 'group';
  readonly sender: Sender;
  readonly text: string;
  readonly attachments: readonly EnvelopeAttachment[];
  readonly reply_to: string | null;
  readonly timestamp: string;
  readonly direction: 'inbound' | 'outbound';
  /** As the platform had it; nothing in it is certain. */
  readonly raw: Readonly<Record<string, unknown>>;
}

export interface InboxChannel {
  readonly channel_id: string;
  readonly source: string;
  readonly channel_type: 'dm' | 'group';
  readonly name: string | null;
  readonly allow_mass_mentions: boolean;
  readonly message_count: number;
  readonly last_message_at: string | null;
}

export interface StoredMessage extends Envelope {
  readonly edited_at: string | null;
  readonly deleted_at: string | null;
  readonly read_by: readonly { readonly agent_id: string; readonly read_at: string }[];
}

export interface StoredPage {
  /** Oldest first. */
  readonly messages: readonly StoredMessage[];
  readonly next_before: string | null;
}

export interface Agent {
  readonly agent_id: string;
  readonly first_seen_at: string;
  readonly last_read_at: string | null;
  readonly read_count: number;
  readonly unread_count: number;
}

export type Scope = 'read' | 'send';

export interface AgentToken {
  readonly token_id: string;
  readonly name: string | null;
  readonly agent_id: string;
  readonly scopes: readonly Scope[];
  readonly created_at: string;
  readonly last_used_at: string | null;
}

/** The secret is in this one answer and nowhere else. */
export interface CreatedToken extends AgentToken {
  readonly token: string;
}

export interface NewToken {
  readonly agent_id: string;
  readonly scopes: readonly Scope[];
  readonly name?: string;
}

export interface AllowlistEntry {
  readonly source: string;
  readonly sender_id: string;
  readonly display_name: string | null;
  readonly person_id: string | null;
  readonly created_at: string;
}

export interface AllowlistChange {
  readonly display_name?: string | null;
  readonly person_id?: string | null;
}

export interface AllowlistAnswer {
  readonly entry: AllowlistEntry;
  readonly released_count: number;
}

export interface Pairing {
  readonly code: string;
  readonly source: string;
  readonly sender_id: string;
  readonly display_name: string;
  readonly created_at: string;
  readonly expires_at: string;
}

export type DeliveryState = 'pending' | 'done' | 'dead';

export interface Delivery {
  readonly id: string;
  readonly event: string;
  readonly url: string;
  readonly message_id: string;
  readonly channel_id: string;
  /** Who wrote the message, by name. */
  readonly sender: string;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly response_status: number | null;
  readonly last_error: string | null;
  readonly created_at: string;
  readonly next_attempt_at: string | null;
}

export interface DeliveryPage {
  readonly deliveries: readonly Delivery[];
  readonly next_cursor: string | null;
}

function allowlistPath(source: string, senderId: string): string {
  return `/allowlist/${encodeURIComponent(source)}/${encodeURIComponent(senderId)}`;
}

export const inboxApi = {
  async channels(signal?: AbortSignal): Promise<readonly InboxChannel[]> {
    return (await request<{ channels: InboxChannel[] }>('GET', '/channels', { signal })).channels;
  },

  setMassMentions: (channelId: string, allow: boolean) =>
    request<InboxChannel>('PUT', `/channels/${encodeURIComponent(channelId)}`, {
      body: { allow_mass_mentions: allow },
    }),

  messages: (channelId: string, before: string | null, limit: number, signal?: AbortSignal) =>
    request<StoredPage>('GET', `/channels/${encodeURIComponent(channelId)}/messages`, {
      query: { before: before ?? undefined, limit },
      signal,
    }),

  /** Newest first. */
  async quarantine(before: string | null, limit: number, signal?: AbortSignal): Promise<readonly Envelope[]> {
    const query = { before: before ?? undefined, limit };
    return (await request<{ messages: Envelope[] }>('GET', '/messages/quarantine', { query, signal }))
      .messages;
  },

  release: (messageId: string) =>
    request<{ message: Envelope }>('POST', `/messages/quarantine/${encodeURIComponent(messageId)}/release`),

  async allowlist(signal?: AbortSignal): Promise<readonly AllowlistEntry[]> {
    return (await request<{ entries: AllowlistEntry[] }>('GET', '/allowlist', { signal })).entries;
  },

  /** With `release`, what this sender has in quarantine becomes unread for every agent. */
  allow: (source: string, senderId: string, change: AllowlistChange, release: boolean) =>
    request<AllowlistAnswer>('PUT', allowlistPath(source, senderId), {
      body: change,
      query: { release: release ? true : undefined },
    }),

  disallow: (source: string, senderId: string) => request<void>('DELETE', allowlistPath(source, senderId)),

  async pairings(signal?: AbortSignal): Promise<readonly Pairing[]> {
    return (await request<{ pairings: Pairing[] }>('GET', '/pairings', { signal })).pairings;
  },

  approvePairing: (code: string) =>
    request<AllowlistAnswer>('POST', `/pairings/${encodeURIComponent(code)}/approve`),

  async agents(signal?: AbortSignal): Promise<readonly Agent[]> {
    return (await request<{ agents: Agent[] }>('GET', '/agents', { signal })).agents;
  },

  async tokens(signal?: AbortSignal): Promise<readonly AgentToken[]> {
    return (await request<{ tokens: AgentToken[] }>('GET', '/agents/tokens', { signal })).tokens;
  },

  createToken: (token: NewToken) => request<CreatedToken>('POST', '/agents/tokens', { body: token }),

  revokeToken: (tokenId: string) => request<void>('DELETE', `/agents/tokens/${encodeURIComponent(tokenId)}`),

  deliveries: (state: DeliveryState, cursor: string | null, limit: number, signal?: AbortSignal) =>
    request<DeliveryPage>('GET', '/webhooks/deliveries', {
      query: { state, cursor: cursor ?? undefined, limit },
      signal,
    }),

  replay: (deliveryId: string) =>
    request<{ delivery: Delivery }>('POST', `/webhooks/deliveries/${encodeURIComponent(deliveryId)}/replay`),
};
