import * as z from 'zod';
import { PlatformError } from '../platforms/platform.ts';
import { DENY } from '../questions/ask.ts';
import { inputHash } from '../questions/input-hash.ts';
import type { Decision } from '../questions/question.ts';
import { decisionOf } from '../questions/rows.ts';
import type { ProposalTable } from '../tables.ts';
import { typedWith } from '../typed.ts';
import type { TaskSurroundings } from './surroundings.ts';
import { readDraft, SIGN, type TaskDraft, type TaskKind } from './task.ts';
import { saveTask, TASKS_CHANNEL } from './tasks.ts';
import { tell } from './tell.ts';
import { cardText, nameOf, savedText } from './texts.ts';

/** A card with a standing task waits for so long. */
export const PROPOSAL_MS = 24 * 3_600_000;
/** Outcome of a yes to a task for which there is no room. */
const FULL = 'full';
/** So often, and with such pauses, it is tried to tell people what came of a card while the platform is away. */
const TELLINGS = 100;
export const TELL_AGAIN_MS = 30_000;

export interface Proposal {
  readonly draft: TaskDraft;
  /** Whom it will run for. */
  readonly creator: { readonly id: string; readonly name: string };
  readonly isByAgent: boolean;
  readonly sessionId: string | null;
  readonly channelId: string;
  readonly threadId: string | null;
}

export interface Proposals {
  /**
   * Puts a task to people and resolves once they can see it. It is saved when, and only when, someone who may says
   * yes; who may not is refused and the card stays open.
   *
   * @throws PlatformError when it could not be posted.
   */
  propose(proposal: Proposal): Promise<void>;
  /** Carries out what was decided and not carried out before an earlier process went; forgets all the rest. */
  recover(): Promise<void>;
}

