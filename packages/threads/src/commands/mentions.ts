import { type CommandDefinition, refused, said } from './definition.ts';

export const mentionsCommand: CommandDefinition = {
  name: 'mentions',
  aliases: [],
  usage: '[on|off]',
  help: 'With on, the session takes only messages that mention the bot; with off, all of its thread.',
  who: 'allowed',
  isStackable: false,
  needsSession: true,
  isAudited: true,
  takes: 1,
  async run({ session, person, args: [word], actions }) {
    if (session === null) return refused('There is no session.');
    const wanted = word?.toLowerCase();
    if (wanted === undefined) {
      return said(
        `👂 This session takes ${session.mentionsOnly ? 'only messages that mention me' : 'all messages'}.`,
      );
    }
    if (wanted !== 'on' && wanted !== 'off') return refused('Write `!mentions on` or `!mentions off`.');
    await actions.changeMentionsOnly(session.id, wanted === 'on', person);
    return said(
      `👂 From now on this session takes ${wanted === 'on' ? 'only messages that mention me' : 'all messages'}.`,
    );
  },
};
