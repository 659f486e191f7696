import { request } from './http.ts';

/** The operator's routes of the threads service, for which a console session counts as the admin key. */

export type SessionState = 'starting' | 'active' | 'interrupted' | 'paused' | 'ended';

export interface ThreadPerson {
  readonly id: string;
  readonly name: string;
}

export interface ThreadSession {
  readonly id: string;
  readonly platform_id: string;
  readonly channel_id: string;
  readonly thread_id: string;
  readonly kind: 'thread' | 'channel';
  readonly state: SessionState;
  readonly owner: ThreadPerson;
  readonly participants: readonly (ThreadPerson & { readonly invited_by: string })[];
  readonly working_dir: string;
  readonly worktree: { readonly branch: string; readonly path: string; readonly repository: string } | null;
  readonly permission_mode: 'default' | 'auto' | 'bypass';
  readonly mentions_only: boolean;
  readonly is_unattended: boolean;
  readonly title: string | null;
  readonly queued: number;
  /** What people are asked in it and have not decided. */
  readonly open_questions: number;
  readonly cost_usd: number;
  readonly created_at: string;
  readonly active_at: string;
  readonly ended_at: string | null;
  readonly end_reason: string | null;
  readonly permalink: string | null;
}

export interface Question {
  readonly id: string;
  readonly kind: string;
  readonly platform_id: string;
  readonly session_id: string | null;
  readonly channel_id: string;
  readonly thread_id: string | null;
  /** What people read on the platform. */
  readonly markdown: string;
  readonly options: readonly {
    readonly key: string;
    readonly emoji: string | null;
    readonly label: string;
  }[];
  readonly takes_text: boolean;
  readonly approvers: 'all_users' | 'owner' | 'owner_or_allowed';
  readonly title: string;
  readonly tool: string | null;
  readonly input_hash: string | null;
  readonly state: 'open' | 'decided' | 'expired' | 'withdrawn';
  readonly decision: {
    readonly option: string | null;
    readonly text: string | null;
    readonly by: (ThreadPerson & { readonly via: 'reaction' | 'typed' | 'console' }) | null;
    readonly reason: string | null;
  } | null;
  readonly created_at: string;
  readonly deadline_at: string;
  readonly decided_at: string | null;
}

export interface ThreadPlatform {
  readonly id: string;
  readonly kind: string;
  readonly status: 'connecting' | 'ok' | 'degraded' | 'failed' | 'standby' | 'stopped';
  readonly detail: string | null;
  readonly channel: { readonly id: string; readonly name: string | null };
  readonly bot_name: string;
  readonly permission_mode: ThreadSession['permission_mode'];
  /** What is turned on there. */
  readonly features: readonly PlatformFeature[];
}

export type PlatformFeature =
  | 'memory'
  | 'routines'
  | 'watches'
  | 'whole_channel'
  | 'direct_messages'
  | 'files_out'
  | 'record';

/** A routine, which runs by the clock, or a watch, which messages set off. */
export interface StandingTask {
  readonly id: string;
  readonly kind: 'routine' | 'watch';
  readonly platform_id: string;
  readonly channel_id: string;
  readonly name: string;
  readonly prompt: string;
  readonly schedule: {
    readonly preset: 'hourly' | 'daily' | 'weekdays' | 'weekly';
    readonly time: string;
    readonly weekday: string | null;
    readonly timezone: string;
    readonly in_words: string;
  } | null;
  readonly condition: string | null;
  readonly keywords: readonly string[];
  readonly is_enabled: boolean;
  readonly disabled_reason: string | null;
  readonly failures: number;
  /** Why it cannot run on this server. */
  readonly fault: string | null;
  readonly creator: ThreadPerson;
  readonly created_at: string;
  readonly next_run_at: string | null;
  /** Of a watch that sets nothing off just now. */
  readonly rest: { readonly why: 'just_fired' | 'fired_often'; readonly until: string } | null;
  /** Newest first. */
  readonly runs: readonly TaskRun[];
}

