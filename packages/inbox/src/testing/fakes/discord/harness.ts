import { systemClock } from '@postern/kit';
import { discordConnector } from '../../../connectors/discord/connector.ts';
import type { DiscordOptions } from '../../../connectors/discord/options.ts';
import type { ConnectorHarness, ConnectorTraits, HarnessPerson } from '../../connector-harness.ts';
import { MemoryLog } from '../../memory-log.ts';
import { type FakeDiscord, fakeDiscord } from './fake-discord.ts';
import type { FakeMessage, FakeUser } from './world.ts';

export const discordTraits: ConnectorTraits = {
  edits: true,
  deletes: true,
  replies: true,
  files: true,
  history: false,
  missed: 250,
  faults: [
    'dropConnections',
    'loseAnswerOfNextSend',
    'loseNextFile',
    'refuseCredentialsOfNextSend',
    'refuseNextSend',
    'repeatNextEvent',
    'swapNextEvents',
  ],
};

/** Short waits, for tests alone. */
export const TEST_PAUSES = { firstMs: 20, longestMs: 200, identifyMs: 10, refusedMs: 50 } as const;

export function testConnector(fake: FakeDiscord, options: Partial<DiscordOptions> = {}) {
  const { apiUrl, token } = fake;
  return discordConnector({
    apiUrl,
    token,
    clock: systemClock,
    log: new MemoryLog(),
    pauses: TEST_PAUSES,
    ...options,
  });
}

/** A fake Discord with one server, and a direct channel, for the contract suite. */
export async function discordHarness(): Promise<ConnectorHarness> {
  const fake = await fakeDiscord();
  const { world, faults } = fake;
  const guildId = world.addGuild('Test');
  const channels = {
    group: world.addChannel({ type: 0, guildId, name: 'general' }),
    direct: world.addChannel({ type: 1 }),
  };
  const users = [world.addUser('Ana'), world.addUser('Ben')] as const;
  const personOf = ({ id, username, global_name }: FakeUser): HarnessPerson => ({
    id,
    displayName: global_name ?? username,
  });
  const group = `discord:channel:${channels.group.id}`;
  const direct = `discord:dm:${channels.direct.id}`;
  const channelOf = (channelId: string) => (channelId === direct ? channels.direct : channels.group);
  const orderSend = (fault: 'lose-answer' | { status: number; code: number }) =>
    faults.rest.set('send', [fault]);

  return {
    connect: () => testConnector(fake),
    group,
    direct,
    ana: personOf(users[0]),
    ben: personOf(users[1]),
    async say(person, text, { channelId = group, replyTo, files = [] } = {}) {
      const author = world.users.get(person.id);
      if (!author) throw new Error('nobody of that id is there');
      return fake.say(channelOf(channelId), author, text, { replyTo: replyTo ?? null, files }).id;
    },
    edit: async (id, text) => fake.edit(id, text),
    delete: async (id) => fake.delete(id),
    sent: async (channelId) =>
      channelOf(channelId)
        .messages.filter(({ author }) => author.id === fake.bot.id)
        .map(({ id, content, replyTo, files }) => ({ platformId: id, text: content, replyTo, files })),
    ringsForAll: ({ platformId }) => rings(world.find(platformId)?.message),
    goOffline: () => fake.goOffline(),
    goOnline: () => fake.goOnline(),
    faults: {
      dropConnections: () => fake.gateway.drop(),
      loseAnswerOfNextSend: () => orderSend('lose-answer'),
      loseNextFile: () => faults.rest.set('file', [{ status: 404 }]),
      refuseCredentialsOfNextSend: () => orderSend({ status: 403, code: 50_013 }),
      refuseNextSend: () => orderSend({ status: 400, code: 50_035 }),
      repeatNextEvent: () => {
        faults.repeatNext = true;
      },
      swapNextEvents: () => {
        faults.swapNext = true;
      },
    },
    stop: () => fake.stop(),
  };
}

/** Whether Discord would ring: a mention of everybody in the text, of a kind that the sender lets ring. */
export function rings(message: FakeMessage | undefined): boolean {
  const { parse } = (message?.sent?.allowed_mentions ?? { parse: ['everyone'] }) as { parse?: string[] };
  return /@(?:everyone|here)/.test(message?.content ?? '') && (parse ?? []).includes('everyone');
}
