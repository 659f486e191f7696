import { idGenerator, systemClock, systemRandom } from '@postern/kit';
import { connectStore, databaseBlobs } from '@postern/store';
import type { Place } from '@postern/store/testing';
import { inboxConfigSchema } from '../src/config.ts';
import { discordConnector } from '../src/connectors/discord/connector.ts';
import { createSink } from '../src/messages/sink.ts';
import type { InboxTables } from '../src/tables.ts';

/** Program: takes in what is said on Discord until it is killed, and says `running` when it begins. */

export interface DiscordChild {
  readonly place: Place;
  readonly apiUrl: string;
  readonly token: string;
}

const { place, apiUrl, token }: DiscordChild = JSON.parse(process.argv[2] ?? '');
const store = await connectStore<InboxTables>({ ...place, clock: systemClock });
const log = { debug() {}, info() {}, warn() {}, error: console.error };
const connector = discordConnector({
  apiUrl,
  token,
  clock: systemClock,
  log,
  pauses: { firstMs: 20, longestMs: 200, identifyMs: 10 },
});
const ports = {
  store,
  blobs: databaseBlobs(store),
  clock: systemClock,
  random: systemRandom,
  newId: idGenerator({ clock: systemClock, random: systemRandom }),
  config: inboxConfigSchema.parse({}),
  log,
  publicUrl: () => 'http://127.0.0.1:8080',
  signingKey: new Uint8Array(32),
  fetchAttachment: () => Promise.reject(new Error('nothing is fetched from elsewhere')),
};
const stored = await store.db
  .selectFrom('inbox_cursors')
  .select('cursor')
  .where('source', '=', connector.source)
  .where('account', '=', connector.account)
  .executeTakeFirst();
const sink = createSink(ports, connector, async () => undefined);
console.log('running');
await connector.run(stored?.cursor ?? null, sink, new AbortController().signal);
