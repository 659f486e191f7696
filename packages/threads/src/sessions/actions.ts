import { problem } from '@postern/http';
import type { PermissionMode } from '../agent/agent.ts';
import type { ThreadsConfig } from '../config.ts';
import type { ThreadsPorts } from '../ports.ts';
import type { QuestionDesk } from '../questions/question.ts';
import type { SessionTable } from '../tables.ts';
import { allowedFolder } from './folders.ts';
import type { LiveSession } from './live.ts';
import { ownMessage } from './messages.ts';
import { changeSession, sessionById, viewOf, worktreeOf } from './records.ts';
import type { Room } from './room.ts';
import type { ChangeOutcome, SessionActions } from './session.ts';
import { worktreesIn } from './starting.ts';
import { newUuid } from './uuid.ts';
import { worktreeFor } from './worktree.ts';
import { worktreeUpkeep } from './worktree-upkeep.ts';

export interface ActionsOptions {
  readonly ports: ThreadsPorts;
  readonly config: ThreadsConfig;
  /** Platforms that this process holds, by their ids. */
  readonly rooms: ReadonlyMap<string, Room>;
  questions(): QuestionDesk;
}

const ORDER: readonly PermissionMode[] = ['default', 'auto', 'bypass'];

const ok: ChangeOutcome = { ok: true };
const refused = (reason: string): ChangeOutcome => ({ ok: false, reason });

/**
 * What may be done to sessions, once somebody has looked at who may. A session that is not of this process, or has
 * ended, gives `not_found` or `precondition_failed`.
 */
export function sessionActions({ ports, config, rooms, questions }: ActionsOptions): SessionActions {
  const { store, clock } = ports;

  /** @throws Failure when there is nothing that could be acted on here. */
  async function found(sessionId: string): Promise<{ row: SessionTable; room: Room; live: LiveSession }> {
    const row = await sessionById(store.db, sessionId);
    if (!row) throw problem('not_found', `No session ${sessionId} exists.`);
    if (row.state === 'ended') throw problem('precondition_failed', 'The session has ended.');
    const room = rooms.get(row.platform_id);
    if (!room) throw problem('precondition_failed', 'The session’s platform does not run in this process.');
    return { row, room, live: room.live(row) };
  }

  async function changeDirTo(
    sessionId: string,
    changes: { working_dir: string; worktree_json: string | null },
  ): Promise<ChangeOutcome> {
    const { live } = await found(sessionId);
    await live.relaunch(() => changeSession(store.db, sessionId, changes));
    return ok;
  }

  return {
    async view(sessionId) {
      const row = await sessionById(store.db, sessionId);
      return row === null ? null : viewOf(store.db, row);
    },
    async standing(sessionId, platformId, personId) {
      const room = rooms.get(platformId);
      if (!room) return 'stranger';
      const row = sessionId === null ? null : await sessionById(store.db, sessionId);
      return room.standing(row, personId);
    },
    async interrupt(sessionId, actor) {
      return (await found(sessionId)).live.interrupt(actor);
    },
    async end(sessionId, reason, actor) {
      await (await found(sessionId)).live.end(reason, actor);
    },
    async kill(platformId, actor) {
      const room = rooms.get(platformId);
      if (!room) throw problem('precondition_failed', 'The platform does not run in this process.');
      return room.kill(actor);
    },
    async changeDir(sessionId, path) {
      const { row } = await found(sessionId);
      const place = await allowedFolder(config, ports.deniedPaths, row.working_dir, path);
      if ('reason' in place) return refused(place.reason);
      return changeDirTo(sessionId, { working_dir: place.folder, worktree_json: null });
    },
    async changePermissionMode(sessionId, mode) {
      const { row, room, live } = await found(sessionId);
      const most = room.behaviour.permissionMode;
      if (ORDER.indexOf(mode) > ORDER.indexOf(most)) {
        return refused(`The configuration allows no more than \`${most}\` here.`);
      }
      if (row.permission_mode === mode) return ok;
      await live.relaunch(() => changeSession(store.db, sessionId, { permission_mode: mode }));
      return ok;
    },
    async changeMentionsOnly(sessionId, isOn) {
      const { live } = await found(sessionId);
      await changeSession(store.db, sessionId, { mentions_only: isOn ? 1 : 0 });
      await live.changed();
    },
    async invite(sessionId, person, actor) {
      const { row, room } = await found(sessionId);
      if (person.isBot) return refused('Bots cannot be invited.');
      const standing = await room.standing(row, person.id);
      if (standing !== 'stranger') return refused(`@${person.name} is in this session already.`);
      await store.db
        .insertInto('threads_participants')
        .values({
          session_id: sessionId,
          person_id: person.id,
          person_name: person.name,
          invited_by: actor.id,
          invited_us: clock.nowMicroseconds(),
        })
        .onConflict((conflict) => conflict.columns(['session_id', 'person_id']).doNothing())
        .execute();
      return ok;
    },
    async kick(sessionId, person) {
      const { row, room } = await found(sessionId);
      const gone = await store.db
        .deleteFrom('threads_participants')
        .where('session_id', '=', sessionId)
        .where('person_id', '=', person.id)
        .executeTakeFirst();
      if (Number(gone.numDeletedRows) > 0) return ok;
      return (await room.standing(row, person.id)) === 'stranger'
        ? refused(`@${person.name} is not in this session.`)
        : refused(`@${person.name} was not invited, and stays.`);
    },
    async passThrough(sessionId, text, actor) {
      const { row, live } = await found(sessionId);
      await store.db
        .insertInto('threads_messages')
        .values(ownMessage(row, { text, actor, id: newUuid(ports.random), nowUs: clock.nowMicroseconds() }))
        .execute();
      live.wake();
    },
    async approvePlan(sessionId, actor) {
      return (await questions().choose(sessionId, 'plan', 'allow', actor.id)) === 'decided';
    },
    async useWorktree(sessionId, branch) {
      const { row } = await found(sessionId);
      // From the repository itself, so that no tree is made within another branch's.
      const current = worktreeOf(row);
      const from = current === null ? row.working_dir : current.repository;
      const outcome = await worktreeFor(from, branch, worktreesIn(ports));
      if (!outcome.ok) return refused(outcome.reason);
      return changeDirTo(sessionId, {
        working_dir: outcome.workingDir,
        worktree_json: JSON.stringify(outcome.worktree),
      });
    },
    async leaveWorktree(sessionId) {
      const { row } = await found(sessionId);
      const current = worktreeOf(row);
      if (current === null) return refused('This session works in no worktree.');
      return changeDirTo(sessionId, { working_dir: current.repository, worktree_json: null });
    },
    worktrees: worktreeUpkeep(ports, worktreesIn(ports)),
    async slashCommands(sessionId) {
      return (await found(sessionId)).live.slashCommands();
    },
  };
}
