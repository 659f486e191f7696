import { type LookUp, PlatformError } from '@postern/threads';
import type { Draft, NamedId, Token } from './answers.ts';
import { type Asking, answer, Unfit } from './asking.ts';
import { type Given, givenToken } from './given.ts';
import { people } from './readers.ts';

/** What is asked of more than one kind of platform. */

export type PlatformAnswers = Pick<Draft, 'platform' | 'people'>;

export interface SecretQuestion {
  readonly variable: string;
  readonly question: string;
  /** @throws Unfit */
  read(text: string): string;
}

/** @param isFirst Whether the variable may answer; later it has been found wrong. */
export async function askToken(
  asking: Asking,
  given: Given,
  { variable, question, read }: SecretQuestion,
  isFirst: boolean,
): Promise<Token> {
  const from = isFirst ? givenToken(given.environment, variable) : undefined;
  const value = await answer(asking, {
    source: variable,
    placeholder: `(or ${variable}_FILE)`,
    question: `${question}; nothing is shown as you type`,
    isSecret: true,
    given: from?.value,
    read,
  });
  return { value, variable: from?.value === value ? variable : null };
}

export function askChannel(
  asking: Asking,
  given: string | undefined,
  lookUp: LookUp,
  bot: string,
): Promise<NamedId> {
  return answer(asking, {
    source: '--channel',
    placeholder: 'CHANNEL',
    question: 'Channel the bot works in: its name, its id, or a link to it',
    given,
    async read(text): Promise<NamedId> {
      const found = await asked(() => lookUp.channels(text));
      const [channel, ...others] = found;
      if (channel === undefined) {
        throw new Unfit(
          `@${bot} finds no such channel: by name it knows those it is in. Write /invite @${bot} there, and answer again.`,
        );
      }
      if (others.length > 0) {
        const list = found.map(({ id, team }) => `${id}${team === null ? '' : ` in ${team}`}`).join(', ');
        throw new Unfit(`Several channels have this name: ${list}. Give the id of one.`);
      }
      return { id: channel.id, name: `#${channel.name}` };
    },
  });
}

/** @param find Who an entry means. @throws Unfit */
export function askPeople(
  asking: Asking,
  given: Given,
  find: (text: string) => Promise<NamedId>,
): Promise<NamedId[]> {
  return answer(asking, {
    source: '--allow',
    placeholder: 'PEOPLE',
    question: 'Who may start sessions and approve: names or ids, with commas between them, or nobody',
    given: given.allow,
    async read(text) {
      const found: NamedId[] = [];
      for (const entry of people(text)) {
        const person = await find(entry);
        if (!found.some(({ id }) => id === person.id)) found.push(person);
      }
      return found;
    },
  });
}

/** People of a platform by their ids, so that whoever takes a name later is somebody else. */
export function personIn(lookUp: LookUp): (text: string) => Promise<NamedId> {
  return async (text) => {
    const person = await asked(() => lookUp.person(text));
    if (person === null) throw new Unfit(`Nobody here is called ${text}; give a user name or an id.`);
    if (person.isBot) throw new Unfit(`${text} is a bot; bots are let in by allowedBots, not here.`);
    return { id: person.id, name: person.name };
  };
}

/** What the platform refuses for now is a reason to ask again. */
async function asked<Value>(ask: () => Promise<Value>): Promise<Value> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof PlatformError) throw new Unfit(`It could not be looked up: ${error.message}.`);
    throw error;
  }
}
