import type { TaskKind } from '../unattended/task.ts';
import { type CommandDefinition, refused, silent } from './definition.ts';

const WORDS = {
  routine: {
    usage: '<what, and when>',
    help: 'Has something done regularly: `!routine every weekday at 9 sum up the open pull requests`. It is shown first, and saved on 👍.',
    hint: 'Say what to do and when',
    example: 'every weekday at 9 sum up the open pull requests',
  },
  watch: {
    usage: '<what to look for, and what to do>',
    help: 'Has something done when a message fits: `!watch when someone reports an outage, look at the logs`. It is shown first, and saved on 👍.',
    hint: 'Say what to look for and what to do',
    example: 'when someone reports an outage, look at the logs',
  },
} as const satisfies Record<TaskKind, object>;

/** `!routine` and `!watch`: from prose to a card, which people approve. */
export function proposeCommand(kind: TaskKind): CommandDefinition {
  const { usage, help, hint, example } = WORDS[kind];
  return {
    name: kind,
    aliases: [],
    usage,
    help,
    who: 'allowed',
    feature: kind === 'routine' ? 'routines' : 'watches',
    isStackable: false,
    needsSession: false,
    isAudited: true,
    takes: 'all',
    isLast: true,
    async run({ rest, tasks, session, post, person, platform, typed }) {
      const fault = tasks.whyNot(kind, 'make');
      if (fault !== null) return refused(`⚠️ ${fault}`);
      if (post.channelId !== platform.channelId) {
        return refused(`⚠️ Mention me with \`!${kind}\` in the channel, where all can see what runs there.`);
      }
      if (session?.isUnattended === true) {
        return refused(`⚠️ This session runs unattended; mention me with \`!${kind}\` in another thread.`);
      }
      const prose = rest.trim();
      if (prose === '') return refused(`${hint}: ${typed(`${kind} ${example}`)}.`);
      const reading = await tasks.fromProse(kind, prose);
      if (!reading.ok) return refused(`⚠️ ${reading.reason}`);
      const failure = await tasks.propose({
        draft: reading.draft,
        creator: { id: person.id, name: person.name },
        isByAgent: false,
        sessionId: session?.id ?? null,
        channelId: post.channelId,
        threadId: post.threadId,
      });
      return failure === null ? silent : refused(`⚠️ The card could not be posted: ${failure}`);
    },
  };
}
