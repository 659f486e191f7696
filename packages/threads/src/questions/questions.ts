import { problem } from '@postern/http';
import { storableText } from '@postern/kit';
import { type Platform, PlatformError, type PostRef } from '../platforms/platform.ts';
import { announce, piecesOf } from './announce.ts';
import { type Answering, answering } from './answering.ts';
import { lateReactions } from './late-reactions.ts';
import { type OpenQuestion, openQuestion, openQuestions } from './open-question.ts';
import type { QuestionPorts } from './ports.ts';
import type { Decision, NewQuestion, QuestionDesk, WithdrawReason } from './question.ts';
import {
  CLOSED_CHANNEL,
  closeRow,
  decisionLine,
  findRow,
  followUp,
  OPENED_CHANNEL,
  unfinishedRows,
} from './records.ts';
import { newRow, refOf, viewOf } from './rows.ts';

/** So many questions of one session, or of none on one platform, may be open at a time. */
export const MOST_OPEN = 50;
/** A question that takes more posts than this is none that anybody reads. */
const MOST_POSTS = 30;
const MOST_LISTED = 200;
/** How often it is looked whether another process has closed a question, should its notification be lost. */
const LOOK_MS = 5_000;
/** After the deadline, so often is it tried to put the end on record before it ends without. */
const CLOSING_ATTEMPTS = 5;
const RETRY_MS = 1_000;

const WITHDRAW_REASONS: readonly unknown[] = [
  'cancelled',
  'restarted',
  'session_ended',
  'superseded',
] satisfies WithdrawReason[];

/**
 * The questions of a process. A decision is one conditional update of the row, so whatever races, it is made once;
 * whoever asked then writes the audit line, gets the decision, and the post is made to say it. An answer to what
 * this process did not ask leads to nothing, which is what makes a late reaction harmless after a restart. How far
 * the end of a question has come is on record as well, so that the next start goes on where a process was killed.
 */
