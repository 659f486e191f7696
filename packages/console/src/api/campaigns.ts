import { request, requestBytes } from './http.ts';

/** Resources of the campaigns, as the contract names them. */

export interface Page<T> {
  readonly data: readonly T[];
  readonly next_cursor: string | null;
}

interface Made {
  readonly id: string;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface Sender {
  readonly name: string | null;
  readonly email: string;
}

export interface Project extends Made {
  readonly name: string;
  readonly slug: string;
  readonly sender_address: string | null;
  readonly deleted_at: string | null;
}

export const subscriberStatuses = [
  'subscribed',
  'unconfirmed',
  'unsubscribed',
  'bounced',
  'complained',
] as const;

export type SubscriberStatus = (typeof subscriberStatuses)[number] | 'erased';

export interface MailList extends Made {
  readonly project_id: string;
  readonly name: string;
  readonly description: string | null;
  readonly opt_in: 'single' | 'double';
  readonly from: Sender | null;
  readonly public: boolean;
  readonly counts: Readonly<Record<(typeof subscriberStatuses)[number], number>>;
  readonly deleted_at: string | null;
}

export type ListFields = Pick<MailList, 'name' | 'description' | 'opt_in' | 'from' | 'public'>;

export interface Subscriber extends Made {
  readonly project_id: string;
  readonly list_id: string;
  readonly email: string | null;
  readonly name: string | null;
  readonly attributes: Readonly<Record<string, unknown>> | null;
  readonly status: SubscriberStatus;
  readonly consent: {
    readonly source: string;
    readonly at: string | null;
    readonly evidence: string | null;
  } | null;
}

export interface ImportRecord {
  readonly email: string;
  readonly name?: string;
  readonly attributes?: Readonly<Record<string, unknown>>;
}

export interface ImportResult {
  readonly index: number;
  readonly outcome: 'created' | 'updated' | 'unchanged' | 'skipped';
  readonly reason: string | null;
  readonly subscriber_id: string | null;
}

export interface ImportAnswer {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly skipped: number;
  readonly results: readonly ImportResult[];
}

export type Condition =
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] }
  | { readonly not: Condition }
  | { readonly field: string; readonly op: string; readonly value?: unknown };

export interface Segment extends Made {
  readonly project_id: string;
  readonly name: string;
  readonly condition: Condition;
}

export interface Template extends Made {
  readonly project_id: string;
  readonly name: string;
  readonly subject: string | null;
  readonly html: string | null;
  readonly mjml: string | null;
  readonly text: string | null;
}

export type TemplateFields = Pick<Template, 'name' | 'subject' | 'html' | 'mjml' | 'text'>;

export interface Rendered {
  readonly subject: string;
  readonly html: string | null;
  readonly text: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly warnings: readonly string[];
}

export type CampaignState =
  | 'draft'
  | 'scheduled'
  | 'running'
  | 'paused'
  | 'finished'
  | 'cancelled'
  | 'failed';

export type Tracking = 'off' | 'anonymous' | 'person';

export const deliveryStates = [
  'pending',
  'submitted',
  'sent',
  'deferred',
  'failed',
  'unknown',
  'skipped',
  'cancelled',
] as const;

export type DeliveryState = (typeof deliveryStates)[number];

export type CampaignCounts = Readonly<Record<DeliveryState | 'audience', number>>;

export interface Campaign extends Made {
  readonly project_id: string;
  readonly name: string;
  readonly list_ids: readonly string[];
  readonly segment_id: string | null;
  readonly from: Sender | null;
  readonly reply_to: string | null;
  readonly subject: string | null;
  readonly preheader: string | null;
  readonly template_id: string | null;
  readonly html: string | null;
  readonly text: string | null;
  readonly tracking: { readonly opens: Tracking; readonly clicks: Tracking };
  readonly send_at: string | null;
  readonly max_lateness_seconds: number;
  readonly strict_variables: boolean;
  readonly rate_per_second: number | null;
  readonly state: CampaignState;
  readonly counts: CampaignCounts;
  readonly launched_at: string | null;
  readonly finished_at: string | null;
}

export type CampaignFields = Pick<
  Campaign,
  | 'name'
  | 'list_ids'
  | 'segment_id'
  | 'from'
  | 'reply_to'
  | 'subject'
  | 'preheader'
  | 'template_id'
  | 'html'
  | 'text'
  | 'tracking'
  | 'send_at'
  | 'max_lateness_seconds'
  | 'strict_variables'
  | 'rate_per_second'
>;

export interface Reaction {
  readonly total: number;
  /** Different people; 0 where tracking names nobody. */
  readonly people: number;
}

