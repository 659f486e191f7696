import type { Post } from '../platforms/platform.ts';
import type { Situation } from './decide.ts';

/** Whom a post is for, and what is left of it without the bot's mention. */
export interface Addressing {
  readonly addressed: Situation['addressed'];
  /** The text without a mention of the bot at its beginning or end; a first line that is code stays indented. */
  readonly text: string;
}

/** What may stand between a mention and what is said: `@bot, …`, `@bot: …`. */
const AFTER_MENTION = /^[\s,:;–—-]*/;

export function addressingOf(post: Pick<Post, 'text' | 'mentions'>, botId: string): Addressing {
  const ofBot = post.mentions.filter((mention) => mention.personId === botId);
  const whole = post.text.replace(EMPTY_LINES, '').trimEnd();
  const text = ofBot.reduce((rest, mention) => withoutMention(rest, mention.text), whole);
  if (ofBot.length > 0) return { addressed: 'bot', text };
  const startsWithOther = post.mentions.some((mention) => startsWithMention(post.text.trim(), mention.text));
  return { addressed: startsWithOther ? 'other' : 'nobody', text };
}

const EMPTY_LINES = /^(?:[^\S\n]*\n)+/;

/** Takes a mention off the beginning or the end; within the text it is part of what is said. */
function withoutMention(text: string, mention: string): string {
  const words = text.trimStart();
  if (startsWithMention(words, mention)) return words.slice(mention.length).replace(AFTER_MENTION, '');
  if (text.endsWith(mention) && /\s/.test(text.at(-mention.length - 1) ?? '')) {
    return text.slice(0, -mention.length).trimEnd();
  }
  return text;
}

/** `@bo` is no mention in `@bot …`. */
function startsWithMention(text: string, mention: string): boolean {
  return text.startsWith(mention) && !/^[\w.-]*\w/.test(text.slice(mention.length));
}