export function createQuestions(ports: QuestionPorts): QuestionDesk {
  const { store, clock, log } = ports;
  const open = openQuestions();
  const announcing = new Set<Promise<void>>();
  /** Closed by this process, and perhaps not told of yet. */
  const closing = new Set<string>();

  /** Lets something go on by itself; a failure is logged. */
  const start = (work: Promise<void>): Promise<void> =>
    work.catch((error: unknown) => log.error({ err: error }, 'work on a question failed'));

  const tell = (work: Promise<void>): void => {
    const task = start(work).finally(() => announcing.delete(task));
    announcing.add(task);
  };

  /** The question is closed, on record or for good: the audit line, the asker, the post, in this order. */
  const finish = async (entry: OpenQuestion, decision: Decision): Promise<void> => {
    if (entry.over.signal.aborted) return;
    entry.over.abort();
    closing.add(entry.id);
    open.remove(entry);
    const { id, question, platform } = entry;
    await ports.audit.record(question.platformId, decisionLine(id, question, decision));
    entry.decide(decision);
    const say = async () => {
      await followUp(store, id, 'recorded');
      await entry.posted;
      if (entry.ref !== null) await announce({ platform, log }, id, question, entry.ref, decision);
      await followUp(store, id, 'done');
    };
    tell(say().finally(() => closing.delete(id)));
  };

  /** Takes over what is on record for a question that is closed there. */
  const adopt = async (entry: OpenQuestion): Promise<void> => {
    await entry.recorded;
    const row = await findRow(store, entry.id);
    if (row?.state === 'open') return;
    const decision = row === undefined ? null : viewOf(row).decision;
    await finish(entry, decision ?? { kind: 'withdrawn', reason: 'cancelled' });
  };

  const attempt: Answering['attempt'] = async (entry, decision) => {
    await entry.recorded;
    if (await closeRow(store, entry.id, decision, clock.nowMicroseconds())) {
      await finish(entry, decision);
      return true;
    }
    await adopt(entry);
    return false;
  };

  /** Closes a question without an answer; when that cannot be put on record, it is closed all the same. */
  const closeUnanswered = async (
    entry: OpenQuestion,
    decision: Decision,
    attempts: number,
  ): Promise<void> => {
    for (let left = attempts; left > 0 && !entry.over.signal.aborted; left -= 1) {
      try {
        await attempt(entry, decision);
        return;
      } catch (error) {
        log.warn({ err: error, question: entry.id }, 'the end of a question could not be recorded');
        if (left > 1) await clock.sleep(RETRY_MS, entry.over.signal);
      }
    }
    await finish(entry, decision);
  };

  /** Waits for the deadline, and looks now and then whether the question was closed elsewhere. */
  const watch = async (entry: OpenQuestion): Promise<void> => {
    const { signal } = entry.over;
    while (!signal.aborted) {
      const rest = entry.deadlineMicroseconds - clock.nowMicroseconds();
      if (rest <= 0) return closeUnanswered(entry, { kind: 'expired' }, CLOSING_ATTEMPTS);
      await clock.sleep(Math.min(Math.ceil(rest / 1_000), LOOK_MS), signal);
      if (signal.aborted) return;
      await adopt(entry).catch((error: unknown) =>
        log.warn({ err: error, question: entry.id }, 'a question could not be looked up'),
      );
    }
  };

  const answers = answering(ports, attempt);
  const late = lateReactions(ports);

  /** Posts the question; on failure the posts that went out are taken back. */
  const post = async (platform: Platform, entry: OpenQuestion, pieces: string[]): Promise<void> => {
    const { channelId, threadId } = entry.question;
    const sent: PostRef[] = [];
    try {
      for (const [index, markdown] of pieces.entries()) {
        sent.push(await platform.post({ channelId, threadId, markdown, key: `${entry.id}:${index}` }));
      }
      const last = sent.at(-1);
      if (last === undefined) throw new PlatformError('refused', 'a question needs a text');
      // Before it is on record: who reads it may have answered by then.
      open.place(entry, last);
      await store.db
        .updateTable('threads_questions')
        .set({ post_id: last.postId })
        .where('question_id', '=', entry.id)
        .execute();
      store.notify(OPENED_CHANNEL, entry.id);
    } catch (error) {
      for (const ref of sent) {
        await platform.delete(ref).catch((failure: unknown) => log.warn({ err: failure }, 'a post is left'));
      }
      throw error;
    }
  };

  const assertRoom = ({ platformId, sessionId }: NewQuestion): void => {
    const rivals = open
      .all()
      .filter(({ question }) => question.platformId === platformId && question.sessionId === sessionId);
    if (rivals.length >= MOST_OPEN) {
      throw new PlatformError('refused', `${MOST_OPEN} questions are open here; answer some of them first`);
    }
  };

  const ask: QuestionDesk['ask'] = async (given, signal, onPosted) => {
    const platform = ports.platform(given.platformId);
    if (platform === null) throw new PlatformError('unavailable', `${given.platformId} is not connected`);
    if (signal.aborted) return { kind: 'withdrawn', reason: reasonOf(signal) };
    const question = { ...given, markdown: storableText(given.markdown) };
    const pieces = piecesOf(platform, question);
    if (pieces.length > MOST_POSTS) throw new PlatformError('too_large', 'the question is too long to ask');
    assertRoom(question);

    const entry = openQuestion(given.id ?? ports.newId('qst'), question, platform);
    const older =
      question.kind === 'plan' && question.sessionId !== null ? open.ofSession(question.sessionId) : [];
    open.add(entry);
    const withdraw = () => tell(closeUnanswered(entry, { kind: 'withdrawn', reason: reasonOf(signal) }, 1));
    signal.addEventListener('abort', withdraw, { once: true });
    try {
      for (const plan of older) {
        if (plan.question.kind === 'plan') await attempt(plan, { kind: 'withdrawn', reason: 'superseded' });
      }
      // On record before it is seen: a reaction may come before the platform has even answered.
      const row = newRow(entry.id, question, clock.nowMicroseconds());
      await store.db.insertInto('threads_questions').values(row).execute();
      entry.markRecorded();
      void start(watch(entry));
      await post(platform, entry, pieces);
    } catch (error) {
      entry.markRecorded();
      await closeUnanswered(entry, { kind: 'withdrawn', reason: 'cancelled' }, 1);
      signal.removeEventListener('abort', withdraw);
      throw error;
    } finally {
      entry.markPosted();
    }
    onPosted?.();
    void start(answers.offer(platform, entry));
    try {
      return await entry.decided;
    } finally {
      signal.removeEventListener('abort', withdraw);
    }
  };

  const stopListening = store.listen(CLOSED_CHANNEL, (questionId) => {
    const closed = questionId === '' ? open.all() : [open.byId(questionId)];
    for (const entry of closed) if (entry !== undefined) void start(adopt(entry));
  });

  return {
    ask,

    async react(platformId, ref, personId, emoji) {
      const entry = open.byPost(platformId, ref);
      if (entry === undefined) return late(platformId, ref, personId, emoji);
      await answers.react(entry, personId, emoji);
      return true;
    },

    async answerTyped(sessionId, personId, text) {
      const entry = open.ofSession(sessionId).find(({ question, ref }) => question.takesText && ref !== null);
      return entry !== undefined && text.trim() !== '' && answers.type(entry, personId, text.trim());
    },

    async choose(sessionId, kind, option, personId) {
      const entry = open
        .ofSession(sessionId)
        .find(({ question, ref }) => question.kind === kind && ref !== null);
      return entry === undefined ? 'none_open' : answers.choose(entry, personId, option);
    },

    async answerFromConsole(questionId, option, operator) {
      const row = await findRow(store, questionId);
      if (row === undefined) throw problem('not_found', 'There is no such question.');
      const { options, state } = viewOf(row);
      if (state !== 'open') throw problem('precondition_failed', 'The question is closed already.');
      if (!options.some(({ key }) => key === option)) {
        const keys = options.map(({ key }) => key).join(', ');
        throw problem('precondition_failed', `The question has no option ${option}; it has: ${keys}.`);
      }
      const by = { id: `console:${operator}`, name: operator, via: 'console' } as const;
      const decision: Decision = { kind: 'chosen', option, by };
      const entry = open.byId(questionId);
      const isDecided =
        entry === undefined
          ? await closeRow(store, questionId, decision, clock.nowMicroseconds())
          : await attempt(entry, decision);
      if (!isDecided) throw problem('precondition_failed', 'The question was closed before this answer.');
    },

    async list({ state, platformId, sessionId, limit }) {
      let query = store.db.selectFrom('threads_questions').selectAll();
      if (state === 'open') query = query.where('state', '=', 'open');
      if (state === 'closed') query = query.where('state', '<>', 'open');
      if (platformId !== undefined) query = query.where('platform_id', '=', platformId);
      if (sessionId !== undefined) query = query.where('session_id', '=', sessionId);
      const rows = await query
        .orderBy('question_id', 'desc')
        .limit(Math.max(1, Math.min(limit, MOST_LISTED)))
        .execute();
      return rows.map(viewOf);
    },

    async openPosts(platformId) {
      return open
        .all()
        .filter(({ question }) => question.platformId === platformId)
        .flatMap(({ ref }) => (ref === null ? [] : [ref]));
    },

    async withdrawOf(sessionId, reason) {
      const decision: Decision = { kind: 'withdrawn', reason };
      for (const entry of open.ofSession(sessionId)) await closeUnanswered(entry, decision, 1);
      const rows = await store.db
        .selectFrom('threads_questions')
        .select('question_id')
        .where('session_id', '=', sessionId)
        .where('state', '=', 'open')
        .execute();
      for (const row of rows) await closeRow(store, row.question_id, decision, clock.nowMicroseconds());
    },

    async closeStale(platformId) {
      const restarted: Decision = { kind: 'withdrawn', reason: 'restarted' };
      for (const row of await unfinishedRows(store, platformId)) {
        const { question_id: id } = row;
        if (open.byId(id) !== undefined || closing.has(id)) continue;
        if (row.state === 'open') await closeRow(store, id, restarted, clock.nowMicroseconds());
        const closed = await findRow(store, id);
        if (closed === undefined) continue;
        const question = viewOf(closed);
        const decision = question.decision ?? restarted;
        if (closed.follow_up === 'due') {
          await ports.audit.record(platformId, decisionLine(id, question, decision));
          await followUp(store, id, 'recorded');
        }
        const platform = ports.platform(platformId);
        if (platform === null) continue;
        const say = async () => {
          await announce({ platform, log }, id, question, refOf(closed), decision);
          await followUp(store, id, 'done');
        };
        tell(say());
      }
    },

    async settled() {
      while (announcing.size > 0) await Promise.all([...announcing]);
    },

    close: stopListening,
  };
}

/** An abort may say why, with a word of {@link WithdrawReason}. */
function reasonOf(signal: AbortSignal): WithdrawReason {
  const { reason }: { reason: unknown } = signal;
  return WITHDRAW_REASONS.includes(reason) ? (reason as WithdrawReason) : 'cancelled';
}