export interface SubscriberEvent {
  readonly id: string;
  readonly type: string;
  readonly campaign_id: string | null;
  readonly campaign_name: string | null;
  readonly details: Readonly<Record<string, unknown>>;
  readonly at: string;
}

export interface TimelinePoint {
  readonly at: string;
  readonly sent: number;
  /** Recipients put off then who wait since. */
  readonly deferred: number;
  readonly failed: number;
  readonly failures: readonly { readonly reason: string; readonly total: number }[];
  readonly opens: number;
  readonly clicks: number;
}

export interface Report {
  readonly campaign_id: string;
  readonly name: string;
  readonly state: CampaignState;
  readonly state_reason: string | null;
  readonly missed_send_time: boolean;
  readonly launched_at: string | null;
  readonly finished_at: string | null;
  readonly counts: CampaignCounts;
  readonly reasons: readonly {
    readonly state: DeliveryState;
    readonly reason: string;
    readonly total: number;
  }[];
  readonly opens: Reaction;
  readonly clicks: Reaction;
  readonly bounces: { readonly hard: number; readonly soft: number };
  readonly complaints: number;
  readonly unsubscribes: number;
  readonly links: readonly ({ readonly url: string | null } & Reaction)[];
  /** Steps in which nothing happened are left out. */
  readonly timeline: { readonly step_seconds: number; readonly points: readonly TimelinePoint[] };
}

export interface CampaignDelivery {
  readonly id: string;
  readonly campaign_id: string;
  readonly subscriber_id: string;
  readonly email: string | null;
  readonly state: DeliveryState;
  readonly reason: string | null;
  readonly attempts: number;
  readonly smtp_reply: string | null;
  readonly message_id: string | null;
  readonly sent_at: string | null;
}

export interface DnsRecord {
  readonly purpose: 'dkim' | 'spf' | 'dmarc' | 'return_path';
  readonly type: string;
  readonly name: string;
  readonly value: string;
  readonly status: 'pending' | 'verified' | 'missing' | 'mismatch' | 'error';
  readonly found: string | null;
}

export interface SendingDomain extends Made {
  readonly project_id: string;
  readonly domain: string;
  readonly state: 'unverified' | 'verified' | 'failing';
  readonly dkim_selector: string;
  readonly records: readonly DnsRecord[];
  readonly verified_at: string | null;
}

export interface Suppression {
  readonly id: string;
  readonly project_id: string;
  readonly email: string | null;
  readonly reason: 'hard_bounce' | 'complaint' | 'unsubscribe' | 'manual' | 'erased';
  readonly source: string;
  readonly note: string | null;
  readonly created_at: string;
}

export interface Key {
  readonly id: string;
  readonly kind: 'admin' | 'api';
  readonly project_id: string | null;
  readonly name: string;
  readonly prefix: string;
  readonly scopes: readonly string[];
  readonly rate_per_minute: number | null;
  readonly created_at: string | null;
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
  readonly revoked_at: string | null;
}

export interface MadeKey extends Key {
  readonly secret: string | null;
}

export interface Webhook extends Made {
  readonly project_id: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly enabled: boolean;
}

export interface MadeWebhook extends Webhook {
  readonly secret: string | null;
}

export interface WebhookDelivery {
  readonly id: string;
  readonly event: string;
  readonly state: 'pending' | 'done' | 'dead';
  readonly attempts: number;
  readonly response_status: number | null;
  readonly next_attempt_at: string | null;
  readonly created_at: string;
}

export interface CapturedMail {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly size: number;
  readonly created_at: string;
}

/** Answer of the operations that can't be undone, also of their dry runs. */
export interface Effect {
  readonly outcome: string;
  readonly effect: string;
}

const BASE = '/api/v1';
const PAGE = 50;

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

const dry = (dryRun: boolean) => ({ dry_run: dryRun || undefined });

