import type { LookUp, PlatformCheck } from '@postern/threads';
import { Refusal } from '../secrets/data-folder.ts';
import type { Draft, NamedId, Token } from './answers.ts';
import { type Asking, answer, choice, type Option } from './asking.ts';
import type { Given } from './given.ts';
import { askChannel, askPeople, type PlatformAnswers, personIn } from './platform-questions.ts';
import type { Credentials } from './platforms.ts';

/** Asks for a platform on a server of its own. What is wrong shows at once, and only that is asked again. */

export interface Platforms {
  check(credentials: Credentials): Promise<readonly PlatformCheck[]>;
  lookUp(credentials: Credentials): LookUp;
}

/** One kind of platform. */
export interface RemoteKind<Field extends string> {
  readonly fields: readonly RemoteField<Field>[];
  /** Which field is to blame for a check that failed. */
  readonly blame: Readonly<Record<string, Field>>;
  credentials(values: Readonly<Record<Field, Token>>, channelId: string): Credentials;
  platform(values: Readonly<Record<Field, Token>>, channel: NamedId, botName: string): Draft['platform'];
}

export interface RemoteField<Field extends string> {
  readonly name: Field;
  /** For the one who is asked what to change. */
  readonly meaning: string;
  /** @param isFirst Whether flags and variables may answer; later they have been found wrong. */
  ask(isFirst: boolean): Promise<Token>;
}

/** Checks from here on need a channel. */
const CHANNEL_CHECK = 'channel';
/** What is mended on the server, so that one looks again rather than types something else. */
const MENDED_THERE = new Set(['membership', 'connection', 'scopes']);

export async function askRemote<Field extends string>(
  asking: Asking,
  given: Given,
  platforms: Platforms,
  kind: RemoteKind<Field>,
): Promise<PlatformAnswers> {
  const values = {} as Record<Field, Token>;
  for (const { name, ask } of kind.fields) values[name] = await ask(true);
  const correct = async (field: string): Promise<void> => {
    const found = kind.fields.find(({ name }) => name === field);
    if (found !== undefined) values[found.name] = await found.ask(false);
  };
  const fieldFor = ({ name }: PlatformCheck): Option<string> | null => {
    const field = kind.fields.find((each) => each.name === kind.blame[name]);
    return field === undefined ? null : { key: field.name, meaning: field.meaning };
  };

  asking.say('Asking the server …');
  await untilWell(asking, {
    async check() {
      const checks = await platforms.check(kind.credentials(values, ''));
      const at = checks.findIndex(({ name }) => name === CHANNEL_CHECK);
      return at < 0 ? checks : checks.slice(0, at);
    },
    fieldFor,
    correct,
  });
  let lookUp = platforms.lookUp(kind.credentials(values, ''));
  const { name } = await lookUp.self();
  asking.say(`The server knows the bot as @${name}.`);
  let channel = await askChannel(asking, given.channel, lookUp, name);
  await untilWell(asking, {
    check: () => platforms.check(kind.credentials(values, channel.id)),
    fieldFor: (check) =>
      [CHANNEL_CHECK, 'membership'].includes(check.name)
        ? { key: CHANNEL_CHECK, meaning: 'Another channel' }
        : fieldFor(check),
    async correct(field) {
      if (field === CHANNEL_CHECK) channel = await askChannel(asking, undefined, lookUp, name);
      else await correct(field);
    },
  });
  // With what has been corrected since.
  lookUp = platforms.lookUp(kind.credentials(values, channel.id));
  const people = await askPeople(asking, given, personIn(lookUp));
  return { platform: kind.platform(values, channel, name), people };
}

interface Trial {
  check(): Promise<readonly PlatformCheck[]>;
  /** What can be changed when a check has failed; null: nothing here. */
  fieldFor(check: PlatformCheck): Option<string> | null;
  correct(field: string): Promise<void>;
}

/** @throws Refusal with all that is wrong, when nobody is there to correct it. */
async function untilWell(asking: Asking, { check, fieldFor, correct }: Trial): Promise<void> {
  for (;;) {
    const bad = (await check()).filter(({ ok }) => !ok);
    const [first] = bad;
    if (first === undefined) return;
    const told = bad.map(({ problem = 'It does not work.', remedy = '' }) => `${problem} ${remedy}`.trim());
    if (asking.prompter === null) throw new Refusal(told.join(' '));
    for (const { problem, remedy } of bad) {
      asking.say(`  ${problem ?? 'It does not work.'}`);
      if (remedy !== undefined) asking.say(`  -> ${remedy}`);
    }
    const again = { key: 'again', meaning: 'Look again, once it is mended there' };
    const field = fieldFor(first);
    const options = field === null ? [again] : MENDED_THERE.has(first.name) ? [again, field] : [field, again];
    const next = await answer(
      asking,
      choice(options, { source: '', question: 'What next', fallback: options[0]?.key ?? again.key }),
    );
    if (next !== again.key) await correct(next);
  }
}
