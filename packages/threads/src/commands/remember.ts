import type { WriteOutcome } from '../memory/channel-memory.ts';
import { badFact, code, listed } from '../memory/listing.ts';
import type { CommandResult } from './command.ts';
import { type CommandDefinition, refused, said } from './definition.ts';
import { MEMORY_OFF } from './memory.ts';

export const rememberCommand: CommandDefinition = {
  name: 'remember',
  aliases: [],
  usage: '<text>',
  help: 'Keeps a fact for all sessions in this channel, as background.',
  who: 'allowed',
  isStackable: false,
  needsSession: false,
  isAudited: true,
  takes: 'all',
  // A text over several lines is one fact.
  isLast: true,
  async run({ platform, post, person, rest, memory, session, typed }) {
    if (memory === null) return refused(MEMORY_OFF);
    if (rest === '') return refused(`Write the fact behind it: ${typed('remember we deploy on Tuesdays')}.`);
    const place = { platformId: platform.id, channelId: post.channelId };
    const author = { id: person.id, name: person.name };
    const sessionId = session?.id ?? null;
    return answer(await memory.write(place, { text: rest, source: 'user', author, sessionId }));
  },
};

function answer(outcome: WriteOutcome): CommandResult {
  switch (outcome.kind) {
    case 'saved': {
      const { entry, displaced } = outcome;
      const told = `🧠 Remembered as number ${entry.index}: ${code(entry.text)}`;
      const isOthers = displaced.some(({ text }) => text !== entry.text);
      return said(isOthers ? `${told}\nThe memory was full, so this went:\n${listed(displaced)}` : told);
    }
    case 'known':
      return said(`🧠 I know that already, as number ${outcome.entry.index}: ${code(outcome.entry.text)}`);
    case 'empty':
    case 'too_long':
      return refused(`⚠️ ${badFact(outcome)}`);
    default:
      return refused('⚠️ There is no room for it.');
  }
}