/** What no project is needed for. */
export const adminApi = {
  projects: (cursor: string | null, signal?: AbortSignal) =>
    request<Page<Project>>('GET', `${BASE}/projects`, {
      query: { limit: 100, cursor: cursor ?? undefined },
      signal,
    }),
  createProject: (body: Pick<Project, 'name' | 'slug' | 'sender_address'>) =>
    request<Project>('POST', `${BASE}/projects`, { body }),
  updateProject: (id: string, body: Partial<Pick<Project, 'name' | 'slug' | 'sender_address'>>) =>
    request<Project>('PATCH', `${BASE}/projects/${id}`, { body }),
  deleteProject: (id: string, dryRun: boolean) =>
    request<Effect>('DELETE', `${BASE}/projects/${id}`, { query: dry(dryRun) }),
  adminKeys: (cursor: string | null, signal?: AbortSignal) =>
    request<Page<Key>>('GET', `${BASE}/admin-keys`, { query: { cursor: cursor ?? undefined }, signal }),
  createAdminKey: (body: { readonly name: string; readonly expires_at: string | null }) =>
    request<MadeKey>('POST', `${BASE}/admin-keys`, { body }),
  revokeAdminKey: (id: string, dryRun: boolean) =>
    request<Effect>('DELETE', `${BASE}/admin-keys/${id}`, { query: dry(dryRun) }),
  subscriberEvents: (projectId: string, subscriberId: string, limit: number, signal?: AbortSignal) =>
    request<Page<SubscriberEvent>>(
      'GET',
      `/campaigns/api/subscribers/${encodeURIComponent(subscriberId)}/events`,
      { query: { project_id: projectId, limit }, signal },
    ),
  captured: (to: string, limit: number, signal?: AbortSignal) =>
    request<{ readonly data: readonly CapturedMail[] }>('GET', '/captured/api/messages', {
      query: { limit, to: to === '' ? undefined : to },
      signal,
    }),
  capturedRaw: (id: string, signal?: AbortSignal) =>
    requestBytes(`/captured/api/messages/${encodeURIComponent(id)}/raw`, { signal }),
};

