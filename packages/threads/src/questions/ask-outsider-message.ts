import { sanitizeName } from '@postern/kit';
import type { Person } from '../platforms/platform.ts';
import { type AskScope, DENY, scoped } from './ask.ts';
import { inputHash } from './input-hash.ts';
import type { DecidedBy } from './question.ts';
import { codeBlock, excerpt, visible } from './shown-input.ts';

const MOST_FILES_NAMED = 20;

export type OutsiderAnswer =
  | { readonly kind: 'once' | 'invite' | 'denied'; readonly by: DecidedBy }
  /** Nobody answered in time, or the question was withdrawn. */
  | { readonly kind: 'unanswered' };

/**
 * Asks whether a message of someone outside a session may go into it. Guests of a session let nobody else in, so
 * the scope's rule is `owner_or_allowed`, or `owner` where the owner alone approves.
 *
 * @throws PlatformError when it could not be asked.
 */
export async function askOutsiderMessage(
  scope: AskScope,
  message: { readonly author: Person; readonly text: string; readonly fileNames: readonly string[] },
  signal: AbortSignal,
): Promise<OutsiderAnswer> {
  const { author, text, fileNames } = message;
  const name = sanitizeName(author.name, author.id);
  const decision = await scope.questions.ask(
    scoped(scope, {
      kind: 'outsider_message',
      markdown: outsiderText(name, text, fileNames),
      options: [
        { key: 'once', emoji: '+1', label: 'Let this message in', decided: 'Message let in' },
        {
          key: 'invite',
          emoji: 'white_check_mark',
          label: `Invite ${name} into this session`,
          decided: `${name} invited`,
        },
        DENY,
      ],
      takesText: false,
      subject: {
        title: `Message from ${name}`,
        inputHash: inputHash({ author: author.id, text, fileNames }),
      },
    }),
    signal,
  );
  if (decision.kind !== 'chosen') return { kind: 'unanswered' };
  const kind = decision.option === 'once' || decision.option === 'invite' ? decision.option : 'denied';
  return { kind, by: decision.by };
}

function outsiderText(name: string, text: string, fileNames: readonly string[]): string {
  const parts = [`🔒 **${name}** is not in this session and writes:`];
  if (text.trim() !== '') parts.push(codeBlock(visible(excerpt(text))));
  if (fileNames.length > 0) {
    const named = fileNames.slice(0, MOST_FILES_NAMED).map((file) => sanitizeName(file, 'a file'));
    const more = fileNames.length - named.length;
    parts.push(`With files: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`);
  }
  return parts.join('\n');
}
