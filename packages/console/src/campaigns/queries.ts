import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { adminApi, type Campaign, type CampaignState, type Page, type ProjectApi } from '../api/campaigns.ts';

/** What the campaigns pages read. A page that is open asks again now and then; one that shows a run, often. */

const RUN_INTERVAL = 1_000;
const DELIVERIES_INTERVAL = 2_000;
const CALM_INTERVAL = 10_000;

/** The start of every key, so that one word refreshes a whole project. */
export const campaignsKey = 'campaigns';

interface Room {
  readonly project: { readonly id: string };
  readonly api: ProjectApi;
}

function pages<T>(
  key: readonly unknown[],
  fetch: (cursor: string | null, signal: AbortSignal) => Promise<Page<T>>,
) {
  return infiniteQueryOptions({
    queryKey: [campaignsKey, ...key],
    queryFn: ({ pageParam, signal }) => fetch(pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    staleTime: 0,
  });
}

/** All of a short list, page after page: for choices and overviews. */
async function every<T>(fetch: (cursor: string | null) => Promise<Page<T>>): Promise<readonly T[]> {
  const found: T[] = [];
  let cursor: string | null = null;
  do {
    const page: Page<T> = await fetch(cursor);
    found.push(...page.data);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return found;
}

export const projectsQuery = queryOptions({
  queryKey: [campaignsKey, 'projects'],
  queryFn: ({ signal }) => every((cursor) => adminApi.projects(cursor, signal)),
  staleTime: 5_000,
});

export const listsQuery = ({ project, api }: Room) =>
  queryOptions({
    queryKey: [campaignsKey, project.id, 'lists'],
    queryFn: ({ signal }) => every((cursor) => api.lists.page(cursor, signal)),
    staleTime: 0,
    refetchInterval: CALM_INTERVAL,
  });

export const listQuery = ({ project, api }: Room, id: string) =>
  queryOptions({
    queryKey: [campaignsKey, project.id, 'list', id],
    queryFn: ({ signal }) => api.lists.get(id, signal),
    staleTime: 0,
    refetchInterval: CALM_INTERVAL,
  });

export interface SubscriberFilter {
  readonly status?: string;
  /** Part of the address or the name. */
  readonly search?: string;
}

export const subscribersQuery = ({ project, api }: Room, listId: string, filter: SubscriberFilter) =>
  pages([project.id, 'subscribers', listId, filter], (cursor, signal) =>
    api.subscribers.page(listId, { ...filter }, cursor, signal),
  );

export const segmentsQuery = ({ project, api }: Room) =>
  queryOptions({
    queryKey: [campaignsKey, project.id, 'segments'],
    queryFn: ({ signal }) => every((cursor) => api.segments.page(cursor, signal)),
    staleTime: 0,
  });

export const templatesQuery = ({ project, api }: Room) =>
  queryOptions({
    queryKey: [campaignsKey, project.id, 'templates'],
    queryFn: ({ signal }) => every((cursor) => api.templates.page(cursor, signal)),
    staleTime: 0,
  });

export const templateQuery = ({ project, api }: Room, id: string) =>
  queryOptions({
    queryKey: [campaignsKey, project.id, 'template', id],
    queryFn: ({ signal }) => api.templates.get(id, signal),
  });

export const campaignsQuery = ({ project, api }: Room) =>
  queryOptions({
    queryKey: [campaignsKey, project.id, 'campaigns'],
    queryFn: ({ signal }) => every((cursor) => api.campaigns.page('', cursor, signal)),
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.some(isMoving) ? 2_000 : CALM_INTERVAL),
  });

const moving: readonly CampaignState[] = ['scheduled', 'running'];

export const isMoving = ({ state }: Pick<Campaign, 'state'>) => moving.includes(state);

export const campaignQuery = ({ project, api }: Room, id: string) =>
  queryOptions({
    queryKey: [campaignsKey, project.id, 'campaign', id],
    queryFn: ({ signal }) => api.campaigns.get(id, signal),
    staleTime: 0,
    refetchInterval: ({ state }) =>
      state.data === undefined || state.data.state === 'draft'
        ? false
        : isMoving(state.data)
          ? RUN_INTERVAL
          : CALM_INTERVAL,
  });

/** Both are asked anew the moment the campaign's state changes: what was read while it ran is not its end. */
export const reportQuery = ({ project, api }: Room, campaign: Pick<Campaign, 'id' | 'state'>) =>
  queryOptions({
    queryKey: [campaignsKey, project.id, 'report', campaign.id, campaign.state],
    queryFn: ({ signal }) => api.campaigns.report(campaign.id, signal),
    placeholderData: keepPreviousData,
    staleTime: 0,
    refetchInterval: isMoving(campaign) ? RUN_INTERVAL : CALM_INTERVAL,
  });

export const deliveriesQuery = (
  { project, api }: Room,
  campaign: Pick<Campaign, 'id' | 'state'>,
  state: string,
) => ({
  ...pages([project.id, 'deliveries', campaign.id, campaign.state, state], (cursor, signal) =>
    api.campaigns.deliveries(campaign.id, state, cursor, signal),
  ),
  refetchInterval: isMoving(campaign) ? DELIVERIES_INTERVAL : CALM_INTERVAL,
});

export const domainsQuery = ({ project, api }: Room) =>
  queryOptions({
    queryKey: [campaignsKey, project.id, 'domains'],
    queryFn: ({ signal }) => every((cursor) => api.domains.page(cursor, signal)),
    staleTime: 0,
  });

export const suppressionsQuery = (
  { project, api }: Room,
  filter: { readonly reason?: string; readonly email?: string },
) =>
  pages([project.id, 'suppressions', filter], (cursor, signal) =>
    api.suppressions.page({ ...filter }, cursor, signal),
  );

export const apiKeysQuery = ({ project, api }: Room) =>
  queryOptions({
    queryKey: [campaignsKey, project.id, 'keys'],
    queryFn: ({ signal }) => every((cursor) => api.keys.page(cursor, signal)),
    staleTime: 0,
  });

export const adminKeysQuery = queryOptions({
  queryKey: [campaignsKey, 'admin-keys'],
  queryFn: ({ signal }) => every((cursor) => adminApi.adminKeys(cursor, signal)),
  staleTime: 0,
});

export const webhooksQuery = ({ project, api }: Room) =>
  queryOptions({
    queryKey: [campaignsKey, project.id, 'webhooks'],
    queryFn: ({ signal }) => every((cursor) => api.webhooks.page(cursor, signal)),
    staleTime: 0,
  });

export const webhookDeliveriesQuery = ({ project, api }: Room, id: string) =>
  pages([project.id, 'webhook-deliveries', id], (cursor, signal) =>
    api.webhooks.deliveries(id, cursor, signal),
  );

export const capturedQuery = (to: string, limit: number) =>
  queryOptions({
    queryKey: [campaignsKey, 'captured', to, limit],
    queryFn: async ({ signal }) => (await adminApi.captured(to, limit, signal)).data,
    staleTime: 0,
    refetchInterval: 3_000,
  });

export const capturedRawQuery = (id: string) =>
  queryOptions({
    queryKey: [campaignsKey, 'captured-raw', id],
    queryFn: ({ signal }) => adminApi.capturedRaw(id, signal),
    // A mail that was captured never changes.
    staleTime: Number.POSITIVE_INFINITY,
  });
