import { discordHarness, discordTraits } from '../../testing/fakes/discord/harness.ts';
import { describeConnector } from '../../testing/index.ts';

describeConnector('discord', discordHarness, discordTraits);
