/**
 * How a command is typed so that it is heard, as code: `` `!help` ``, or with the mention that it needs where no session
 * listens.
 *
 * @param command Without the exclamation mark, its arguments behind it.
 */
export type Typed = (command: string) => string;

/** @param mention The bot's name where nothing is heard without it; null where commands stand alone. */
export function typedWith(mention: string | null): Typed {
  const before = mention === null ? '' : `@${mention.replaceAll('`', '')} `;
  return (command) => `\`${before}!${command}\``;
}
