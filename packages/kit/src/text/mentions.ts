/** Mentions that ring for everyone at once. */

/** Breaks a token for machines and shows nothing to people. */
const BREAKER = '\u200b';

/**
 * `@everyone` and `@here` are found by Discord in the middle of words too, so they are broken everywhere. `@channel`
 * and `@all` count on no platform within a word, and breaking `anna@all.example` would spoil an address.
 */
const AT_MENTION = /@(?=everyone|here)|(?<![\p{L}\p{N}_.+-])@(?=(?:channel|all)(?![\p{L}\p{N}_]))/giu;

/** Slack's control sequences. `<!date^…>` shows a time and rings for nobody. */
const CONTROL_MENTION = /<(?=!(?:channel|everyone|here|group|subteam\^))/giu;

/**
 * The same visible text, in which no mention of everyone works (`@everyone`, `@here`, `@channel`, `@all`,
 * `<!channel>`, `<!here>`, `<!everyone>`, `<!subteam^…>`): a zero-width space follows the `@` or `<`. Applying it
 * twice changes nothing more. It lengthens the text, so it comes before splitting.
 */
export function neutraliseMassMentions(text: string): string {
  return text.replace(AT_MENTION, `@${BREAKER}`).replace(CONTROL_MENTION, `<${BREAKER}`);
}
