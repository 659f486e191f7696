/** How what an agent wants to do is shown to people: all of it, so that nothing can hide in what is cut. */

/** So much of one value is shown in full. */
const LONGEST_VALUE = 1_500;
/** So much of its end, when it is longer. */
const END_LENGTH = 200;
const LONGEST_INPUT = 12_000;
const LONGEST_INLINE = 200;

/**
 * The text, and of one that is longer than the limit the start, how much follows, and its end: what matters most
 * of a command may stand last.
 */
export function excerpt(text: string, limit: number = LONGEST_VALUE): string {
  if (text.length <= limit) return text;
  const rest = text.length - limit;
  const end = Math.min(END_LENGTH, rest);
  const note =
    end === rest ? `${rest} more characters:` : `${rest} more characters, left out but for the last ${end}:`;
  return `${text.slice(0, limit).toWellFormed()}\n[${note}]\n${text.slice(-end).toWellFormed()}`;
}

/** Controls, bidi marks and invisible characters written out, so that the text reads as the machine takes it. */
export function visible(text: string): string {
  return text.replace(UNSEEN, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/** All that is not seen but line breaks, tabs, and what joins and colours emoji. */
const UNSEEN =
  /(?![\n\t]|(?<=\p{Emoji})\ufe0f|(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)\u200d)[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;

/** Text in a line that is no markup. */
export function inLine(text: string): string {
  return visible(text.replaceAll(/\s+/g, ' ')).replaceAll(/[*_`~[\]<>\\|]/g, (mark) => `\\${mark}`);
}

/** A code block that nothing in the text can end. */
export function codeBlock(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

/** A short text in a line; one that does not fit there is null. */
export function inlineCode(text: string): string | null {
  const shown = visible(text);
  return shown !== '' && shown.length <= LONGEST_INLINE && !/[`\n\t]/.test(shown) ? `\`${shown}\`` : null;
}

/**
 * Markdown with every field of a tool's input. One value is shown up to 1,500 characters, and how many more there
 * are; fields beyond 12,000 characters are shown together as one value.
 */
export function shownInput(input: Readonly<Record<string, unknown>>): string {
  const parts: string[] = [];
  let length = 0;
  const fields = Object.entries(input);
  for (const [index, [key, value]] of fields.entries()) {
    const part = field(key, value);
    if (length + part.length > LONGEST_INPUT) {
      const rest = fields.slice(index);
      parts.push(field(`${rest.length} more`, Object.fromEntries(rest)));
      break;
    }
    parts.push(part);
    length += part.length;
  }
  return parts.join('\n');
}

function field(key: string, value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');
  const name = inlineCode(excerpt(key, 80)) ?? '`?`';
  const inline = inlineCode(text);
  return inline === null ? `${name}:\n${codeBlock(visible(excerpt(text)))}` : `${name}: ${inline}`;
}
