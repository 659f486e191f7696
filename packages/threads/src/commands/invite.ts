import type { CommandDefinition } from './definition.ts';
import { forEachPerson } from './people.ts';

export const inviteCommand: CommandDefinition = {
  name: 'invite',
  aliases: [],
  usage: '@name …',
  help: 'Lets people into this session.',
  who: 'allowed',
  isStackable: false,
  needsSession: true,
  isAudited: true,
  takes: 'all',
  run(call) {
    return forEachPerson(call, '!invite @name', async (person) => {
      if (call.session === null) return { ok: false, text: 'There is no session.' };
      const outcome = await call.actions.invite(call.session.id, person, call.person);
      return outcome.ok
        ? { ok: true, text: `${call.platform.mention(person)} is in this session now.` }
        : { ok: false, text: outcome.reason };
    });
  },
};
