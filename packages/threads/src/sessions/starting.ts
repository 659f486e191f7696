import type { SessionSetUp } from '../commands/command.ts';
import type { PlatformConfig, ThreadsConfig } from '../config.ts';
import type { Platform } from '../platforms/platform.ts';
import type { ThreadsPorts } from '../ports.ts';
import type { MessageTable, SessionTable } from '../tables.ts';
import type { Typed } from '../typed.ts';
import { accountFor } from './accounts.ts';
import { headerText, offerReactions } from './header.ts';
import type { Say, SessionJoins } from './joins.ts';
import type { LiveSession } from './live.ts';
import { keyOf, messageForUpdate, moveMessage } from './messages.ts';
import { channelRuleOf, wayToSpeak } from './places.ts';
import { addFacts, changeSession } from './records.ts';
import type { Slots } from './slots.ts';
import { newUuid } from './uuid.ts';
import { type Worktree, worktreeFor } from './worktree.ts';

export interface StartOptions {
  readonly ports: ThreadsPorts;
  readonly config: ThreadsConfig;
  readonly behaviour: PlatformConfig;
  readonly platform: Platform;
  readonly joins: SessionJoins;
  readonly slots: Slots;
  readonly signal: AbortSignal;
  readonly say: Say;
  readonly typed: Typed;
  live(session: SessionTable): LiveSession;
  start(what: string, work: Promise<unknown>): void;
}

/**
 * Begins a session with its first message. Null when it could not; the thread says why, and the message is done.
 * `changed`: its author has edited it, or taken it back, since it was read, and nothing was begun.
 */
export async function startSession(
  options: StartOptions,
  message: MessageTable,
  prompt: string,
  setUp: SessionSetUp,
): Promise<LiveSession | null | 'changed'> {
  const { ports, config, platform, slots, say } = options;
  const sessionId = ports.newId('ses');
  const key = `start:${message.post_id}`;
  const refuse = async (reason: string, outcome: 'busy' | 'command') => {
    await say(reason, key);
    await moveMessage(ports.store.db, keyOf(message), ['new'], { state: 'done', outcome });
    return null;
  };
  if (config.worktreeMode === 'require' && setUp.worktreeBranch === null) {
    return refuse(
      `Sessions here work on a branch of their own: begin with ${options.typed('worktree <branch>')} and the task.`,
      'command',
    );
  }
  if (!(await slots.takeOrMakeRoom(sessionId))) {
    const sessions = slots.limit === 1 ? '1 session is' : `${slots.limit} sessions are`;
    return refuse(`⏳ I am busy: ${sessions} at work. Try again when one is done.`, 'busy');
  }
  try {
    const place = await placeFor(options, setUp);
    if ('reason' in place) {
      slots.free(sessionId);
      return await refuse(`⚠️ ${place.reason}`, 'command');
    }
    const row = await newSession(options, message, prompt, setUp, sessionId, place);
    if (row === null) {
      slots.free(sessionId);
      return 'changed';
    }
    await ports.audit.record(platform.id, {
      action: 'session_started',
      sessionId,
      channelId: row.channel_id,
      threadId: row.thread_id,
      actor: row.owner_id,
      actorName: row.owner_name,
      details: { workingDir: row.working_dir, permissionMode: row.permission_mode },
    });
    await postHeader(options, row);
    const live = options.live(row);
    if (config.worktreeMode === 'prompt' && setUp.worktreeBranch === null) {
      live.holdUntil(askForBranch(options, row));
    }
    live.wake();
    return live;
  } catch (error) {
    slots.free(sessionId);
    throw error;
  }
}

type Place = { readonly workingDir: string; readonly worktree: Worktree | null };

async function placeFor(
  { ports, config }: StartOptions,
  setUp: SessionSetUp,
): Promise<Place | { readonly reason: string }> {
  const workingDir = setUp.workingDir ?? config.workingDir;
  if (setUp.worktreeBranch === null) return { workingDir, worktree: null };
  const outcome = await worktreeFor(workingDir, setUp.worktreeBranch, worktreesIn(ports));
  return outcome.ok ? outcome : { reason: outcome.reason };
}

