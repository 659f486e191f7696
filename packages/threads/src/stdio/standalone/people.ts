import type { Log } from '@postern/http/mcp';
import type { Platform } from '../../platforms/platform.ts';
import type { SessionLookup } from '../../questions/approvers.ts';
import type { StandaloneSettings } from '../environment.ts';

/** Who has a say in a session that stands alone. */
export interface StandalonePeople {
  readonly owner: { readonly id: string; readonly name: string } | null;
  readonly lookup: SessionLookup;
}

/**
 * Finds the people named in the settings, once: from then on ids count, so someone who takes over a name has no
 * part in it. Who cannot be found has no say.
 *
 * @throws PlatformError when the platform cannot be asked.
 */
export async function standalonePeople(
  platform: Platform,
  settings: Pick<StandaloneSettings, 'allowedUsers' | 'owner'>,
  log: Log,
): Promise<StandalonePeople> {
  const find = async (text: string) => {
    const person = (await platform.person(text)) ?? (await platform.findPerson(text));
    if (person === null) log.warn({ user: text }, 'nobody of that name or id is known');
    return person;
  };
  // An owner who cannot be found still bounds what may be read: to the bot's own channel.
  const owner =
    settings.owner === null
      ? null
      : ((await find(settings.owner)) ?? { id: settings.owner, name: settings.owner });
  const allowed = new Set<string>();
  for (const text of settings.allowedUsers) {
    const person = await find(text);
    if (person !== null) allowed.add(person.id);
  }
  return {
    owner,
    lookup: {
      view: async () => null,
      async standing(_sessionId, _platformId, personId) {
        if (personId === owner?.id) return 'owner';
        return allowed.has(personId) ? 'allowed' : 'stranger';
      },
    },
  };
}
