import type { Place } from '@postern/store/testing';
import { discordConnector } from '../src/connectors/discord/connector.ts';
import { childLog, takeIn } from './intake-child.ts';

/** Program: takes in what is said on Discord until it is killed, and says `running` when it begins. */

export interface DiscordChild {
  readonly place: Place;
  readonly apiUrl: string;
  readonly token: string;
}

const { place, apiUrl, token }: DiscordChild = JSON.parse(process.argv[2] ?? '');
await takeIn(place, (clock) =>
  discordConnector({
    apiUrl,
    token,
    clock,
    log: childLog,
    pauses: { firstMs: 20, longestMs: 200, identifyMs: 10 },
  }),
);
