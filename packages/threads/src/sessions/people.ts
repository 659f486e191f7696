import type { Log } from '@postern/http';
import { type Clock, sanitizeName } from '@postern/kit';
import { getOrCreateSetting, type Store } from '@postern/store';
import type { Person, Platform } from '../platforms/platform.ts';
import type { ThreadsTables } from '../tables.ts';

const RETRY_MS = 5_000;

/** Who is who on one platform: the bot itself, and the people on its list by their ids. */
export interface People {
  /** Who the bot is; asked once. @throws PlatformError */
  self(): Promise<Person>;
  /** Whether an id is on the list; false until {@link resolve} is through. */
  isAllowed(personId: string): boolean;
  isAllowedBot(personId: string): boolean;
  /** Looks up the names on the list; tries until the platform answers or the signal aborts. */
  resolve(signal: AbortSignal): Promise<void>;
}

/**
 * An entry of the list is an id, or a name that is looked up once, when the platform first knows of it, and is that
 * person's id from then on, in the store too: whoever takes the name later is somebody else. An entry that nobody
 * has is an id that is yet to come; written with `@` it is a name, and is looked up anew at each start until found.
 */
export function createPeople(options: {
  readonly platform: Platform;
  readonly store: Store<ThreadsTables>;
  readonly clock: Clock;
  readonly log: Log;
  readonly allowedUsers: readonly string[];
  readonly allowedBots: readonly string[];
}): People {
  const { platform, store, clock, log } = options;
  const allowed = new Set<string>();
  const bots = new Set(options.allowedBots);
  let self: Promise<Person> | null = null;

  async function idOf(entry: string): Promise<string | null> {
    const key = `threads.person.${platform.id}.${entry}`;
    const known = await store.db
      .selectFrom('settings')
      .select('value')
      .where('key', '=', key)
      .executeTakeFirst();
    if (known) return known.value;
    const person = entry.startsWith('@')
      ? await platform.findPerson(entry)
      : ((await platform.person(entry)) ?? (await platform.findPerson(entry)));
    if (person === null && entry.startsWith('@')) {
      log.warn({ platform: platform.id, entry }, 'nobody on the platform has this name of allowedUsers yet');
      return null;
    }
    return getOrCreateSetting(store, key, () => person?.id ?? entry);
  }

  return {
    self() {
      self ??= platform.self().catch((error: unknown) => {
        self = null;
        throw error;
      });
      return self;
    },
    isAllowed: (personId) => allowed.has(personId),
    isAllowedBot: (personId) => bots.has(personId),
    async resolve(signal) {
      for (const entry of options.allowedUsers) {
        while (!signal.aborted) {
          try {
            const id = await idOf(entry);
            if (id !== null) allowed.add(id);
            break;
          } catch (error) {
            log.warn(
              { err: error, platform: platform.id },
              'allowedUsers could not be looked up; trying again',
            );
            await clock.sleep(RETRY_MS, signal);
          }
        }
      }
    },
  };
}

/** A name fit to stand before what somebody says. */
export function shownName(person: Pick<Person, 'id' | 'name'>): string {
  return sanitizeName(person.name, person.id).replaceAll(/[[\]]/g, '');
}
