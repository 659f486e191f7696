import { type Asking, answer } from './asking.ts';
import type { Given } from './given.ts';
import { askPeople, type PlatformAnswers } from './platform-questions.ts';
import { botName, localChannel, localPerson } from './readers.ts';

/** The embedded chat needs no account, so all is known beforehand, but for who will come. */
export async function askLocal(asking: Asking, given: Given): Promise<PlatformAnswers> {
  const channel = await answer(asking, {
    source: '--channel',
    placeholder: 'CHANNEL',
    question: 'Channel of the local chat; it is made where there is none',
    fallback: 'agents',
    given: given.channel,
    read: localChannel,
  });
  const name = await answer(asking, {
    source: '--bot-name',
    placeholder: 'NAME',
    question: 'Name of the bot, which people mention with @',
    fallback: 'postern',
    given: given.botName,
    read: botName,
  });
  const people = await askPeople(asking, given, async (text) => localPerson(text));
  return {
    platform: { type: 'local', channel: { id: `local:${channel}`, name: null }, botName: name },
    people,
  };
}
