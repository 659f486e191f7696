import type { CommandDefinition } from './definition.ts';
import { forEachPerson } from './people.ts';

export const kickCommand: CommandDefinition = {
  name: 'kick',
  aliases: [],
  usage: '@name …',
  help: 'Takes back an invitation into this session.',
  who: 'allowed',
  isStackable: false,
  needsSession: true,
  isAudited: true,
  takes: 'all',
  run(call) {
    return forEachPerson(call, '!kick @name', async (person) => {
      if (call.session === null) return { ok: false, text: 'There is no session.' };
      const outcome = await call.actions.kick(call.session.id, person, call.person);
      return outcome.ok
        ? { ok: true, text: `${person.name} is no longer in this session.` }
        : { ok: false, text: outcome.reason };
    });
  },
};
