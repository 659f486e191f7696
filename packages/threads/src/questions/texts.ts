import { sanitizeName } from '@postern/kit';
import type { Decision, NewQuestion, QuestionKind, QuestionOption, WithdrawReason } from './question.ts';

/** What the posts of questions say beside the question itself. */

const GLYPHS: Readonly<Record<string, string>> = {
  '+1': '👍',
  '-1': '👎',
  white_check_mark: '✅',
  one: '1️⃣',
  two: '2️⃣',
  three: '3️⃣',
  four: '4️⃣',
  five: '5️⃣',
  six: '6️⃣',
  seven: '7️⃣',
  eight: '8️⃣',
  nine: '9️⃣',
  keycap_ten: '🔟',
};

/** An emoji in a text: its character where it is one of ours, else its name between colons. */
export function glyph(emoji: string): string {
  return GLYPHS[emoji] ?? `:${emoji}:`;
}

const LONGEST_LABEL = 200;
const OWNER_DECIDES = 'Whoever began this session decides, and whom they invited';

export type Legend = Pick<NewQuestion, 'kind' | 'options' | 'takesText'> & {
  /** Whether others see it who may not answer, although they may write to the agent. */
  readonly isForOwner: boolean;
};

/**
 * The lines that tell how to answer; the reactions hang on the post that ends with them. The options of a choice
 * stand in the question itself.
 */
export function legend({ kind, options, takesText, isForOwner }: Legend): string {
  const shown = options.filter(({ emoji }) => emoji !== null);
  const choices =
    kind === 'choice' && shown.length > 0
      ? ['React with the sign of your choice']
      : shown.map(({ emoji, label }) => `${glyph(emoji ?? '')} ${label}`);
  const how = [
    ...choices,
    ...(takesText ? [choices.length > 0 ? 'or write an answer' : 'Write an answer'] : []),
  ].join(' · ');
  return how !== '' && isForOwner ? `${how}\n${OWNER_DECIDES}` : how;
}

export interface Ended {
  readonly kind: QuestionKind;
  readonly options: readonly QuestionOption[];
  readonly decision: Decision;
}

const WITHDRAWN: Readonly<Record<WithdrawReason, string>> = {
  cancelled: 'the agent no longer waits for an answer',
  restarted: 'the bot was restarted while this was open. Reactions here do nothing any more',
  session_ended: 'the session has ended',
  superseded: 'a newer one has taken its place',
};

/** What became of a question and who decided it, in a line. */
export function outcomeLine({ kind, options, decision }: Ended): string {
  // What nobody answered counts as a no, and only a plain question has no such thing.
  const closed = kind === 'choice' ? 'Closed' : 'Denied';
  const isProposal = kind === 'routine' || kind === 'watch';
  switch (decision.kind) {
    case 'chosen': {
      const option = options.find(({ key }) => key === decision.option);
      const mark = option?.emoji ? `${glyph(option.emoji)} ` : '';
      const what = (option?.decided ?? option?.label ?? decision.option).replaceAll(/\s+/g, ' ');
      return `${mark}**${what.slice(0, LONGEST_LABEL).toWellFormed()}** by ${decider(decision.by)}`;
    }
    case 'typed':
      return `💬 **Answered** by ${decider(decision.by)}`;
    case 'expired':
      return `⌛ **${closed}**: nobody answered before the time was up`;
    case 'withdrawn':
      return `🚫 **${closed}**: ${WITHDRAWN[decision.reason]}${isProposal && decision.reason === 'restarted' ? '. Nothing was saved; ask for it anew' : ''}`;
  }
}

function decider(by: { readonly id: string; readonly name: string; readonly via: string }): string {
  return by.via === 'console'
    ? `${sanitizeName(by.name, by.id)} in the console`
    : sanitizeName(by.name, by.id);
}
