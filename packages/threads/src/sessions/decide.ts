import type { Standing } from './session.ts';

/** What a post means: the whole rule in one pure function, so that it can be read and tested as a table. */

export interface Situation {
  /** `bot` when the bot is mentioned anywhere; `other` when it begins with somebody else and leaves the bot out. */
  readonly addressed: 'bot' | 'other' | 'nobody';
  readonly isBot: boolean;
  /** Bots' messages in a row up to this one. */
  readonly hops: number;
  /** Neither text, but for the mention, nor files. */
  readonly isEmpty: boolean;
  readonly standing: Standing;
  /** The live session of its thread, or of the channel in direct channel mode. */
  readonly session: { readonly mentionsOnly: boolean } | null;
  /** Whether posts start sessions unmentioned: in direct channel mode with `all_messages`, and in direct messages. */
  readonly startsUnmentioned: boolean;
  /** Whether it was written in a conversation of one person with the bot, where nobody else could let anyone in. */
  readonly isDirect: boolean;
  readonly command: SeenCommand | null;
  /** Whether the author was turned away in this thread before. */
  readonly wasRefused: boolean;
}

export interface SeenCommand {
  /** `unknown` is a word after an exclamation mark that is no command. */
  readonly kind: 'kill' | 'known' | 'unknown';
  readonly who: Standing;
  readonly needsSession: boolean;
  /** Whether it may set up the session that its prompt starts. */
  readonly isStackable: boolean;
  /** For an unknown word: whether a command is so near that it was most likely meant. */
  readonly hasNearest: boolean;
}

export type Meaning =
  | {
      readonly act:
        | 'kill'
        | 'command'
        | 'hint'
        | 'unknown_command'
        | 'no_session'
        | 'hold'
        | 'refuse'
        | 'start';
    }
  /** `mayAnswer`: it is first offered to an open question that takes typed answers. */
  | { readonly act: 'queue' }
  | { readonly act: 'ignore'; readonly why: IgnoredBecause; readonly mayAnswer?: true }
  | { readonly act: 'refuse_command'; readonly needs: Standing };

export type IgnoredBecause = 'side_conversation' | 'not_addressed' | 'quiet' | 'bot_loop' | 'refused_before';

/** A conversation among bots ends after this many messages without a person's. */
export const MOST_HOPS = 4;

const RANK: Readonly<Record<Standing, number>> = { stranger: 0, guest: 1, allowed: 2, owner: 3 };

/** Whether someone of this standing may do what takes at least `needed`. */
export function mayAs(standing: Standing, needed: Standing): boolean {
  return RANK[standing] >= RANK[needed];
}

export function decide(situation: Situation): Meaning {
  const { isBot, hops, standing } = situation;
  if (isBot && hops > MOST_HOPS) return { act: 'ignore', why: 'bot_loop' };
  // What bots write is never a command, whoever allowed them.
  const command = isBot ? null : situation.command;
  // Before everything, and anywhere: whoever reaches for it is in a hurry.
  if (command?.kind === 'kill' && mayAs(standing, 'allowed')) return { act: 'kill' };
  return situation.session === null
    ? withoutSession(situation, command)
    : withSession(situation, situation.session, command);
}

function withoutSession(situation: Situation, command: SeenCommand | null): Meaning {
  const { addressed, standing, startsUnmentioned, isEmpty } = situation;
  if (addressed === 'other') return { act: 'ignore', why: 'side_conversation' };
  if (addressed !== 'bot' && !startsUnmentioned) return { act: 'ignore', why: 'not_addressed' };
  if (!mayAs(standing, 'allowed')) return refusal(situation);
  if (isEmpty) return { act: 'hint' };
  if (command?.kind === 'unknown' && command.hasNearest) return { act: 'unknown_command' };
  if (command === null || command.kind === 'unknown' || command.isStackable) return { act: 'start' };
  return command.needsSession ? { act: 'no_session' } : { act: 'command' };
}

function withSession(
  situation: Situation,
  session: { readonly mentionsOnly: boolean },
  command: SeenCommand | null,
): Meaning {
  const { addressed, standing, isBot, isEmpty } = situation;
  if (addressed === 'other') return { act: 'ignore', why: 'side_conversation' };
  if (command !== null && command.kind !== 'unknown') {
    if (mayAs(standing, command.who)) return { act: 'command' };
    return standing === 'stranger' ? refusal(situation) : { act: 'refuse_command', needs: command.who };
  }
  // Before who it is from, so that talk among others never asks anybody for approval.
  if (session.mentionsOnly && addressed !== 'bot') {
    const mayAnswer = standing !== 'stranger' && !isBot;
    return { act: 'ignore', why: 'quiet', ...(mayAnswer ? { mayAnswer } : {}) };
  }
  if (isEmpty) return { act: 'ignore', why: 'not_addressed' };
  if (standing === 'stranger') {
    if (isBot) return { act: 'ignore', why: 'not_addressed' };
    return situation.isDirect ? refusal(situation) : { act: 'hold' };
  }
  return { act: 'queue' };
}

/** A stranger is told once in a thread, so that nobody can make the bot talk. */
function refusal({ wasRefused, isBot }: Situation): Meaning {
  return wasRefused || isBot ? { act: 'ignore', why: 'refused_before' } : { act: 'refuse' };
}
