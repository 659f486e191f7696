import { canonicalEmoji } from '../platforms/emoji.ts';
import type { Person, Platform } from '../platforms/platform.ts';
import { mayAnswer } from './approvers.ts';
import type { OpenQuestion } from './open-question.ts';
import type { QuestionPorts } from './ports.ts';
import type { ChooseOutcome, Decision, QuestionOption } from './question.ts';
import { refusalLine } from './records.ts';

/** So many refusals of one question go on record; whoever sends more has been seen. */
const MOST_REFUSALS = 100;
/** Pauses before the reactions that came while a question was being posted are looked up again. */
const LOOK_AGAIN_MS = [1_000, 5_000, 15_000];

export interface Answering {
  /** Tries to close a question with a decision; false when it was closed before, or the deadline is over. */
  attempt(entry: OpenQuestion, decision: Decision): Promise<boolean>;
}

/** From what people do to answers: the one rule of who may, whichever way they answer. */
export function answering(ports: QuestionPorts, attempt: Answering['attempt']) {
  const { clock, log } = ports;

  const isLate = (entry: OpenQuestion) => clock.nowMicroseconds() >= entry.deadlineMicroseconds;

  const refuse = async (
    entry: OpenQuestion,
    personId: string,
    option: string,
    reason: 'no_approver' | 'late',
  ): Promise<void> => {
    const key = JSON.stringify([personId, option, reason]);
    if (entry.refused.has(key) || entry.refused.size >= MOST_REFUSALS) return;
    entry.refused.add(key);
    const line = refusalLine(entry.id, entry.question, { personId, option, reason });
    await ports.audit.record(entry.question.platformId, line);
  };

  const isApprover = ({ question }: OpenQuestion, personId: string) =>
    mayAnswer(ports.sessions, question.approvers.rule, question, personId);

  /** Null for a bot, the own one among them. Someone whom the platform does not know goes by the id. */
  const human = async (
    entry: OpenQuestion,
    personId: string,
  ): Promise<Pick<Person, 'id' | 'name'> | null> => {
    const platform = ports.platform(entry.question.platformId);
    if (platform === null) return null;
    const person = await platform.person(personId);
    if (person?.isBot === true) return null;
    return { id: personId, name: person?.name ?? personId };
  };

  const choose = async (
    entry: OpenQuestion,
    personId: string,
    option: string,
    via: 'reaction' | 'typed',
  ): Promise<ChooseOutcome> => {
    if (isLate(entry)) {
      await refuse(entry, personId, option, 'late');
      return 'refused';
    }
    const person = (await isApprover(entry, personId)) ? await human(entry, personId) : null;
    if (person === null) {
      await refuse(entry, personId, option, 'no_approver');
      return 'refused';
    }
    if (await attempt(entry, { kind: 'chosen', option, by: { ...person, via } })) return 'decided';
    if (!isLate(entry)) return 'none_open';
    await refuse(entry, personId, option, 'late');
    return 'refused';
  };

  const react = async (entry: OpenQuestion, personId: string, emoji: string): Promise<void> => {
    const option = optionOf(entry.question.options, emoji);
    if (option !== undefined) await choose(entry, personId, option.key, 'reaction');
  };

  /** Takes the reactions that came before the post was on record. Where someone put several, a no goes first. */
  const catchUp = async (platform: Platform, entry: OpenQuestion): Promise<void> => {
    const { signal } = entry.over;
    for (const pause of [...LOOK_AGAIN_MS, null]) {
      if (entry.ref === null || signal.aborted) return;
      try {
        const found = await platform.reactions(entry.ref);
        const isNo = (emoji: string) => optionOf(entry.question.options, emoji)?.key === 'deny';
        for (const { personId, emoji } of found.toSorted(
          (a, b) => Number(isNo(b.emoji)) - Number(isNo(a.emoji)),
        )) {
          if (!signal.aborted) await react(entry, personId, emoji);
        }
        return;
      } catch (error) {
        log.warn({ err: error, question: entry.id }, 'the reactions of a question could not be read');
        if (pause !== null) await clock.sleep(pause, signal);
      }
    }
  };

  const addOptions = async (platform: Platform, entry: OpenQuestion): Promise<void> => {
    if (!platform.capabilities.reactions) return;
    for (const { emoji } of entry.question.options) {
      if (entry.ref === null || entry.over.signal.aborted) return;
      if (emoji === null) continue;
      // People can still add it themselves, or answer another way.
      await platform
        .react(entry.ref, emoji)
        .catch((error: unknown) => log.warn({ err: error, emoji }, 'an option could not be added'));
    }
  };

  return {
    react,

    /** Puts the options below the post, in their order, and takes what people have answered meanwhile. */
    async offer(platform: Platform, entry: OpenQuestion): Promise<void> {
      await Promise.all([addOptions(platform, entry), catchUp(platform, entry)]);
    },

    /** Someone picks an option by a command. */
    async choose(entry: OpenQuestion, personId: string, option: string): Promise<ChooseOutcome> {
      if (!entry.question.options.some(({ key }) => key === option)) return 'none_open';
      return choose(entry, personId, option, 'typed');
    },

    /** Someone writes in the thread; false leaves it a message as any other. */
    async type(entry: OpenQuestion, personId: string, text: string): Promise<boolean> {
      if (isLate(entry) || !(await isApprover(entry, personId))) return false;
      const person = await human(entry, personId);
      if (person === null) return false;
      return attempt(entry, { kind: 'typed', text, by: { ...person, via: 'typed' } });
    },
  };
}

/** The option that an emoji stands for, in whatever skin tone. */
export function optionOf(options: readonly QuestionOption[], emoji: string): QuestionOption | undefined {
  const name = canonicalEmoji(emoji);
  return options.find((option) => option.emoji !== null && canonicalEmoji(option.emoji) === name);
}
