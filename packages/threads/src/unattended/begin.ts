import { PlatformError, type PostRef } from '../platforms/platform.ts';
import { codeBlock, inLine, visible } from '../questions/shown-input.ts';
import { accountFor } from '../sessions/accounts.ts';
import { offerReactions } from '../sessions/header.ts';
import { ownMessage } from '../sessions/messages.ts';
import { wayToSpeak } from '../sessions/places.ts';
import { titleOf, worktreesIn } from '../sessions/starting.ts';
import { newUuid } from '../sessions/uuid.ts';
import { type Worktree, worktreeFor } from '../sessions/worktree.ts';
import type { FireTable, SessionTable } from '../tables.ts';
import { moveFire, settleFire } from './fires.ts';
import type { TaskSurroundings } from './surroundings.ts';
import { tellSwitchedOff } from './switched-off.ts';
import { SIGN, type Task } from './task.ts';
import { TASKS_CHANNEL } from './tasks.ts';
import { tell } from './tell.ts';
import { nameOf, personName } from './texts.ts';

export type BeginOutcome =
  | 'begun'
  /** No place, or the platform does not take posts just now: it may be tried again. */
  | 'not_now'
  /** It is over, one way or another. */
  | 'over';

/**
 * Begins the session of a run that is on record as due, in a thread of its own: as its creator, who has to be on
 * the list still. Whatever interrupts it, the run has one session or none.
 *
 * @param prompt What the agent is told.
 * @param occasion A line of Markdown that says why it runs.
 * @param isWanted Asked once there is a place for it, before anything is posted.
 */
export async function beginUnattended(
  at: TaskSurroundings,
  task: Task,
  fire: Pick<FireTable, 'fire_id'>,
  {
    prompt,
    occasion,
    isWanted = async () => true,
  }: { readonly prompt: string; readonly occasion: string; isWanted?: () => Promise<boolean> },
): Promise<BeginOutcome> {
  const { ports, platform, slots } = at;
  if (!at.people.isAllowed(task.creator.id)) {
    const reason = `${personName(task.creator)}, who made it, is not on the list any more`;
    return failFire(at, task, fire.fire_id, reason);
  }
  const sessionId = ports.newId('ses');
  if (!(await slots.takeOrMakeRoom(sessionId))) return 'not_now';
  let isBegun = false;
  try {
    if (!(await isWanted())) return 'over';
    const place = await placeFor(at, fire.fire_id);
    if ('reason' in place) return await failFire(at, task, fire.fire_id, place.reason);
    const root = await postRoot(at, task, fire.fire_id, occasion);
    const row = await record(
      at,
      task,
      fire.fire_id,
      sessionRow(at, task, { sessionId, root, place }),
      prompt,
    );
    if (row === null) return 'over';
    isBegun = true;
    at.live(row).wake();
    await offerReactions(platform, root);
    return 'begun';
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    // Where the answer was lost, the post is found by its key at the next try.
    if (error.code === 'unavailable' || error.code === 'unknown') return 'not_now';
    return await failFire(at, task, fire.fire_id, `it could not be posted: ${error.message}`);
  } finally {
    if (!isBegun) slots.free(sessionId);
  }
}

interface Place {
  readonly workingDir: string;
  readonly worktree: Worktree | null;
}

/** The folder itself, or where sessions have to work on branches, one of the run's own. */
async function placeFor(
  { config, ports }: TaskSurroundings,
  fireId: string,
): Promise<Place | { readonly reason: string }> {
  const { workingDir } = config;
  if (config.worktreeMode !== 'require') return { workingDir, worktree: null };
  const outcome = await worktreeFor(workingDir, `unattended/${fireId.toLowerCase()}`, worktreesIn(ports));
  return outcome.ok ? outcome : { reason: outcome.reason };
}

