import { type Clock, idGenerator, systemClock, systemRandom } from '@postern/kit';
import { connectStore, databaseBlobs } from '@postern/store';
import type { Place } from '@postern/store/testing';
import { inboxConfigSchema } from '../src/config.ts';
import type { Connector } from '../src/connectors/connector.ts';
import { createSink } from '../src/messages/sink.ts';
import type { InboxTables } from '../src/tables.ts';

/** What a connector of a child process logs: its errors alone. */
export const childLog = { debug() {}, info() {}, warn() {}, error: console.error };

/** Takes in what a connector brings, from the stored cursor on, until the process is killed. Says `running` first. */
export async function takeIn(place: Place, connect: (clock: Clock) => Connector): Promise<void> {
  const store = await connectStore<InboxTables>({ ...place, clock: systemClock });
  const connector = connect(systemClock);
  const ports = {
    store,
    blobs: databaseBlobs(store),
    clock: systemClock,
    random: systemRandom,
    newId: idGenerator({ clock: systemClock, random: systemRandom }),
    config: inboxConfigSchema.parse({}),
    log: childLog,
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
}
