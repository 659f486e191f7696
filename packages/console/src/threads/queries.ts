import { infiniteQueryOptions, queryOptions, useQuery } from '@tanstack/react-query';
import { type AuditFilter, type StandingTask, threadsApi } from '../api/threads.ts';

/**
 * What the threads room reads. The server tells what has changed (`live.ts`); asking again now and then is for the
 * time in which that line is down.
 */

const live = { refetchInterval: 15_000, staleTime: 0 } as const;

export const threadsKey = 'threads';

export function sessionsQuery(state: 'live' | 'ended') {
  return infiniteQueryOptions({
    queryKey: [threadsKey, 'sessions', state],
    queryFn: ({ pageParam, signal }) => threadsApi.sessions(state, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    ...live,
  });
}

export function sessionQuery(id: string) {
  return queryOptions({
    queryKey: [threadsKey, 'session', id],
    queryFn: ({ signal }) => threadsApi.session(id, signal),
    ...live,
  });
}

export const openQuestionsQuery = queryOptions({
  queryKey: [threadsKey, 'questions', 'open'],
  queryFn: ({ signal }) => threadsApi.questions({ state: 'open' }, signal),
  // What closes first is what somebody has to see first.
  select: (questions) => questions.toSorted((a, b) => Date.parse(a.deadline_at) - Date.parse(b.deadline_at)),
  ...live,
});

export const closedQuestionsQuery = queryOptions({
  queryKey: [threadsKey, 'questions', 'closed'],
  queryFn: ({ signal }) => threadsApi.questions({ state: 'closed' }, signal),
  ...live,
});

export function questionsOfQuery(sessionId: string) {
  return queryOptions({
    queryKey: [threadsKey, 'questions', 'of', sessionId],
    queryFn: ({ signal }) => threadsApi.questions({ sessionId }, signal),
    ...live,
  });
}

export function tasksQuery(kind: StandingTask['kind']) {
  return queryOptions({
    queryKey: [threadsKey, 'tasks', kind],
    queryFn: ({ signal }) => threadsApi.tasks(kind, signal),
    ...live,
  });
}

export const platformsQuery = queryOptions({
  queryKey: [threadsKey, 'platforms'],
  queryFn: ({ signal }) => threadsApi.platforms(signal),
  ...live,
});

export const accountsQuery = queryOptions({
  queryKey: [threadsKey, 'accounts'],
  queryFn: ({ signal }) => threadsApi.accounts(signal),
  ...live,
});

export function auditQuery(filter: AuditFilter) {
  return infiniteQueryOptions({
    queryKey: [threadsKey, 'audit', filter],
    queryFn: ({ pageParam, signal }) => threadsApi.audit(filter, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    staleTime: 0,
  });
}

/** How many questions wait for somebody; 0 where the service is off. */
export function useOpenQuestions(isOn: boolean): number {
  return useQuery({ ...openQuestionsQuery, enabled: isOn }).data?.length ?? 0;
}