async function postRoot(
  at: TaskSurroundings,
  task: Task,
  fireId: string,
  occasion: string,
): Promise<PostRef> {
  const { platform } = at;
  const { channelId } = task;
  const way = wayToSpeak(at, { channel_id: channelId, mentions_only: 0 });
  const markdown = [
    `${SIGN[task.kind]} **Unattended session** of the ${task.kind} ${nameOf(task)} · ${occasion} · for ${personName(task.creator)}`,
    codeBlock(visible(task.prompt)),
    `${way} here to go on · ⏸️ interrupts · ❌ ends`,
  ].join('\n');
  let root: PostRef | null = null;
  for (const [index, piece] of platform.split(markdown).entries()) {
    const threadId: string | null = root?.postId ?? null;
    const ref = await platform.post({ channelId, threadId, markdown: piece, key: `${fireId}:${index}` });
    root ??= ref;
  }
  if (root === null) throw new PlatformError('refused', 'the text is empty');
  return root;
}

function sessionRow(
  { ports, behaviour, platform }: TaskSurroundings,
  task: Task,
  made: { readonly sessionId: string; readonly root: PostRef; readonly place: Place },
): SessionTable {
  const now = ports.clock.nowMicroseconds();
  const { sessionId, root, place } = made;
  return {
    session_id: sessionId,
    platform_id: platform.id,
    channel_id: root.channelId,
    thread_id: root.postId,
    kind: 'thread',
    state: 'starting',
    agent_session_id: newUuid(ports.random),
    has_begun: 0,
    owner_id: task.creator.id,
    owner_name: task.creator.name,
    working_dir: place.workingDir,
    worktree_json: place.worktree === null ? null : JSON.stringify(place.worktree),
    permission_mode: behaviour.permissionMode,
    mentions_only: 0,
    is_unattended: 1,
    account_id: null,
    title: titleOf(task.name),
    facts_json: JSON.stringify({ headerPostId: root.postId }),
    resume_failures: 0,
    created_us: now,
    active_us: now,
    ended_us: null,
    end_reason: null,
  };
}

/** Session, first message and run go on record together; null when the run is no longer due. */
async function record(
  { ports, config, platform }: TaskSurroundings,
  task: Task,
  fireId: string,
  made: SessionTable,
  prompt: string,
): Promise<SessionTable | null> {
  const { store } = ports;
  const row = await store.transaction(async (tx) => {
    const changes = { state: 'running', session_id: made.session_id } as const;
    if (!(await moveFire(tx, fireId, ['due'], changes))) return null;
    const row = { ...made, account_id: await accountFor(tx, ports.clock, config) };
    await tx.insertInto('threads_sessions').values(row).execute();
    const message = ownMessage(row, {
      text: prompt,
      actor: task.creator,
      id: newUuid(ports.random),
      nowUs: row.created_us,
    });
    await tx.insertInto('threads_messages').values(message).execute();
    return row;
  });
  if (row === null) return null;
  store.notify(TASKS_CHANNEL, task.id);
  await ports.audit.record(platform.id, {
    action: 'session_started',
    sessionId: row.session_id,
    channelId: row.channel_id,
    threadId: row.thread_id,
    actor: 'system',
    details: {
      unattended: true,
      task: task.id,
      kind: task.kind,
      name: task.name,
      for: task.creator.id,
      workingDir: row.working_dir,
      permissionMode: row.permission_mode,
    },
  });
  return row;
}

/** A run that cannot be begun: it counts as failed once the channel is told; until then it may be tried again. */
async function failFire(
  at: TaskSurroundings,
  task: Task,
  fireId: string,
  detail: string,
): Promise<'over' | 'not_now'> {
  const nowUs = at.ports.clock.nowMicroseconds();
  const news = `⚠️ The ${task.kind} ${nameOf(task)} could not run: ${inLine(detail)}.`;
  if (!(await tell(at, news, `${fireId}:failed`))) return 'not_now';
  const off = await settleFire(at.ports.store, { fireId }, 'failed', { detail, nowUs });
  if (off !== null) await tellSwitchedOff(at, off.task, off.fireId);
  return 'over';
}

/** The session of a run is through with its task, or will not be. */
export async function settleSession(
  at: TaskSurroundings,
  sessionId: string,
  outcome: 'succeeded' | 'failed' | 'stopped',
): Promise<void> {
  const nowUs = at.ports.clock.nowMicroseconds();
  const off = await settleFire(at.ports.store, { sessionId }, outcome, { detail: null, nowUs });
  if (off !== null) await tellSwitchedOff(at, off.task, off.fireId);
}
