import type { Platform } from '../platforms/platform.ts';
import type { ThreadsPorts } from '../ports.ts';
import { askOutsiderMessage } from '../questions/ask-outsider-message.ts';
import type { Approvers, Questions } from '../questions/question.ts';
import type { MessageTable, SessionTable } from '../tables.ts';
import { keyOf, moveMessage, postOf } from './messages.ts';

/** Messages of people who are not in a session: held until someone who may has let them in. */

/** So many may wait in one session; what comes beyond is turned away. */
export const MOST_HELD = 20;

export interface OutsiderOptions {
  readonly ports: Pick<ThreadsPorts, 'store' | 'clock'>;
  readonly platform: Platform;
  readonly questions: Questions;
  readonly approvers: Approvers['rule'];
  readonly timeoutMs: number;
}

/** Asks about one held message and acts on the answer. True when it may be given to the agent now. */
export async function askAboutOutsider(
  { ports, platform, questions, approvers, timeoutMs }: OutsiderOptions,
  session: SessionTable,
  message: MessageTable,
  signal: AbortSignal,
): Promise<boolean> {
  const { store, clock } = ports;
  const { author, text, files } = postOf(message);
  const answer = await askOutsiderMessage(
    {
      questions,
      platformId: platform.id,
      sessionId: session.session_id,
      channelId: session.channel_id,
      threadId: session.kind === 'channel' ? null : session.thread_id,
      approvers,
      deadlineMs: Math.floor(clock.nowMicroseconds() / 1_000) + timeoutMs,
    },
    { author, text, fileNames: files.map(({ name }) => name) },
    signal,
  );
  // The process ends: the message stays held, and is asked about anew by the next one.
  if (answer.kind === 'unanswered' && signal.aborted) return false;
  const isIn = answer.kind === 'once' || answer.kind === 'invite';
  return store.transaction(async (tx) => {
    const moved = await moveMessage(
      tx,
      keyOf(message),
      ['held'],
      isIn ? { state: 'queued' } : { state: 'done', outcome: 'denied' },
    );
    if (!moved || answer.kind !== 'invite') return moved && isIn;
    await tx
      .insertInto('threads_participants')
      .values({
        session_id: session.session_id,
        person_id: author.id,
        person_name: author.name,
        invited_by: answer.by.id,
        invited_us: clock.nowMicroseconds(),
      })
      .onConflict((conflict) => conflict.columns(['session_id', 'person_id']).doNothing())
      .execute();
    return true;
  });
}
