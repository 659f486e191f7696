import { idGenerator, systemClock, systemRandom } from '@postern/kit';
import { connectStore, databaseBlobs } from '@postern/store';
import type { Place } from '@postern/store/testing';
import { inboxConfigSchema } from '../src/config.ts';
import { imessageConnector } from '../src/connectors/imessage/connector.ts';
import { createSink } from '../src/messages/sink.ts';
import type { InboxTables } from '../src/tables.ts';

/** Program: takes in what stands in a database of Messages until it is killed, and says `running` when it begins. */

export interface IMessageChild {
  readonly place: Place;
  readonly chatDb: string;
}

const { place, chatDb }: IMessageChild = JSON.parse(process.argv[2] ?? '');
const store = await connectStore<InboxTables>({ ...place, clock: systemClock });
const log = { debug() {}, info() {}, warn() {}, error: console.error };
const connector = imessageConnector(
  { chatDb, osascript: ['/usr/bin/false'], region: 'US', groups: true, pollMs: 5 },
  systemClock,
);
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
