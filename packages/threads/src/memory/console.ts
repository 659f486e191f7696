import { problem } from '@postern/http';
import type { PlatformConfig } from '../config.ts';
import type { ThreadsPorts } from '../ports.ts';
import { type BadFact, channelMemory } from './channel-memory.ts';
import type { Author, MemoryEntry, MemoryPlace } from './entry.ts';
import { badFact } from './listing.ts';

/** A channel that has memory or may have it. */
export interface MemoryOfChannel extends MemoryPlace {
  readonly count: number;
  /** Whether agents there are told of it. */
  readonly isOn: boolean;
}

/** Memory as operators see it: it is on record, so it does not matter which process is asked. */
export interface ConsoleMemory {
  channels(): Promise<MemoryOfChannel[]>;
  list(place: MemoryPlace): Promise<MemoryEntry[]>;
  /** @throws Failure `not_found`, `validation_failed`, `conflict` */
  add(place: MemoryPlace, text: string, operator: string): Promise<MemoryEntry>;
  /** @throws Failure `not_found`, `validation_failed`, `conflict` */
  edit(id: string, text: string, operator: string): Promise<MemoryEntry>;
  /** @throws Failure `not_found` */
  forget(id: string, operator: string): Promise<void>;
}

const authorOf = (operator: string): Author => ({ id: `console:${operator}`, name: operator });

/** @param platforms Those of the configuration, each with the channel it listens in. */
export function consoleMemory(
  ports: Pick<ThreadsPorts, 'store' | 'clock' | 'newId' | 'audit'>,
  platforms: readonly { readonly behaviour: PlatformConfig; readonly channelId: string }[],
): ConsoleMemory {
  const memory = channelMemory(ports);

  async function channels(): Promise<MemoryOfChannel[]> {
    const counts = await ports.store.db
      .selectFrom('threads_memories')
      .select(['platform_id', 'channel_id', (count) => count.fn.countAll<number>().as('count')])
      .groupBy(['platform_id', 'channel_id'])
      .orderBy('platform_id')
      .orderBy('channel_id')
      .execute();
    const found = counts.map(({ platform_id, channel_id, count }) => ({
      platformId: platform_id,
      channelId: channel_id,
      count: Number(count),
    }));
    const empty = platforms
      .map(({ behaviour, channelId }) => ({ platformId: behaviour.id, channelId, count: 0 }))
      .filter((own) => !found.some((each) => isSame(each, own)));
    return [...found, ...empty].map((channel) => ({
      ...channel,
      isOn: platforms.some(({ behaviour }) => behaviour.id === channel.platformId && behaviour.memory),
    }));
  }

  return {
    channels,
    list: (place) => memory.list(place),
    async add(place, text, operator) {
      if (!(await channels()).some((channel) => isSame(channel, place))) {
        throw problem('not_found', 'No platform listens in that channel.');
      }
      const author = authorOf(operator);
      const outcome = await memory.write(place, { text, source: 'user', author, sessionId: null });
      switch (outcome.kind) {
        case 'saved':
          return outcome.entry;
        case 'known':
          throw known(outcome.entry);
        case 'empty':
        case 'too_long':
          throw unfit(outcome);
        default:
          throw problem('conflict', 'There is no room for it.');
      }
    },
    async edit(id, text, operator) {
      const outcome = await memory.edit(id, text, authorOf(operator));
      switch (outcome.kind) {
        case 'edited':
          return outcome.entry;
        case 'known':
          throw known(outcome.entry);
        case 'gone':
          throw gone();
        default:
          throw unfit(outcome);
      }
    },
    async forget(id, operator) {
      if ((await memory.forget(id, authorOf(operator))) === null) throw gone();
    },
  };
}

function isSame(one: MemoryPlace, other: MemoryPlace): boolean {
  return one.platformId === other.platformId && one.channelId === other.channelId;
}

const unfit = (bad: BadFact) => problem('validation_failed', badFact(bad));
const known = ({ index }: MemoryEntry) =>
  problem('conflict', `It is remembered already, as number ${index} of its channel.`);
const gone = () => problem('not_found', 'It is not remembered any more.');
