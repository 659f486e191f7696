import { forUpdate, type Store } from '@postern/store';
import type { Kysely, Transaction } from 'kysely';
import * as z from 'zod';
import type { QuestionKind } from '../questions/question.ts';
import type { SessionTable, ThreadsTables } from '../tables.ts';
import type { SessionState, SessionView } from './session.ts';
import { type SessionEvent, sessionStates } from './states.ts';

/** Rows of sessions, and the one way their state moves. */

export type Db = Kysely<ThreadsTables> | Transaction<ThreadsTables>;

/** What a session keeps beside its columns. */
export interface SessionFacts {
  /** Post whose reactions steer it. */
  readonly headerPostId?: string | undefined;
  /** Last post that said it is paused; 🔄 on it resumes. */
  readonly pausedPostId?: string | undefined;
  /** Whether the header says that the session could not be started. */
  readonly hasFailedStart?: boolean | undefined;
  readonly costUsd?: number | undefined;
  /** The agent's own commands, as it last told them. */
  readonly slashCommands?: readonly string[] | undefined;
  /** When the thread was last told of a restart. */
  readonly restartToldUs?: number | undefined;
}

const factsSchema = z
  .object({
    headerPostId: z.string().optional(),
    pausedPostId: z.string().optional(),
    hasFailedStart: z.boolean().optional(),
    costUsd: z.number().optional(),
    restartToldUs: z.number().optional(),
    slashCommands: z.array(z.string()).optional(),
  })
  .catch({});

const worktreeSchema = z.object({ branch: z.string(), path: z.string(), repository: z.string() });

export function factsOf(row: Pick<SessionTable, 'facts_json'>): SessionFacts {
  return factsSchema.parse(JSON.parse(row.facts_json));
}

export function worktreeOf(row: Pick<SessionTable, 'worktree_json'>): SessionView['worktree'] {
  return row.worktree_json === null ? null : worktreeSchema.parse(JSON.parse(row.worktree_json));
}

export async function sessionById(db: Db, sessionId: string): Promise<SessionTable | null> {
  const row = await db
    .selectFrom('threads_sessions')
    .selectAll()
    .where('session_id', '=', sessionId)
    .executeTakeFirst();
  return row ?? null;
}

/** The same, kept from others until the transaction ends: facts are read, added to and written. */
export async function sessionForUpdate(
  tx: Transaction<ThreadsTables>,
  sessionId: string,
): Promise<SessionTable | null> {
  const query = tx.selectFrom('threads_sessions').selectAll().where('session_id', '=', sessionId);
  return (await forUpdate(tx, query).executeTakeFirst()) ?? null;
}

/** The session of a thread that has not ended. */
export async function liveSessionOf(
  db: Db,
  thread: { readonly platformId: string; readonly channelId: string; readonly threadId: string },
): Promise<SessionTable | null> {
  const row = await db
    .selectFrom('threads_sessions')
    .selectAll()
    .where('platform_id', '=', thread.platformId)
    .where('channel_id', '=', thread.channelId)
    .where('thread_id', '=', thread.threadId)
    .where('state', '<>', 'ended')
    .executeTakeFirst();
  return row ?? null;
}

/** The live session whose header, or whose notice of a pause, a post is. */
export async function sessionSteeredBy(
  db: Db,
  platformId: string,
  ref: { readonly channelId: string; readonly postId: string },
): Promise<SessionTable | null> {
  const rows = await db
    .selectFrom('threads_sessions')
    .selectAll()
    .where('platform_id', '=', platformId)
    .where('channel_id', '=', ref.channelId)
    .where('state', '<>', 'ended')
    .where('facts_json', 'like', `%${JSON.stringify(ref.postId)}%`)
    .execute();
  const steered = rows.find((row) => {
    const { headerPostId, pausedPostId } = factsOf(row);
    return headerPostId === ref.postId || pausedPostId === ref.postId;
  });
  return steered ?? null;
}

/** Most recently active first. */
export function liveSessionsOf(db: Db, platformId: string): Promise<SessionTable[]> {
  return db
    .selectFrom('threads_sessions')
    .selectAll()
    .where('platform_id', '=', platformId)
    .where('state', '<>', 'ended')
    .orderBy('active_us', 'desc')
    .execute();
}

/**
 * Moves a session's state as the table says, together with other columns. Null when its state does not take the
 * event any more: somebody else moved it first.
 */
export async function moveSession(
  db: Db,
  sessionId: string,
  event: SessionEvent,
  changes: Partial<Omit<SessionTable, 'session_id' | 'state'>> = {},
): Promise<SessionState | null> {
  for (const before of sessionStates.statesBefore(event)) {
    const moved = await db
      .updateTable('threads_sessions')
      .set({ ...changes, state: sessionStates.next(before, event) })
      .where('session_id', '=', sessionId)
      .where('state', '=', before)
      .executeTakeFirst();
    if (Number(moved.numUpdatedRows) > 0) return sessionStates.next(before, event);
  }
  return null;
}

