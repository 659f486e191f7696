import { onTestFinished } from 'vitest';
import type { DiscordOptions } from '../../../connectors/discord/options.ts';
import { type ContractHome, type ContractProcess, contractHome } from '../../contract/process.ts';
import { startWell } from '../../contract/tools.ts';
import { type FakeDiscord, type FakeDiscordOptions, fakeDiscord } from './fake-discord.ts';
import { testConnector } from './harness.ts';
import type { FakeChannel, FakeUser } from './world.ts';

/** A fake Discord with a server, and a database on which processes with the connector come and go. */
export interface DiscordBench {
  readonly fake: FakeDiscord;
  readonly guildId: string;
  readonly general: FakeChannel;
  readonly direct: FakeChannel;
  readonly ana: FakeUser;
  readonly ben: FakeUser;
  readonly home: ContractHome;
  /** A process whose connector is well. */
  start(): Promise<ContractProcess>;
}

export async function discordBench(
  options: Partial<DiscordOptions> & { readonly fake?: FakeDiscordOptions } = {},
): Promise<DiscordBench> {
  const fake = await fakeDiscord(options.fake);
  onTestFinished(() => fake.stop());
  const { world } = fake;
  const guildId = world.addGuild('Test');
  const general = world.addChannel({ type: 0, guildId, name: 'general' });
  const direct = world.addChannel({ type: 1 });
  const [ana, ben] = [world.addUser('Ana'), world.addUser('Ben')];
  const { fake: _, ...connectorOptions } = options;
  const home = await contractHome({
    connect: () => testConnector(fake, connectorOptions),
    ana: { id: ana.id, displayName: 'Ana' },
    ben: { id: ben.id, displayName: 'Ben' },
  });
  return { fake, guildId, general, direct, ana, ben, home, start: () => startWell(home) };
}
