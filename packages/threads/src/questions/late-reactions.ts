import type { PostRef } from '../platforms/platform.ts';
import { optionOf } from './answering.ts';
import type { QuestionPorts } from './ports.ts';
import { refusalLine } from './records.ts';
import { viewOf } from './rows.ts';

/** So many refusals are remembered, so that each is on record once; the oldest are forgotten first. */
const MOST_REMEMBERED = 1_000;

/**
 * Reactions on questions that are closed already. Nothing comes of them; that somebody tried is on record.
 *
 * @returns whether the post is that of a closed question.
 */
export function lateReactions(ports: QuestionPorts) {
  const recorded = new Set<string>();

  return async (platformId: string, ref: PostRef, personId: string, emoji: string): Promise<boolean> => {
    const row = await ports.store.db
      .selectFrom('threads_questions')
      .selectAll()
      .where('platform_id', '=', platformId)
      .where('channel_id', '=', ref.channelId)
      .where('post_id', '=', ref.postId)
      .where('state', '<>', 'open')
      .executeTakeFirst();
    if (row === undefined) return false;
    const question = viewOf(row);
    const option = optionOf(question.options, emoji);
    if (option === undefined) return true;
    const { decision } = question;
    // A platform may tell again of the reaction that has closed it.
    const hasDecided =
      decision?.kind === 'chosen' && decision.option === option.key && decision.by.id === personId;
    const key = JSON.stringify([question.id, personId, option.key]);
    if (hasDecided || recorded.has(key)) return true;
    recorded.add(key);
    for (const oldest of recorded) {
      if (recorded.size <= MOST_REMEMBERED) break;
      recorded.delete(oldest);
    }
    if ((await ports.platform(platformId)?.person(personId))?.isBot === true) return true;
    const line = refusalLine(question.id, question, { personId, option: option.key, reason: 'late' });
    await ports.audit.record(platformId, line);
    return true;
  };
}
