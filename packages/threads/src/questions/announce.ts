import type { Log } from '@postern/http';
import type { Platform, PostRef } from '../platforms/platform.ts';
import type { Approvers, Decision, NewQuestion } from './question.ts';
import { inLine } from './shown-input.ts';
import { legend, outcomeLine } from './texts.ts';

/** What of a question its posts are made of. */
export type Shown = Pick<
  NewQuestion,
  'kind' | 'markdown' | 'options' | 'takesText' | 'channelId' | 'threadId' | 'subject'
> & { readonly approvers: Approvers | Approvers['rule'] };

/** The question as its posts have it, the last of them with how to answer. */
export function piecesOf(platform: Platform, question: Shown): string[] {
  const how = howTo(platform, question);
  return platform.split(how === '' ? question.markdown : `${question.markdown}\n\n${how}`);
}

/**
 * Makes a closed question's last post say what became of it, and where that fails, says it in a reply. A question
 * whose post is not known (the process died while it was posting) is told of by a reply too.
 */
export async function announce(
  { platform, log }: { readonly platform: Platform; readonly log: Log },
  questionId: string,
  question: Shown,
  ref: PostRef | null,
  decision: Decision,
): Promise<void> {
  const outcome = outcomeLine({ ...question, decision });
  if (ref !== null && platform.capabilities.edit) {
    const text = withOutcome(platform, question, outcome);
    if (platform.split(text).length === 1) {
      try {
        await platform.edit(ref, text);
        return;
      } catch (error) {
        log.warn({ err: error, question: questionId }, 'the post of a closed question could not be edited');
      }
    }
  }
  try {
    for (const markdown of platform.split(`${inLine(question.subject.title)}\n${outcome}`)) {
      const { channelId, threadId } = question;
      await platform.post({ channelId, threadId, markdown, key: `${questionId}:outcome` });
    }
  } catch (error) {
    log.error({ err: error, question: questionId }, 'nobody could be told that a question is closed');
  }
}

/** The last post, in which how to answer gives way to what was answered. */
function withOutcome(platform: Platform, question: Shown, outcome: string): string {
  const piece = piecesOf(platform, question).at(-1) ?? '';
  const how = howTo(platform, question);
  const rest = how !== '' && piece.endsWith(how) ? piece.slice(0, -how.length) : piece;
  return rest.trim() === '' ? outcome : `${rest.trimEnd()}\n\n${outcome}`;
}

function howTo(platform: Platform, question: Shown): string {
  const { approvers, channelId } = question;
  const rule = typeof approvers === 'string' ? approvers : approvers.rule;
  // In direct messages there is nobody else to tell.
  return legend({ ...question, isForOwner: rule === 'owner' && channelId === platform.channelId });
}