export function createProposals(at: TaskSurroundings): Proposals {
  const { ports, platform, questions } = at;
  const { store, clock } = ports;
  /** Those of this process. */
  const own = new Set<string>();
  const ending = new AbortController();
  at.signal.addEventListener('abort', () => ending.abort('restarted'), { once: true });

  async function forget(questionId: string): Promise<void> {
    await store.db.deleteFrom('threads_proposals').where('question_id', '=', questionId).execute();
  }

  async function settle(row: ProposalTable, decision: Decision | null): Promise<void> {
    if (decision?.kind !== 'chosen' || decision.option !== 'allow') return forget(row.question_id);
    const draft = draftOf(row);
    const outcome = row.outcome ?? (await carryOut(row, draft));
    if (outcome === null) return;
    // Told of last: what is interrupted before is told of, and put on record, at the next start.
    await ports.audit.record(platform.id, {
      action: draft.kind,
      channelId: row.channel_id,
      actor: decision.by.id,
      actorName: decision.by.name,
      details: {
        event: outcome === FULL ? 'not_saved' : 'saved',
        name: draft.name,
        for: row.created_by,
        ...(outcome === FULL ? { reason: `there are ${limitOf(draft)} already` } : { task: outcome }),
      },
    });
    at.start('people could not be told of a saved task', tellOutcome(row, draft, outcome));
  }

  /** Saves the task, once, if there is room. The outcome, or null when another has carried it out. */
  function carryOut(row: ProposalTable, draft: TaskDraft): Promise<string | null> {
    return store.transaction(async (tx) => {
      const own = await tx
        .updateTable('threads_proposals')
        .set({ outcome: FULL })
        .where('question_id', '=', row.question_id)
        .where('outcome', 'is', null)
        .executeTakeFirst();
      if (Number(own.numUpdatedRows) === 0) return null;
      const saved = await saveTask(
        tx,
        draft,
        {
          task_id: ports.newId(draft.kind === 'routine' ? 'rtn' : 'wtc'),
          platform_id: platform.id,
          channel_id: platform.channelId,
          created_by: row.created_by,
          creator_name: row.creator_name,
          created_us: clock.nowMicroseconds(),
        },
        limitOf(draft),
      );
      if (saved === null) return FULL;
      await tx
        .updateTable('threads_proposals')
        .set({ outcome: saved.id })
        .where('question_id', '=', row.question_id)
        .execute();
      return saved.id;
    });
  }

  function limitOf({ kind }: TaskDraft): number {
    return kind === 'routine' ? at.config.limits.maxRoutines : at.config.limits.maxWatches;
  }

  async function tellOutcome(row: ProposalTable, draft: TaskDraft, outcome: string): Promise<void> {
    if (outcome !== FULL) store.notify(TASKS_CHANNEL, outcome);
    for (let left = TELLINGS; !(await isTold(row, draft, outcome)); left -= 1) {
      // The next start tries again.
      if (left === 0) return;
      await clock.sleep(TELL_AGAIN_MS, at.signal);
      if (at.signal.aborted) return;
    }
    await forget(row.question_id);
  }

  /** False while the platform is away. */
  async function isTold(row: ProposalTable, draft: TaskDraft, outcome: string): Promise<boolean> {
    const key = `${row.question_id}:saved`;
    if (outcome === FULL) {
      const full = `there are ${limitOf(draft)} already, which is the limit. Delete one first.`;
      return tell(at, `⚠️ The ${draft.kind} ${nameOf(draft)} was not saved: ${full}`, key);
    }
    const self = await at.people.self().catch((error: unknown) => {
      if (!(error instanceof PlatformError)) throw error;
      return null;
    });
    const creator = { id: row.created_by, name: row.creator_name };
    return self !== null && tell(at, savedText(draft, creator, typedWith(self.name)), key);
  }

  return {
    async propose({ draft, creator, isByAgent, sessionId, channelId, threadId }) {
      const row: ProposalTable = {
        question_id: ports.newId('qst'),
        platform_id: platform.id,
        channel_id: channelId,
        draft_json: JSON.stringify(draft),
        created_by: creator.id,
        creator_name: creator.name,
        outcome: null,
      };
      own.add(row.question_id);
      await store.db.insertInto('threads_proposals').values(row).execute();
      const nowMs = Math.floor(clock.nowMicroseconds() / 1_000);
      const posted = Promise.withResolvers<void>();
      const asked = questions.ask(
        {
          id: row.question_id,
          kind: draft.kind,
          platformId: platform.id,
          sessionId,
          channelId,
          threadId,
          markdown: cardText(draft, { isByAgent, creator }, nowMs),
          options: [{ key: 'allow', emoji: '+1', label: 'Save it', decided: 'Approved' }, DENY],
          takesText: false,
          approvers: { rule: 'owner_or_allowed' },
          deadlineMs: nowMs + PROPOSAL_MS,
          subject: {
            title: `${SIGN[draft.kind]} ${draft.kind} ${draft.name}`,
            inputHash: inputHash({ ...draft }),
          },
        },
        ending.signal,
        posted.resolve,
      );
      at.start(
        'an answer to a proposal could not be carried out',
        asked
          .then(
            (decision) => {
              posted.resolve();
              return settle(row, decision);
            },
            async (error: unknown) => {
              posted.reject(error);
              await forget(row.question_id);
            },
          )
          .finally(() => own.delete(row.question_id)),
      );
      await posted.promise;
    },

    async recover() {
      const rows = await store.db
        .selectFrom('threads_proposals')
        .leftJoin('threads_questions', 'threads_questions.question_id', 'threads_proposals.question_id')
        .selectAll('threads_proposals')
        .select(['state', 'decision_json'])
        .where('threads_proposals.platform_id', '=', platform.id)
        .execute();
      for (const { state, decision_json, ...row } of rows) {
        if (state === 'open' || own.has(row.question_id) || at.signal.aborted) continue;
        try {
          await settle(row, decision_json === null ? null : decisionOf(decision_json));
        } catch (error) {
          ports.log.error({ err: error, question: row.question_id }, 'an answer could not be carried out');
        }
      }
    },
  };
}

const kindOf = z.object({ kind: z.enum(['routine', 'watch']) });

function draftOf(row: ProposalTable): TaskDraft {
  const value: unknown = JSON.parse(row.draft_json);
  const kind: TaskKind = kindOf.parse(value).kind;
  const reading = readDraft(kind, value, 'UTC');
  if (!reading.ok) throw new PlatformError('refused', reading.reason);
  return reading.draft;
}
