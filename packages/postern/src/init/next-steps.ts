import type { Draft, Token } from './answers.ts';

/** What to do once the file is written, a line each. */
export function nextSteps(
  draft: Draft,
  place: { readonly fileName: string; readonly isUsual: boolean },
): string[] {
  const { platform, people } = draft;
  const config = place.isUsual ? '' : ` --config ${place.fileName}`;
  const variables = tokensOf(draft).flatMap(({ variable }) => variable ?? []);
  const start = place.isUsual ? 'npm start' : `npx postern serve${config}`;
  return [
    `  1. npx postern doctor${config}, which says whether all is well`,
    `  2. ${start}, or start it anew where it runs${variables.length === 0 ? '' : `, with ${variables.join(' and ')} set`}`,
    platform.type === 'local'
      ? `  3. Open the link it prints, and on the Chat page, as ${people[0]?.id ?? 'somebody in allowedUsers'}, in the channel ${platform.channel.id.replace('local:', '')}, write:`
      : `  3. In ${platform.channel.name ?? platform.channel.id}, write:`,
    `       @${platform.botName} what is in this folder?`,
  ];
}

function tokensOf({ platform }: Draft): readonly Token[] {
  switch (platform.type) {
    case 'local':
      return [];
    case 'mattermost':
      return [platform.token];
    case 'slack':
      return [platform.botToken, platform.appToken];
  }
}
