import { sanitizeName } from '@postern/kit';
import type { Person } from '../platforms/platform.ts';
import { ALLOW_ONCE, type AskScope, DENY, refusal, scoped } from './ask.ts';
import { inputHash } from './input-hash.ts';
import { codeBlock, excerpt, visible } from './shown-input.ts';

/** The longest message that may be sent, so all of it is shown. */
const LONGEST_MESSAGE = 4_000;

export type DirectMessageAnswer =
  /** `always`: this recipient needs no more asking in the session. */
  { readonly kind: 'once' | 'always' } | { readonly kind: 'refused'; readonly reason: string };

/**
 * Asks whether a session may write someone a direct message.
 *
 * @throws PlatformError when it could not be asked.
 */
export async function askDirectMessage(
  scope: AskScope,
  message: { readonly recipient: Person; readonly text: string },
  signal: AbortSignal,
): Promise<DirectMessageAnswer> {
  const { recipient, text } = message;
  const name = sanitizeName(recipient.name, recipient.id);
  const decision = await scope.questions.ask(
    scoped(scope, {
      kind: 'direct_message',
      markdown: `✉️ **Permission requested:** send a direct message to ${name}\n${codeBlock(visible(excerpt(text, LONGEST_MESSAGE)))}`,
      options: [
        ALLOW_ONCE,
        {
          key: 'always',
          emoji: 'white_check_mark',
          label: `Allow all further messages to ${name} in this session`,
          decided: `Allowed, as are all further messages to ${name} in this session,`,
        },
        DENY,
      ],
      takesText: false,
      subject: {
        title: `Direct message to ${name}`,
        tool: 'send_dm',
        inputHash: inputHash({ recipient: recipient.id, text }),
      },
    }),
    signal,
  );
  if (decision.kind === 'chosen' && decision.option === 'allow') return { kind: 'once' };
  if (decision.kind === 'chosen' && decision.option === 'always') return { kind: 'always' };
  return { kind: 'refused', reason: refusal(decision) };
}