export async function changeSession(
  db: Db,
  sessionId: string,
  changes: Partial<Omit<SessionTable, 'session_id' | 'state'>>,
): Promise<void> {
  await db.updateTable('threads_sessions').set(changes).where('session_id', '=', sessionId).execute();
}

/** Whether people are asked something in a session. */
export async function hasOpenQuestion(db: Db, sessionId: string): Promise<boolean> {
  const row = await db
    .selectFrom('threads_questions')
    .select('question_id')
    .where('session_id', '=', sessionId)
    .where('state', '=', 'open')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Questions that an agent stands still for. */
const STOPS_FOR: readonly QuestionKind[] = ['permission', 'plan', 'choice', 'direct_message'];

/** Whether the agent of a session can do nothing before somebody decides something. */
export async function waitsForPerson(db: Db, sessionId: string): Promise<boolean> {
  const row = await db
    .selectFrom('threads_questions')
    .select('question_id')
    .where('session_id', '=', sessionId)
    .where('state', '=', 'open')
    .where('kind', 'in', STOPS_FOR)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** How many open questions each of these sessions has; one without any is left out. */
export async function openQuestionsOf(
  db: Db,
  sessionIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (sessionIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('threads_questions')
    .select(['session_id', (count) => count.fn.countAll<number>().as('count')])
    .where('session_id', 'in', sessionIds)
    .where('state', '=', 'open')
    .groupBy('session_id')
    .execute();
  return new Map(rows.map((row) => [row.session_id ?? '', Number(row.count)]));
}

/** Adds to a session's facts what is given; only the process that holds the session's platform writes them. */
export async function addFacts(
  store: Store<ThreadsTables>,
  sessionId: string,
  facts: SessionFacts,
): Promise<void> {
  await store.transaction(async (tx) => {
    const row = await sessionForUpdate(tx, sessionId);
    if (!row) return;
    await changeSession(tx, sessionId, { facts_json: JSON.stringify({ ...factsOf(row), ...facts }) });
  });
}

/** Sessions as commands, tools and the console see them. */
export async function viewsOf(db: Db, rows: readonly SessionTable[]): Promise<SessionView[]> {
  if (rows.length === 0) return [];
  const ids = rows.map((row) => row.session_id);
  const participants = await db
    .selectFrom('threads_participants')
    .selectAll()
    .where('session_id', 'in', ids)
    .orderBy('invited_us')
    .execute();
  const queued = await db
    .selectFrom('threads_messages')
    .select(['session_id', (count) => count.fn.countAll<number>().as('count')])
    .where('session_id', 'in', ids)
    .where('state', '=', 'queued')
    .groupBy('session_id')
    .execute();
  const counts = new Map(queued.map((row) => [row.session_id, Number(row.count)]));
  const open = await openQuestionsOf(db, ids);
  return rows.map((row) => ({
    id: row.session_id,
    platformId: row.platform_id,
    channelId: row.channel_id,
    threadId: row.thread_id,
    kind: row.kind,
    state: row.state,
    owner: { id: row.owner_id, name: row.owner_name },
    participants: participants
      .filter((each) => each.session_id === row.session_id)
      .map((each) => ({ id: each.person_id, name: each.person_name, invitedBy: each.invited_by })),
    workingDir: row.working_dir,
    worktree: worktreeOf(row),
    permissionMode: row.permission_mode,
    mentionsOnly: row.mentions_only === 1,
    isUnattended: row.is_unattended === 1,
    title: row.title,
    queued: counts.get(row.session_id) ?? 0,
    openQuestions: open.get(row.session_id) ?? 0,
    costUsd: factsOf(row).costUsd ?? 0,
    createdMs: Math.floor(row.created_us / 1_000),
    activeMs: Math.floor(row.active_us / 1_000),
    endedMs: row.ended_us === null ? null : Math.floor(row.ended_us / 1_000),
    endReason: row.end_reason,
  }));
}

/** A post by which each session is found on its platform; none of a conversation whose posts are not known any more. */
export async function postsToOpenAt(db: Db, rows: readonly SessionTable[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const row of rows) {
    const postId =
      row.kind === 'thread' ? row.thread_id : (factsOf(row).headerPostId ?? (await firstPostOf(db, row)));
    if (postId !== undefined) found.set(row.session_id, postId);
  }
  return found;
}

async function firstPostOf(db: Db, { session_id }: SessionTable): Promise<string | undefined> {
  const row = await db
    .selectFrom('threads_messages')
    .select('post_id')
    .where('session_id', '=', session_id)
    .where('thread_id', '<>', '')
    .orderBy('position')
    .limit(1)
    .executeTakeFirst();
  return row?.post_id;
}

export async function viewOf(db: Db, row: SessionTable): Promise<SessionView> {
  const [view] = await viewsOf(db, [row]);
  if (!view) throw new Error('one row makes one view');
  return view;
}
