import type {
  Campaign,
  CampaignDelivery,
  CapturedMail,
  Key,
  MailList,
  Project,
  Report,
  Segment,
  SendingDomain,
  Subscriber,
  SubscriberEvent,
  Suppression,
  Template,
  Webhook,
  WebhookDelivery,
} from '../../../src/api/campaigns.ts';
import type { FieldViolation } from '../../../src/api/http.ts';
import { type FakeRequest, idMaker, ok, Refusal, textField } from '../http.ts';

/** The campaigns in memory: what the routes of the contract read and write. */

type Within<T> = T & { readonly project_id: string };

export interface FakeCampaignsState {
  projects: Project[];
  lists: MailList[];
  subscribers: Subscriber[];
  segments: Segment[];
  templates: Template[];
  campaigns: Campaign[];
  reports: Map<string, Pick<Report, 'reasons' | 'opens' | 'clicks' | 'bounces' | 'links' | 'timeline'>>;
  deliveries: CampaignDelivery[];
  domains: SendingDomain[];
  suppressions: Suppression[];
  keys: Key[];
  webhooks: Webhook[];
  webhookDeliveries: (WebhookDelivery & { readonly webhook_id: string })[];
  /** By the subscriber's id, newest first. */
  subscriberEvents: Map<string, readonly SubscriberEvent[]>;
  captured: (CapturedMail & { readonly raw: string })[];
  /** What the test sends went to. */
  tests: string[];
}

export function emptyCampaigns(): FakeCampaignsState {
  return {
    projects: [],
    lists: [],
    subscribers: [],
    segments: [],
    templates: [],
    campaigns: [],
    reports: new Map(),
    deliveries: [],
    domains: [],
    suppressions: [],
    keys: [],
    webhooks: [],
    webhookDeliveries: [],
    subscriberEvents: new Map(),
    captured: [],
    tests: [],
  };
}

export interface FakeCampaignsDesk {
  readonly state: FakeCampaignsState;
  readonly newId: (prefix: string) => string;
}

export function openDesk(): FakeCampaignsDesk {
  return { state: emptyCampaigns(), newId: idMaker() };
}

export const nowText = () => new Date().toISOString();

export const made = (id: string) => ({ id, created_at: nowText(), updated_at: nowText() });

export function invalid(violations: readonly FieldViolation[]): Refusal {
  const detail = violations.map(({ field, message }) => `${field} ${message}`).join('; ');
  return new Refusal(422, 'validation_failed', detail, violations);
}

export function unready(violations: readonly FieldViolation[]): Refusal {
  const detail = violations.map(({ field, message }) => `${field} ${message}`).join('; ');
  return new Refusal(422, 'precondition_failed', detail, violations);
}

/** A name as every thing has one. */
export function requireName(body: Readonly<Record<string, unknown>>): string {
  const name = textField(body, 'name');
  if (name === '') {
    throw invalid([{ field: 'name', code: 'too_short', message: 'must have at least 1 character, found 0' }]);
  }
  return name;
}

/** The rule of project context for an admin: every request says which. */
export function projectOf({ state }: FakeCampaignsDesk, { query, body }: FakeRequest): Project {
  const id = query.get('project_id') ?? body.project_id;
  if (id === undefined || id === null) {
    throw invalid([{ field: 'project_id', code: 'required', message: 'is required with an admin key' }]);
  }
  return found(
    state.projects.find((project) => project.id === id && project.deleted_at === null),
    `There is no project ${id}.`,
  );
}

export function found<T>(value: T | undefined, message: string): T {
  if (value === undefined) throw new Refusal(404, 'not_found', message);
  return value;
}

/** One of a project's things by its id. */
export function within<T extends { readonly id: string }>(
  list: readonly Within<T>[],
  project: Project,
  id: string | undefined,
): Within<T> {
  return found(
    list.find((one) => one.id === id && one.project_id === project.id),
    `There is no ${id}.`,
  );
}

export function replace<T extends { readonly id: string }>(list: T[], changed: T): T {
  const index = list.findIndex(({ id }) => id === changed.id);
  list[index] = changed;
  return changed;
}

export const pageFields = ['project_id', 'limit', 'cursor'];

/** A page of a list, its cursor the id of the last one. */
export function pageOf<T extends { readonly id: string }>(
  list: readonly T[],
  { query }: Pick<FakeRequest, 'query'>,
) {
  const limit = Number(query.get('limit') ?? 50);
  if (limit > 100) {
    throw invalid([{ field: 'limit', code: 'out_of_range', message: 'must be at most 100' }]);
  }
  const cursor = query.get('cursor');
  const from = cursor === null ? 0 : list.findIndex(({ id }) => id === cursor) + 1;
  const data = list.slice(from, from + limit);
  const next_cursor = from + limit < list.length ? (data.at(-1)?.id ?? null) : null;
  return ok({ data, next_cursor });
}

export const isDryRun = ({ query }: FakeRequest) => query.get('dry_run') === 'true';

const ADDRESS = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

export function isAddress(text: unknown): text is string {
  return typeof text === 'string' && ADDRESS.test(text);
}

export function addressFault(field: string, value: unknown): FieldViolation[] {
  if (isAddress(value)) return [];
  return [{ field, code: 'invalid_format', message: 'must be an e-mail address such as ana@example.org' }];
}

export function setCounts(desk: FakeCampaignsDesk, listId: string): void {
  const list = desk.state.lists.find(({ id }) => id === listId);
  if (list === undefined) return;
  const of = (status: string) =>
    desk.state.subscribers.filter((one) => one.list_id === listId && one.status === status).length;
  replace(desk.state.lists, {
    ...list,
    counts: {
      subscribed: of('subscribed'),
      unconfirmed: of('unconfirmed'),
      unsubscribed: of('unsubscribed'),
      bounced: of('bounced'),
      complained: of('complained'),
    },
  });
}
