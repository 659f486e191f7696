import type { Store } from '@postern/store';
import type { AuditEntry } from '../audit/audit.ts';
import type { QuestionTable, ThreadsTables } from '../tables.ts';
import type { Decision, NewQuestion } from './question.ts';

/** Told with a question's id when it is closed, in whatever process. */
export const CLOSED_CHANNEL = 'threads_questions';

/** Told with a question's id when people can see it. */
export const OPENED_CHANNEL = 'threads_questions_opened';

/**
 * Closes a question, once: of several that try at the same time one gets true. An answer counts only before the
 * deadline; a question is closed without one at any time.
 */
export async function closeRow(
  store: Store<ThreadsTables>,
  questionId: string,
  decision: Decision,
  nowMicroseconds: number,
): Promise<boolean> {
  const isAnswer = decision.kind === 'chosen' || decision.kind === 'typed';
  let query = store.db
    .updateTable('threads_questions')
    .set({
      state: isAnswer ? 'decided' : decision.kind,
      decision_json: JSON.stringify(decision),
      decided_us: nowMicroseconds,
    })
    .where('question_id', '=', questionId)
    .where('state', '=', 'open');
  if (isAnswer) query = query.where('deadline_us', '>', nowMicroseconds);
  const { numUpdatedRows } = await query.executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) return false;
  store.notify(CLOSED_CHANNEL, questionId);
  return true;
}

export async function findRow(
  store: Store<ThreadsTables>,
  questionId: string,
): Promise<QuestionTable | undefined> {
  return store.db
    .selectFrom('threads_questions')
    .selectAll()
    .where('question_id', '=', questionId)
    .executeTakeFirst();
}

/** Puts on record how far the end of a question has come. */
export async function followUp(
  store: Store<ThreadsTables>,
  questionId: string,
  state: 'recorded' | 'done',
): Promise<void> {
  await store.db
    .updateTable('threads_questions')
    .set({ follow_up: state })
    .where('question_id', '=', questionId)
    .where('follow_up', '<>', 'done')
    .execute();
}

/** What is open on a platform, and what was closed without its post saying so; oldest first. */
export async function unfinishedRows(
  store: Store<ThreadsTables>,
  platformId: string,
): Promise<QuestionTable[]> {
  return store.db
    .selectFrom('threads_questions')
    .selectAll()
    .where('platform_id', '=', platformId)
    .where('follow_up', '<>', 'done')
    .orderBy('question_id')
    .execute();
}

/** What of a question its lines in the audit log tell. */
export type Audited = Pick<
  NewQuestion,
  'kind' | 'sessionId' | 'channelId' | 'threadId' | 'subject' | 'options'
>;

/** The one line a closed question leaves in the audit log. */
export function decisionLine(questionId: string, question: Audited, decision: Decision): AuditEntry {
  const place = placeOf(questionId, question);
  const details = { ...place.details, decision: wordOf(decision) };
  if (decision.kind === 'expired') return { ...place, action: question.kind, actor: 'system', details };
  if (decision.kind === 'withdrawn') {
    const withReason = { ...details, reason: decision.reason };
    return { ...place, action: question.kind, actor: 'system', details: withReason };
  }
  const { id, name, via } = decision.by;
  return {
    ...place,
    action: question.kind,
    actor: id,
    actorName: name,
    details: { ...details, via, ...(decision.kind === 'typed' ? { text: decision.text } : {}) },
  };
}

/** Someone tried to answer who may not, or too late. */
export function refusalLine(
  questionId: string,
  question: Audited,
  refused: { readonly personId: string; readonly option: string; readonly reason: 'no_approver' | 'late' },
): AuditEntry {
  const place = placeOf(questionId, question);
  return {
    ...place,
    action: 'reaction_refused',
    actor: refused.personId,
    details: { ...place.details, kind: question.kind, option: refused.option, reason: refused.reason },
  };
}

function placeOf(questionId: string, { sessionId, channelId, threadId, subject }: Audited) {
  const { title, tool, inputHash } = subject;
  return {
    sessionId,
    channelId,
    threadId,
    ...(tool === undefined ? {} : { tool }),
    details: { question: questionId, title, ...(inputHash === undefined ? {} : { input_hash: inputHash }) },
  };
}

function wordOf(decision: Decision): string {
  switch (decision.kind) {
    case 'chosen':
      return decision.option;
    case 'typed':
      return 'answered';
    default:
      return decision.kind;
  }
}