export interface TaskRun {
  readonly id: string;
  readonly due_at: string;
  readonly state: 'looking' | 'due' | 'missed' | 'running' | 'done';
  readonly outcome: 'succeeded' | 'failed' | 'stopped' | 'missed' | 'no_match' | null;
  readonly detail: string | null;
  readonly count: number;
  readonly session_id: string | null;
  readonly ended_at: string | null;
}

/** A login of the agent's program. */
export interface AgentAccount {
  readonly id: string;
  readonly login: 'home' | 'api_key';
  readonly running: number;
  readonly paused: number;
  /** Until then nothing new is begun with it while another is free. */
  readonly limited_until: string | null;
}

/** One line of the record. */
export interface AuditLine {
  /** Counts up by one in each platform's record. */
  readonly seq: number;
  readonly time: string;
  readonly action: string;
  readonly actor: string;
  readonly actor_name: string | null;
  readonly session: string | null;
  readonly tool: string | null;
  readonly details: Readonly<Record<string, unknown>>;
}

export interface AuditFilter {
  readonly platformId: string;
  readonly action: string;
  /** Found in the names and ids of people, tools and sessions. */
  readonly text: string;
}

interface Page<T> {
  readonly data: readonly T[];
  readonly next_cursor: string | null;
}

const BASE = '/threads/api';

export const threadsApi = {
  eventsUrl: `${BASE}/events`,
  sessions: (state: 'live' | 'ended', cursor: string | null, signal?: AbortSignal) =>
    request<Page<ThreadSession>>('GET', `${BASE}/sessions`, {
      query: { state, cursor: cursor ?? undefined },
      signal,
    }),
  session: (id: string, signal?: AbortSignal) =>
    request<ThreadSession>('GET', `${BASE}/sessions/${encodeURIComponent(id)}`, { signal }),
  end: (id: string) => request<ThreadSession>('POST', `${BASE}/sessions/${encodeURIComponent(id)}/end`),
  interrupt: (id: string) =>
    request<ThreadSession>('POST', `${BASE}/sessions/${encodeURIComponent(id)}/interrupt`),
  questions: async (
    filter: { readonly state?: 'open' | 'closed'; readonly sessionId?: string },
    signal?: AbortSignal,
  ) =>
    (
      await request<{ readonly data: readonly Question[] }>('GET', `${BASE}/questions`, {
        query: { state: filter.state, session_id: filter.sessionId, limit: 100 },
        signal,
      })
    ).data,
  answer: (id: string, option: string) =>
    request<void>('POST', `${BASE}/questions/${encodeURIComponent(id)}/answer`, { body: { option } }),
  tasks: async (kind: StandingTask['kind'], signal?: AbortSignal) =>
    (
      await request<{ readonly data: readonly StandingTask[] }>('GET', `${BASE}/tasks`, {
        query: { kind },
        signal,
      })
    ).data,
  pauseTask: (id: string) => request<void>('POST', `${BASE}/tasks/${encodeURIComponent(id)}/pause`),
  resumeTask: (id: string) => request<void>('POST', `${BASE}/tasks/${encodeURIComponent(id)}/resume`),
  deleteTask: (id: string) => request<void>('DELETE', `${BASE}/tasks/${encodeURIComponent(id)}`),
  platforms: async (signal?: AbortSignal) =>
    (await request<{ readonly data: readonly ThreadPlatform[] }>('GET', `${BASE}/platforms`, { signal }))
      .data,
  accounts: async (signal?: AbortSignal) =>
    (await request<{ readonly data: readonly AgentAccount[] }>('GET', `${BASE}/accounts`, { signal })).data,
  audit: ({ platformId, action, text }: AuditFilter, cursor: string | null, signal?: AbortSignal) =>
    request<Page<AuditLine>>('GET', `${BASE}/audit`, {
      query: {
        platform_id: platformId,
        action: action === '' ? undefined : action,
        text: text === '' ? undefined : text,
        cursor: cursor ?? undefined,
      },
      signal,
    }),
};
