import type {
  AgentAccount,
  AuditLine,
  Question,
  StandingTask,
  ThreadPlatform,
  ThreadSession,
} from '../../src/api/threads.ts';
import { type FakeRoute, noContent, ok, Refusal, route } from './http.ts';
import { createFakeMemory } from './memory.ts';

/** The operator's routes of the threads service in memory. */
export interface FakeThreadsState {
  /** Whether the service is configured. */
  isOn: boolean;
  sessions: ThreadSession[];
  /** Newest first. */
  questions: Question[];
  platforms: ThreadPlatform[];
  accounts: AgentAccount[];
  tasks: StandingTask[];
  /** Newest first. */
  audit: AuditLine[];
}

export function createFakeThreads() {
  const state: FakeThreadsState = {
    isOn: false,
    sessions: [],
    questions: [],
    platforms: [],
    accounts: [],
    tasks: [],
    audit: [],
  };
  const memory = createFakeMemory();
  const streams = new Set<(text: string) => void>();

  /** Tells open pages that something has changed. */
  function announce(): void {
    for (const write of streams) write('event: question\ndata: {"id":null}\n\n');
  }

  function sessionOf(id: string | undefined): ThreadSession {
    const session = state.sessions.find((one) => one.id === id);
    if (session === undefined) throw new Refusal(404, 'not_found', 'There is no such session.');
    return session;
  }

  function change(id: string | undefined, changes: Partial<ThreadSession>) {
    const before = sessionOf(id);
    if (before.state === 'ended') throw new Refusal(422, 'precondition_failed', 'The session has ended.');
    const after = { ...before, ...changes };
    state.sessions = state.sessions.map((one) => (one.id === id ? after : one));
    return ok(after);
  }

  function enable(id: string | undefined, isEnabled: boolean) {
    state.tasks = state.tasks.map((task) => (task.id === id ? { ...task, is_enabled: isEnabled } : task));
    return noContent;
  }

  const routes: readonly FakeRoute[] = [
    ...memory.routes,
    route(
      'GET',
      '/threads/api/sessions',
      { query: ['state', 'platform_id', 'limit', 'cursor'] },
      ({ query }) => {
        const wanted = query.get('state');
        const data = state.sessions.filter(
          (one) => wanted === null || (one.state === 'ended') === (wanted === 'ended'),
        );
        return ok({ data, next_cursor: null });
      },
    ),
    route('GET', '/threads/api/sessions/:id', {}, (_request, [id]) => ok(sessionOf(id))),
    route('POST', '/threads/api/sessions/:id/end', {}, (_request, [id]) =>
      change(id, { state: 'ended', ended_at: new Date().toISOString(), end_reason: 'ended in the console' }),
    ),
    route('POST', '/threads/api/sessions/:id/interrupt', {}, (_request, [id]) =>
      change(id, { state: 'interrupted' }),
    ),
    route(
      'GET',
      '/threads/api/questions',
      { query: ['state', 'platform_id', 'session_id', 'limit'] },
      ({ query }) => {
        const [wanted, session] = [query.get('state'), query.get('session_id')];
        const data = state.questions.filter(
          (one) =>
            (wanted === null || (one.state === 'open') === (wanted === 'open')) &&
            (session === null || one.session_id === session),
        );
        return ok({ data });
      },
    ),
    route('POST', '/threads/api/questions/:id/answer', { body: ['option'] }, ({ body }, [id]) => {
      const question = state.questions.find((one) => one.id === id);
      if (question === undefined) throw new Refusal(404, 'not_found', 'There is no such question.');
      if (question.state !== 'open') throw new Refusal(422, 'precondition_failed', 'It was decided already.');
      const decision = {
        option: String(body.option),
        text: null,
        by: { id: 'console:admin', name: 'admin', via: 'console' as const },
        reason: null,
      };
      const after = {
        ...question,
        state: 'decided' as const,
        decision,
        decided_at: new Date().toISOString(),
      };
      state.questions = state.questions.map((one) => (one.id === id ? after : one));
      return noContent;
    }),
    route('GET', '/threads/api/platforms', {}, () => ok({ data: state.platforms })),
    route('GET', '/threads/api/tasks', { query: ['kind'] }, ({ query }) =>
      ok({ data: state.tasks.filter(({ kind }) => kind === query.get('kind')) }),
    ),
    route('POST', '/threads/api/tasks/:id/pause', {}, (_request, [id]) => enable(id, false)),
    route('POST', '/threads/api/tasks/:id/resume', {}, (_request, [id]) => enable(id, true)),
    route('DELETE', '/threads/api/tasks/:id', {}, (_request, [id]) => {
      state.tasks = state.tasks.filter((task) => task.id !== id);
      return noContent;
    }),
    route('GET', '/threads/api/accounts', {}, () => ok({ data: state.accounts })),
    route(
      'GET',
      '/threads/api/audit',
      { query: ['platform_id', 'action', 'text', 'cursor', 'limit'] },
      ({ query }) => {
        const [action, text] = [query.get('action'), query.get('text')?.toLowerCase() ?? ''];
        const data = state.audit.filter(
          (line) =>
            (action === null || line.action === action) && JSON.stringify(line).toLowerCase().includes(text),
        );
        return ok({ data, next_cursor: null });
      },
    ),
    route('GET', '/threads/api/events', {}, (_request, _parameters, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('retry: 1000\n\n');
      const write = (text: string) => void response.write(text);
      streams.add(write);
      response.on('close', () => streams.delete(write));
      return null;
    }),
  ];
  return { state, memory, routes, announce };
}

export type FakeThreads = ReturnType<typeof createFakeThreads>;
