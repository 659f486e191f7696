import type { Person } from '../platforms/platform.ts';
import type { CommandCall, CommandResult } from './command.ts';
import { refused } from './definition.ts';

const MOST_PEOPLE = 20;

/** Someone named in a command: by a mention, by `@name`, by id, or by the platform's own form of a mention. */
async function personOf({ platform, post, session }: CommandCall, word: string): Promise<Person | null> {
  const name = word.replace(/[,;]$/, '');
  const mentioned = post.mentions.find(({ text, personId }) => personId !== null && text === name)?.personId;
  if (mentioned) return (await platform.person(mentioned)) ?? platform.findPerson(name);
  const found = await platform.findPerson(name);
  if (found !== null) return found;
  // Who has left the platform can still be put out.
  const bare = name.replace(/^@/, '');
  const participant = session?.participants.find((each) => each.id === bare || each.name === bare);
  return participant ? { id: participant.id, name: participant.name, isBot: false } : null;
}

/** Does something for each person a command names, and says for each how it went. */
export async function forEachPerson(
  call: CommandCall,
  usage: string,
  act: (person: Person) => Promise<{ readonly ok: boolean; readonly text: string }>,
): Promise<CommandResult> {
  const { args } = call;
  if (args.length === 0) return refused(`Say whom: \`${usage}\`.`);
  if (args.length > MOST_PEOPLE) return refused(`At most ${MOST_PEOPLE} people at a time.`);
  const lines: string[] = [];
  let done = false;
  for (const word of args) {
    const person = await personOf(call, word);
    if (person === null) {
      lines.push(`⚠️ I know nobody called \`${word.replaceAll('`', '')}\` here.`);
      continue;
    }
    const outcome = await act(person);
    lines.push(`${outcome.ok ? '✅' : '⚠️'} ${outcome.text}`);
    done ||= outcome.ok;
  }
  return { reply: lines.join('\n'), done };
}
