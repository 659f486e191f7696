import { neutraliseMassMentions } from '@postern/kit';

/** Slack's control characters as the entities it wants them to be; it unescapes these three and no others. */
export function escapeMrkdwn(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** A mention of one person, the only control sequence that a Markdown text may carry into a post. */
const PERSON = /<@([UW][A-Z0-9]{2,})>/g;

/** Text outside code: mentions of everyone neutralised, all else escaped, mentions of a person kept. */
export function proseMrkdwn(text: string): string {
  const safe = neutraliseMassMentions(text);
  let out = '';
  let from = 0;
  for (const match of safe.matchAll(PERSON)) {
    out += `${escapeMrkdwn(safe.slice(from, match.index))}${match[0]}`;
    from = match.index + match[0].length;
  }
  return out + escapeMrkdwn(safe.slice(from));
}

const BREAKER = '\u200b';

/** A mark at the beginning of a word that Slack would take for formatting, since one at the end of a word follows. */
const OPENING = /(?<![\p{L}\p{N}_])([*_~`])(?=\S)(?=[^\n]*?\S\1(?![\p{L}\p{N}_]))/gu;

/**
 * Text that is none of the author's formatting: a `*x*` in it is to be read so. Slack has no escapes for its marks; a
 * zero-width space behind the first of two keeps them from counting. A mark alone, as in a path, stays as it is.
 */
export function literalMrkdwn(text: string): string {
  return proseMrkdwn(text).replaceAll(OPENING, `$1${BREAKER}`);
}

/**
 * A code block. Slack ends one at the first three backticks, so a run of them in the code is broken by a zero-width
 * space; nothing else about the code changes.
 */
export function codeBlock(code: string): string {
  return `\`\`\`\n${escapeMrkdwn(code).replaceAll(/``(?=`)/g, `\`\`${BREAKER}`)}\n\`\`\``;
}

/** Code within a line. Single backticks cannot hold a backtick, three can. */
export function codeSpan(code: string): string {
  const safe = escapeMrkdwn(code).replaceAll(/``(?=`)/g, `\`\`${BREAKER}`);
  return code.includes('`') ? `\`\`\`${safe}\`\`\`` : `\`${safe}\``;
}

const LINKABLE = /^(?:https?|mailto|tel):/i;
/** What would end or divide a link, or could be taken for a mention of everyone: goes as percent escapes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const UNFIT = /[\u0000- <>|`\u007f]|@(?=here|channel|everyone)/g;

/** A link with its label; null where Slack would not link to it (a path, an unknown scheme). */
export function linkMrkdwn(url: string, label: string): string | null {
  if (!LINKABLE.test(url)) return null;
  const target = escapeMrkdwn(url.replaceAll(UNFIT, (unfit) => encodeURIComponent(unfit)));
  const shown = label.replaceAll(/\s+/g, ' ').trim();
  return shown === '' || shown === url
    ? `<${target}>`
    : `<${target}|${escapeMrkdwn(neutraliseMassMentions(shown))}>`;
}