/** Everything within one project; the console's login acts as admin, so each request names it. */
export function projectApi(projectId: string) {
  const get = <T>(path: string, query: Query, signal?: AbortSignal) =>
    request<T>('GET', BASE + path, { query: { project_id: projectId, ...query }, signal });
  const list = <T>(path: string, cursor: string | null, query: Query, signal?: AbortSignal) =>
    get<Page<T>>(path, { limit: PAGE, cursor: cursor ?? undefined, ...query }, signal);
  const post = <T>(path: string, body: object, query: Query = {}) =>
    request<T>('POST', BASE + path, { body: { project_id: projectId, ...body }, query });
  const patch = <T>(path: string, body: object) =>
    request<T>('PATCH', BASE + path, { body: { project_id: projectId, ...body } });
  const remove = <T>(path: string, query: Query = {}) =>
    request<T>('DELETE', BASE + path, { query: { project_id: projectId, ...query } });

  return {
    lists: {
      page: (cursor: string | null, signal?: AbortSignal) => list<MailList>('/lists', cursor, {}, signal),
      get: (id: string, signal?: AbortSignal) => get<MailList>(`/lists/${id}`, {}, signal),
      create: (fields: ListFields) => post<MailList>('/lists', fields),
      update: (id: string, fields: Partial<ListFields>) => patch<MailList>(`/lists/${id}`, fields),
      remove: (id: string, dryRun: boolean) => remove<Effect>(`/lists/${id}`, dry(dryRun)),
    },
    subscribers: {
      page: (listId: string, filter: Query, cursor: string | null, signal?: AbortSignal) =>
        list<Subscriber>(`/lists/${listId}/subscribers`, cursor, filter, signal),
      find: (listId: string, email: string, signal?: AbortSignal) =>
        get<Subscriber>(`/lists/${listId}/subscribers/find`, { email }, signal),
      get: (id: string, signal?: AbortSignal) => get<Subscriber>(`/subscribers/${id}`, {}, signal),
      add: (listId: string, fields: object) => post<Subscriber>(`/lists/${listId}/subscribers`, fields),
      importAll: (listId: string, body: { readonly records: readonly ImportRecord[] } & object) =>
        post<ImportAnswer>(`/lists/${listId}/subscribers/import`, body),
      update: (id: string, fields: object) => patch<Subscriber>(`/subscribers/${id}`, fields),
      unsubscribe: (id: string, reason: string) =>
        post<Subscriber>(`/subscribers/${id}/unsubscribe`, reason === '' ? {} : { reason }),
      erase: (id: string, dryRun: boolean) => remove<Effect>(`/subscribers/${id}`, dry(dryRun)),
    },
    segments: {
      page: (cursor: string | null, signal?: AbortSignal) => list<Segment>('/segments', cursor, {}, signal),
      get: (id: string, signal?: AbortSignal) => get<Segment>(`/segments/${id}`, {}, signal),
      create: (fields: Pick<Segment, 'name' | 'condition'>) => post<Segment>('/segments', fields),
      update: (id: string, fields: Partial<Pick<Segment, 'name' | 'condition'>>) =>
        patch<Segment>(`/segments/${id}`, fields),
      remove: (id: string) => remove<void>(`/segments/${id}`),
      count: (body: { readonly condition: Condition; readonly list_ids?: readonly string[] }) =>
        post<{ readonly count: number }>('/segments/count', body),
    },
    templates: {
      page: (cursor: string | null, signal?: AbortSignal) => list<Template>('/templates', cursor, {}, signal),
      get: (id: string, signal?: AbortSignal) => get<Template>(`/templates/${id}`, {}, signal),
      create: (fields: Partial<TemplateFields>) => post<Template>('/templates', fields),
      update: (id: string, fields: Partial<TemplateFields>) => patch<Template>(`/templates/${id}`, fields),
      remove: (id: string) => remove<void>(`/templates/${id}`),
      render: (id: string, data: object) => post<Rendered>(`/templates/${id}/render`, { data }),
    },
    campaigns: {
      page: (state: string, cursor: string | null, signal?: AbortSignal) =>
        list<Campaign>('/campaigns', cursor, { state: state === '' ? undefined : state }, signal),
      get: (id: string, signal?: AbortSignal) => get<Campaign>(`/campaigns/${id}`, {}, signal),
      create: (fields: Partial<CampaignFields>) => post<Campaign>('/campaigns', fields),
      update: (id: string, fields: Partial<CampaignFields>) => patch<Campaign>(`/campaigns/${id}`, fields),
      duplicate: (id: string) => post<Campaign>(`/campaigns/${id}/duplicate`, {}),
      remove: (id: string) => remove<void>(`/campaigns/${id}`),
      preview: (id: string, subscriberId: string | null) =>
        post<Rendered>(
          `/campaigns/${id}/preview`,
          subscriberId === null ? {} : { subscriber_id: subscriberId },
        ),
      test: (id: string, to: readonly string[]) =>
        post<{ readonly sent_to: unknown }>(`/campaigns/${id}/test`, { to }),
      launch: (id: string, dryRun: boolean) =>
        post<Effect & { readonly campaign: Campaign }>(`/campaigns/${id}/launch`, {}, dry(dryRun)),
      pause: (id: string) => post<Campaign>(`/campaigns/${id}/pause`, {}),
      cancel: (id: string, dryRun: boolean) => post<Effect>(`/campaigns/${id}/cancel`, {}, dry(dryRun)),
      report: (id: string, signal?: AbortSignal) => get<Report>(`/campaigns/${id}/report`, {}, signal),
      deliveries: (id: string, state: string, cursor: string | null, signal?: AbortSignal) =>
        list<CampaignDelivery>(
          `/campaigns/${id}/deliveries`,
          cursor,
          { state: state === '' ? undefined : state },
          signal,
        ),
    },
    domains: {
      page: (cursor: string | null, signal?: AbortSignal) =>
        list<SendingDomain>('/sending-domains', cursor, {}, signal),
      create: (domain: string) => post<SendingDomain>('/sending-domains', { domain }),
      verify: (id: string) => post<SendingDomain>(`/sending-domains/${id}/verify`, {}),
      remove: (id: string, dryRun: boolean) => remove<Effect>(`/sending-domains/${id}`, dry(dryRun)),
    },
    suppressions: {
      page: (filter: Query, cursor: string | null, signal?: AbortSignal) =>
        list<Suppression>('/suppressions', cursor, filter, signal),
      add: (fields: { readonly email: string; readonly note?: string }, dryRun: boolean) =>
        post<Effect>('/suppressions', fields, dry(dryRun)),
      remove: (id: string, dryRun: boolean) => remove<Effect>(`/suppressions/${id}`, dry(dryRun)),
    },
    keys: {
      page: (cursor: string | null, signal?: AbortSignal) => list<Key>('/api-keys', cursor, {}, signal),
      create: (fields: {
        readonly name: string;
        readonly scopes: readonly string[];
        readonly expires_at: string | null;
      }) => post<MadeKey>('/api-keys', fields),
      revoke: (id: string, dryRun: boolean) => remove<Effect>(`/api-keys/${id}`, dry(dryRun)),
    },
    webhooks: {
      page: (cursor: string | null, signal?: AbortSignal) => list<Webhook>('/webhooks', cursor, {}, signal),
      create: (fields: Pick<Webhook, 'url' | 'events'>) => post<MadeWebhook>('/webhooks', fields),
      update: (id: string, fields: Partial<Pick<Webhook, 'url' | 'events' | 'enabled'>>) =>
        patch<Webhook>(`/webhooks/${id}`, fields),
      remove: (id: string) => remove<void>(`/webhooks/${id}`),
      deliveries: (id: string, cursor: string | null, signal?: AbortSignal) =>
        list<WebhookDelivery>(`/webhooks/${id}/deliveries`, cursor, {}, signal),
      redeliver: (id: string, deliveryId: string) =>
        post<WebhookDelivery>(`/webhooks/${id}/deliveries/${deliveryId}/redeliver`, {}),
    },
  };
}

export type ProjectApi = ReturnType<typeof projectApi>;