/** Folder of all worktrees. */
export function worktreesIn(ports: Pick<ThreadsPorts, 'agentDir'>): string {
  return `${ports.agentDir}/worktrees`;
}

/** The session's row and its first message, which becomes its own in the same transaction; null when that is another by now. */
async function newSession(
  { ports, config, behaviour, platform }: StartOptions,
  message: MessageTable,
  prompt: string,
  setUp: SessionSetUp,
  sessionId: string,
  place: Place,
): Promise<SessionTable | null> {
  const now = ports.clock.nowMicroseconds();
  const row: SessionTable = {
    session_id: sessionId,
    platform_id: platform.id,
    channel_id: message.channel_id,
    thread_id: message.thread_id,
    kind: channelRuleOf(platform, behaviour, message.channel_id)?.kind === 'thread' ? 'thread' : 'channel',
    state: 'starting',
    agent_session_id: newUuid(ports.random),
    has_begun: 0,
    owner_id: message.author_id,
    owner_name: message.author_name,
    working_dir: place.workingDir,
    worktree_json: place.worktree === null ? null : JSON.stringify(place.worktree),
    permission_mode: setUp.permissionMode ?? behaviour.permissionMode,
    mentions_only: 0,
    is_unattended: 0,
    account_id: null,
    title: titleOf(prompt),
    facts_json: '{}',
    resume_failures: 0,
    created_us: now,
    active_us: now,
    ended_us: null,
    end_reason: null,
  };
  return ports.store.transaction(async (tx) => {
    const current = await messageForUpdate(tx, keyOf(message));
    if (current?.state !== 'new' || current.text !== message.text) return null;
    const session = { ...row, account_id: await accountFor(tx, ports.clock, config) };
    await tx.insertInto('threads_sessions').values(session).execute();
    const changes = { state: 'queued', session_id: sessionId, text: prompt } as const;
    await moveMessage(tx, keyOf(message), ['new'], changes);
    return session;
  });
}

const LONGEST_TITLE = 80;

/** The first line of the first message, shortened. */
export function titleOf(prompt: string): string | null {
  const line = prompt.trim().split('\n', 1)[0]?.trim() ?? '';
  if (line === '') return null;
  const characters = [...line];
  return characters.length <= LONGEST_TITLE ? line : `${characters.slice(0, LONGEST_TITLE - 1).join('')}…`;
}

async function postHeader(options: StartOptions, row: SessionTable): Promise<void> {
  const { ports, behaviour, platform, say } = options;
  const text = headerText(row, behaviour.sessionHeader, wayToSpeak(options, row));
  if (text === null) return;
  const header = await say(text, `header:${row.session_id}`);
  if (header === null) return;
  await addFacts(ports.store, row.session_id, { headerPostId: header.postId });
  await offerReactions(platform, header);
}

/** Asks for a branch, and moves the session to its worktree when somebody names one. */
async function askForBranch(options: StartOptions, row: SessionTable): Promise<void> {
  const { ports, config, platform, joins, say, signal } = options;
  const decision = await joins.questions.ask(
    {
      kind: 'worktree',
      platformId: platform.id,
      sessionId: row.session_id,
      channelId: row.channel_id,
      threadId: row.kind === 'channel' ? null : row.thread_id,
      markdown: '🌿 Work on a branch of its own? Write its name, or ❌ to work in the folder itself.',
      options: [{ key: 'skip', emoji: 'x', label: 'Work in the folder itself' }],
      takesText: true,
      approvers: { rule: 'owner_or_allowed' },
      deadlineMs: Math.floor(ports.clock.nowMicroseconds() / 1_000) + config.decisionTimeoutMs,
      subject: { title: 'Branch to work on' },
    },
    signal,
  );
  if (decision.kind !== 'typed') return;
  const outcome = await worktreeFor(row.working_dir, decision.text.trim(), worktreesIn(ports));
  if (!outcome.ok) {
    await say(`⚠️ ${outcome.reason} The session works in the folder itself.`);
    return;
  }
  const changes = { working_dir: outcome.workingDir, worktree_json: JSON.stringify(outcome.worktree) };
  await options.live(row).relaunch(() => changeSession(ports.store.db, row.session_id, changes));
  await say(`🌿 Working on \`${outcome.worktree.branch}\`.`);
}
